//! Models as binary decision diagrams: states are sets of valuations, rules are relations.
//!
//! `nodes.rs` keeps the nodes, `marks.rs` which of them a walk has met, `apply.rs` has the operations, `bdd.rs` is what everyone
//! else uses of them, `parcel.rs` is how several travel together, `substitute.rs` puts functions in the place of variables. `space.rs`
//! says which variables carry a slot's value.
//! `execute.rs`, with `evaluate.rs`, `multisets.rs` and `place.rs`, runs a rule once for all states; `relation.rs` makes of such a run
//! the relation, with the states where it goes wrong; `tabulate.rs` makes the same by asking the evaluator. `reach.rs` finds all reachable states of a whole model.
//!
//! What it cannot take is refused with a reason and a place in the text: large multisets, variables with too many values,
//! loops and calls that do not end soon enough. Nothing is approximated: what is taken is exactly the evaluator's.

mod apply;
pub mod bdd;
pub mod describe;
mod evaluate;
mod execute;
mod marks;
mod multisets;
mod nodes;
pub mod parcel;
mod place;
pub mod reach;
pub mod relation;
pub mod space;
mod substitute;
pub mod tabulate;

pub use bdd::{Bdd, Store};
pub use nodes::Watch;
pub use place::VALUES_MAX;
pub use space::{Field, Side, Space, View};

use crate::ir::{Model, Span};

/// Why there is no diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The store is full.
    Memory,
    /// The model has something that is not taken.
    Refused { span: Span, why: String },
    /// Somebody asked to stop.
    Halted(String),
}

impl Trouble {
    pub fn refused(span: Span, why: impl Into<String>) -> Trouble {
        Trouble::Refused { span, why: why.into() }
    }

    /// For people: with the place, where there is one.
    pub fn text(&self, model: &Model) -> String {
        match self {
            Trouble::Memory => "out of memory: the decision diagrams have too many nodes".to_string(),
            Trouble::Refused { span, why } => format!("{}: {why}", model.source.locate(*span)),
            Trouble::Halted(why) => why.clone(),
        }
    }
}
