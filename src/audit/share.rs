//! A share of the check set by set, and which of several refusals comes first.
//!
//! In: the number of a share and of how many. Out: the obligations that are its own, dealt out one by one; the shares
//! together do every one. The data are read, and start states looked at, in every share. An obligation has its place in
//! the order in which one share alone would tell of it: so the first of what the shares refuse is what the whole check
//! refuses.

use serde::{Deserialize, Serialize};

use super::certificate::{Checked, Failure, Obligation, failure};
use super::decision::Enough;

/// One of `of` shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub number: usize,
    pub of: usize,
}

impl Share {
    pub const WHOLE: Share = Share { number: 0, of: 1 };

    pub(super) fn has(self, obligation: usize) -> bool {
        obligation % self.of == self.number
    }
}

/// The place of an obligation: data and start states, own steps and run-time errors by component, interference, implication.
pub type Place = [u64; 4];

pub(super) fn errors(part: usize, instance: usize) -> Place {
    [1, part as u64, 0, instance as u64]
}

/// Steps out of a component's own theta are told of after its errors.
pub(super) fn own_steps(part: usize, instance: usize) -> Place {
    [1, part as u64, 1, instance as u64]
}

pub(super) fn interference(part: usize, instance: usize) -> Place {
    [2, part as u64, 0, instance as u64]
}

pub(super) fn implication(piece: usize) -> Place {
    [3, piece as u64, 0, 0]
}

/// An obligation that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub place: Place,
    pub failure: Box<Failure>,
}

impl Refused {
    pub(super) fn at(place: Place, failure: Failure) -> Refused {
        Refused { place, failure: Box::new(failure) }
    }
}

/// A flaw of the data or of a start state, which every share finds.
impl From<Failure> for Refused {
    fn from(failure: Failure) -> Refused {
        Refused { place: [0; 4], failure: Box::new(failure) }
    }
}

pub(super) fn size(enough: Enough) -> Refused {
    failure(Obligation::Size, None, enough.0).into()
}

/// What all shares say together: a flaw that one of them found, else that one came to a limit, else that all hold.
pub fn joined(shares: impl IntoIterator<Item = Result<Checked, Refused>>) -> Result<Checked, Refused> {
    let mut all = Checked::default();
    let mut first: Option<Refused> = None;
    let order = |refused: &Refused| (refused.failure.obligation == Obligation::Size, refused.place);
    for share in shares {
        match share {
            Ok(Checked { views, steps, interferences, properties }) => {
                all.views = views.or(all.views);
                all.steps += steps;
                all.interferences += interferences;
                all.properties = all.properties.max(properties);
            }
            Err(refused) if first.as_ref().is_none_or(|first| order(&refused) < order(first)) => {
                first = Some(refused);
            }
            Err(_) => {}
        }
    }
    first.map_or(Ok(all), Err)
}
