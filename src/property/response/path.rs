//! What the rounds left, at rank 0, and how a pending state was reached.
//!
//! The states left go to rank 0 in one phase. Ways are not kept while rounds go on, as most properties hold: when one is
//! asked for, all pending states are walked through once more from those where the claim held (*retrace*), and each
//! remembers the step that reached it first. The question then travels from owner to owner: along the pending states
//! back to one where the claim held, then along the search's log back to a start state (as in `explore::trace`). As
//! many messages as the way has steps; 16 bytes a pending state, where rounds have given back as much.

use serde::{Deserialize, Serialize};

use super::pending::{self, DEAD, VISITED};
use super::rounds::{Phase, Rounds};
use super::table::{Parent, SEED};
use crate::base::{Rank, hash, wire, words};
use crate::comm::{Op, Tag};
use crate::compile::InstanceNo;
use crate::exchange::Idle;
use crate::explore::StateRef;
use crate::explore::sequel::Stage;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Question {
    /// Whether `at` is a pending state, by rank and number there, or one of the log.
    pending: bool,
    at: u64,
    /// Steps from the state asked for back to here.
    back: Vec<u32>,
}

impl Rounds<'_> {
    /// The states that are left, each with who it is; at rank 0, and empty elsewhere.
    pub fn bring_home(&self, stage: &mut Stage<'_, '_>) -> (Vec<u64>, Vec<Vec<u64>>) {
        let me = stage.exchange.rank();
        let (mut names, mut states) = (Vec::new(), Vec::new());
        let mut left = (0..self.table.len()).filter(|&at| !self.table.has(at, DEAD));
        let mut item = Vec::new();
        loop {
            while stage.exchange.receive(|_, inbound| {
                let mut read = Vec::new();
                words::read(inbound.bytes(), &mut read);
                for item in read.chunks_exact(stage.steps.words() + 1) {
                    names.push(item[0]);
                    states.push(item[1..].to_vec());
                }
            }) {}
            if stage.exchange.congested() {
                stage.exchange.wait();
                continue;
            }
            let Some(at) = left.next() else {
                if stage.exchange.idle() == Idle::PhaseOver {
                    return (names, states);
                }
                continue;
            };
            let name = StateRef::new(me, at as u64).word();
            if me.is_root() {
                names.push(name);
                states.push(self.table.state(at).to_vec());
            } else {
                item.clear();
                wire::put_u64(&mut item, name);
                item.extend_from_slice(&words::bytes(self.table.state(at)));
                stage.exchange.post(Rank::ROOT, Tag::States, &item);
            }
        }
    }

    /// Finds how each pending state is reached; the rounds are over. All ranks return the same.
    fn retrace(&mut self, stage: &mut Stage<'_, '_>) -> Result<(), String> {
        self.table.end_rounds();
        self.parents = vec![Parent { word: 0, step: SEED }; self.table.len()];
        self.queue_where(|table, at| table.has(at, pending::SEED));
        self.run_phase(stage, Phase::Retrace);
        let troubles = stage.exchange.tally(Op::Sum, &[i64::from(self.trouble.is_some())])[0] as u64;
        self.agree_on_trouble(stage.exchange, troubles).map_or(Ok(()), Err)
    }

    pub(super) fn arrive_on_way(&mut self, at: usize, parent: Parent) {
        if !self.table.has(at, VISITED) {
            self.table.flags[at] |= VISITED;
            self.parents[at] = parent;
            self.enqueue(at);
        }
    }

    /// The steps to a pending state, start instance first; the name and the answer are rank 0's.
    pub fn way_to(
        &mut self,
        stage: &mut Stage<'_, '_>,
        name: Option<u64>,
    ) -> Result<Vec<InstanceNo>, String> {
        self.retrace(stage)?;
        let mut open: Vec<Question> =
            name.into_iter().map(|at| Question { pending: true, at, back: Vec::new() }).collect();
        let mut answer = Ok(Vec::new());
        loop {
            while stage.exchange.receive(|_, inbound| open.extend(wire::items::<Question>(inbound.bytes()))) {
            }
            if let Some(question) = open.pop() {
                match self.follow(stage, question) {
                    Ok(None) => {}
                    Ok(Some(home)) => {
                        answer = Ok(home.back.iter().rev().map(|&step| InstanceNo(step)).collect())
                    }
                    Err(why) => answer = Err(why),
                }
            } else if stage.exchange.idle() == Idle::PhaseOver {
                return answer;
            }
        }
    }

    /// Follows a question as far as this rank knows; an answer that has come home is returned.
    fn follow(&self, stage: &mut Stage<'_, '_>, mut question: Question) -> Result<Option<Question>, String> {
        let me = stage.exchange.rank();
        loop {
            let at = StateRef::from_word(question.at);
            let next = if at == StateRef::NONE { Rank::ROOT } else { at.rank() };
            if next != me {
                stage.exchange.post(next, Tag::Witnesses, &wire::item(&question));
                return Ok(None);
            }
            if at == StateRef::NONE {
                return Ok(Some(question));
            }
            if question.pending {
                let number = at.number() as usize;
                let parent = self.parents[number];
                question.pending = parent.step != SEED;
                if question.pending {
                    question.back.push(parent.step);
                    question.at = parent.word;
                } else {
                    let logged = stage.log.find(hash::words(self.table.state(number)));
                    let logged = logged.map_err(|error| error.to_string())?;
                    let logged = logged.ok_or("a pending state is missing from the log")?;
                    question.at = StateRef::new(me, logged).word();
                }
                continue;
            }
            let record = stage.log.get(at.number()).map_err(|error| error.to_string())?;
            question.back.push(record.step.0);
            question.at = record.parent.word();
        }
    }
}
