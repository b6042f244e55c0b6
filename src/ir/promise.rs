//! What fair runs promise: the fair actions and fair states of a model, numbered.
//!
//! Each instance of a fair rule is an action; so is a fair ruleset as a whole, once for each value of what binds
//! around it; each instance of a fairness of states is a promise too. In a state, a promise may be *due* (a run
//! that stays for ever where it is due must keep it) and it may be *kept* there; taking one of its steps keeps it.
//!
//! | promise | due in a state | kept by |
//! |---|---|---|
//! | weakly fair action | where it is enabled | taking it; a state where it is not enabled |
//! | strongly fair action | where it is enabled | taking it |
//! | `fair e` | everywhere | a state where e holds |
//! | `strong fair p -> e` | where p holds | a state where e holds |
//!
//! A cycle is fair exactly when every promise due in one of its states is kept in one of its states or by one of
//! its steps (Bingham's thesis, 6.2.1). An action is enabled where one of its steps leads to a state of the model.

use std::collections::HashMap;

use super::model::{Fairness, Instance, Model, digits, instance_count};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    WeakAction,
    StrongAction,
    /// Of `model.fairness`, by position and instance.
    WeakState {
        fairness: u32,
        index: u64,
    },
    StrongState {
        fairness: u32,
        index: u64,
    },
}

#[derive(Clone, Debug)]
pub struct Promises {
    list: Vec<Promise>,
    /// For each rule, the number of its first instance.
    firsts: Vec<usize>,
    /// For each instance, in the order of the text, the promises that it keeps when it is taken.
    kept_by: Vec<Vec<u32>>,
}

impl Promises {
    pub fn new(model: &Model) -> Promises {
        let mut promises = Promises { list: Vec::new(), firsts: Vec::new(), kept_by: Vec::new() };
        let mut groups: HashMap<(u32, Vec<u64>), u32> = HashMap::new();
        for rule in &model.rules {
            promises.firsts.push(promises.kept_by.len());
            for index in 0..model.instances(rule) {
                let mut kept: Vec<u32> = Vec::new();
                if let Some(promise) = action(rule.fairness) {
                    kept.push(promises.list.len() as u32);
                    promises.list.push(promise);
                }
                for group in &rule.groups {
                    let Some(promise) = action(group.fairness) else { continue };
                    let around = digits(&rule.binders, &model.types, index)[..group.depth].to_vec();
                    let number = *groups.entry((group.group, around)).or_insert_with(|| {
                        promises.list.push(promise);
                        promises.list.len() as u32 - 1
                    });
                    kept.push(number);
                }
                promises.kept_by.push(kept);
            }
        }
        for (at, fairness) in model.fairness.iter().enumerate() {
            for index in 0..instance_count(&fairness.binders, &model.types) {
                promises.list.push(match fairness.premise {
                    None => Promise::WeakState { fairness: at as u32, index },
                    Some(_) => Promise::StrongState { fairness: at as u32, index },
                });
            }
        }
        promises
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn list(&self) -> &[Promise] {
        &self.list
    }

    /// The words that one bit for each promise takes.
    pub fn words(&self) -> usize {
        self.list.len().div_ceil(64)
    }

    /// The promises that this instance keeps when it is taken.
    pub fn of(&self, instance: Instance) -> &[u32] {
        self.of_number(self.number(instance))
    }

    /// The number of an instance among those of all rules, in the order of the text.
    pub fn number(&self, instance: Instance) -> usize {
        self.firsts[instance.rule.0 as usize] + instance.index as usize
    }

    /// The same by the instance's number among those of all rules.
    pub fn of_number(&self, number: usize) -> &[u32] {
        &self.kept_by[number]
    }

    /// What is due and kept in a state: marks the bits of `due` and `kept`, which are all zero, given whether each
    /// promise's action is `enabled` there and what each fairness of states says.
    pub fn mark<E>(
        &self,
        enabled: &[u64],
        mut holds: impl FnMut(Condition) -> Result<Option<bool>, E>,
        due: &mut [u64],
        kept: &mut [u64],
    ) -> Result<(), E> {
        for (at, &promise) in self.list.iter().enumerate() {
            let (is_due, is_kept) = match promise {
                Promise::WeakAction => (bit(enabled, at), !bit(enabled, at)),
                Promise::StrongAction => (bit(enabled, at), false),
                Promise::WeakState { fairness, index } => {
                    (true, holds(Condition { fairness, index, premise: false })? != Some(false))
                }
                Promise::StrongState { fairness, index } => (
                    holds(Condition { fairness, index, premise: true })? == Some(true),
                    holds(Condition { fairness, index, premise: false })? != Some(false),
                ),
            };
            due[at / 64] |= u64::from(is_due) << (at % 64);
            kept[at / 64] |= u64::from(is_kept) << (at % 64);
        }
        Ok(())
    }
}

/// One of the two expressions of a fairness of states.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    pub fairness: u32,
    pub index: u64,
    pub premise: bool,
}

fn action(fairness: Fairness) -> Option<Promise> {
    match fairness {
        Fairness::None => None,
        Fairness::Weak => Some(Promise::WeakAction),
        Fairness::Strong => Some(Promise::StrongAction),
    }
}

/// Whether a bit is set.
pub fn bit(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 != 0
}

/// Sets a bit.
pub fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

/// Sets all bits of `more`; whether one of them is new.
pub fn join(bits: &mut [u64], more: &[u64]) -> bool {
    let mut new = false;
    for (word, &more) in bits.iter_mut().zip(more) {
        new |= more & !*word != 0;
        *word |= more;
    }
    new
}

/// Whether every bit of `part` is one of `whole`.
pub fn within(part: &[u64], whole: &[u64]) -> bool {
    part.iter().zip(whole).all(|(part, whole)| part & !whole == 0)
}
