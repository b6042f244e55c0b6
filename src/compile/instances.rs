//! Dense numbers for the instances of all rules, in the order of the text, and apart from them for those of
//! all start states.

use crate::ir::{Instance, Model, Rule, RuleId};

/// The number of a rule instance among those of all rules, or of a start instance among those of all starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceNo(pub u32);

#[derive(Clone, Debug)]
pub struct Instances {
    /// The first number of each rule, and at the end the number of all.
    rules: Vec<u32>,
    starts: Vec<u32>,
}

impl Instances {
    pub fn new(model: &Model) -> Instances {
        Instances { rules: firsts(model, &model.rules), starts: firsts(model, &model.starts) }
    }

    pub fn rule_instances(&self) -> u32 {
        self.rules[self.rules.len() - 1]
    }

    pub fn start_instances(&self) -> u32 {
        self.starts[self.starts.len() - 1]
    }

    /// Adds up what there is for each instance of a rule.
    pub fn sums_by_rule(&self, by_instance: &[u64]) -> Vec<u64> {
        self.rules
            .windows(2)
            .map(|ends| by_instance[ends[0] as usize..ends[1] as usize].iter().sum())
            .collect()
    }

    pub fn number(&self, instance: Instance) -> InstanceNo {
        InstanceNo(self.rules[instance.rule.0 as usize] + instance.index as u32)
    }

    pub fn instance(&self, number: InstanceNo) -> Instance {
        let (rule, index) = find(&self.rules, number);
        Instance { rule: RuleId(rule as u32), index }
    }

    pub fn start_number(&self, start: usize, index: u64) -> InstanceNo {
        InstanceNo(self.starts[start] + index as u32)
    }

    /// Which start state, and which instance of it.
    pub fn start(&self, number: InstanceNo) -> (usize, u64) {
        find(&self.starts, number)
    }
}

fn firsts(model: &Model, rules: &[Rule]) -> Vec<u32> {
    let mut firsts = vec![0u32];
    let mut next = 0u64;
    for rule in rules {
        next = next.saturating_add(model.instances(rule));
        firsts.push(u32::try_from(next).expect("lowering bounds the number of instances"));
    }
    firsts
}

fn find(firsts: &[u32], number: InstanceNo) -> (usize, u64) {
    let rule = firsts.partition_point(|&first| first <= number.0) - 1;
    (rule, u64::from(number.0 - firsts[rule]))
}
