//! The way to a state, from the ranks' logs.
//!
//! A question travels from rank to rank: each adds the step that led to the state it has numbered and sends the question on to
//! the rank that numbered the parent; at a start state the answer goes to rank 0. One phase of the exchange answers all questions: as
//! many messages as the ways have steps.

use serde::{Deserialize, Serialize};

use super::{Finding, StateRef};
use crate::base::{Rank, wire};
use crate::comm::Tag;
use crate::compile::InstanceNo;
use crate::exchange::{Exchange, Idle};

use super::log::Log;

/// A question on its way back, or (at a start state) the answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Question {
    number: u32,
    at: u64,
    /// Steps from the state asked for back to here.
    back: Vec<u32>,
}

/// The steps that first led to each finding's state, start instance first, at rank 0. `Err` on a rank whose log fails.
pub fn paths(
    exchange: &mut Exchange<'_>,
    log: &mut Log,
    findings: &[Finding],
) -> Result<Vec<Vec<InstanceNo>>, String> {
    let mut answers: Vec<Vec<InstanceNo>> = vec![Vec::new(); findings.len()];
    let mut open: Vec<Question> = Vec::new();
    if exchange.rank().is_root() {
        let asked = findings.iter().enumerate().filter(|(_, finding)| finding.at != StateRef::NONE);
        open.extend(asked.map(|(n, finding)| Question {
            number: n as u32,
            at: finding.at.word(),
            back: Vec::new(),
        }));
    }
    let mut failure = None;
    loop {
        while exchange.receive(|_, inbound| open.extend(wire::items::<Question>(inbound.bytes()))) {}
        if let Some(question) = open.pop() {
            match follow(exchange, log, question) {
                Ok(Some(answer)) => {
                    answers[answer.number as usize] =
                        answer.back.iter().rev().map(|&n| InstanceNo(n)).collect();
                }
                Ok(None) => {}
                Err(why) => failure = Some(why),
            }
        } else if exchange.idle() == Idle::PhaseOver {
            break;
        }
    }
    failure.map_or(Ok(answers), Err)
}

/// Follows a question as far as this rank's log goes. An answer that has come home is returned.
fn follow(
    exchange: &mut Exchange<'_>,
    log: &mut Log,
    mut question: Question,
) -> Result<Option<Question>, String> {
    let me = exchange.rank();
    loop {
        let at = StateRef::from_word(question.at);
        let next = if at == StateRef::NONE { Rank::ROOT } else { at.rank() };
        if next != me {
            exchange.post(next, Tag::Witnesses, &wire::item(&question));
            return Ok(None);
        }
        if at == StateRef::NONE {
            return Ok(Some(question));
        }
        let record = log.get(at.number()).map_err(|error| error.to_string())?;
        question.back.push(record.step.0);
        question.at = record.parent.word();
    }
}
