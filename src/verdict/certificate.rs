//! The certificate of a proof by components, as plain data: what was proved, over which partition of the
//! slots, with which auxiliary booleans, and for each component its theta.
//!
//! In: whatever engine made the proof. Out: JSON or bincode, and an input for `audit::certificate`. Nothing here
//! depends on a BDD package: sets are roots in one shared, acyclic list of decision nodes.
//!
//! *References* name functions: 0 is false, 1 is true, `n + 2` is node `n`. A node's children are references
//! smaller than its own, so the list is acyclic and is evaluated from front to back. Nodes need be neither
//! ordered nor reduced; a variable that a path does not ask may have any value.
//!
//! *Variables* are bits of slots' codes (as in `ir::layout`: 0 is undefined, else one more than the distance from
//! the type's least value; bit 0 is the least significant) and auxiliary booleans. What a function says about
//! codes that no value has does not matter. The order of the list is a hint: whoever makes ordered diagrams of the nodes
//! does well to take it.
//!
//! Cost: three numbers a node. Components share what nodes they have in common, and what they all know of the shared
//! state is written once: 512 components behind a semaphore are 7,683 nodes. What this leaves out: how the proof was
//! found.

use serde::{Deserialize, Serialize};

/// The version of this format.
pub const VERSION: u32 = 3;

/// A function: 0 is false, 1 is true, `n + 2` is node `n`.
pub type Ref = u32;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    pub version: u32,
    /// How it was made: `split`, `tmmc`, `tmmcir`. The obligations are the same for all.
    pub method: String,
    /// The hash of the typed model (`ir::print::digest`), so that a certificate of another model is noticed.
    pub model: String,
    /// Whose run-time errors were ruled out, as in `--compat`.
    pub compat: String,
    /// The path of every slot of the model, so that numbers of slots can be read.
    pub slots: Vec<String>,
    /// The constants of the model.
    pub constants: Vec<(String, String)>,
    /// Slots that all components see, in increasing order.
    pub shared: Vec<u32>,
    /// In the order of the processes and their members; the system, where it has rules, is last.
    pub components: Vec<Part>,
    /// Booleans added to the shared state.
    pub auxiliaries: Vec<Auxiliary>,
    pub variables: Vec<Variable>,
    pub nodes: Vec<Node>,
    /// The invariants that follow, as positions among the model's properties.
    pub implied: Vec<Implied>,
}

/// One component: what it alone sees, and what is known of its view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// As in `verify print --stage processes`: `PID[3]`, or `system`.
    pub name: String,
    /// Slots that are local to it, in increasing order.
    pub locals: Vec<u32>,
    /// Over shared slots, all auxiliaries and its own locals. Its views are those that both have: `common` is what it has
    /// in common with others, so that it is written and looked at once; 1 where there is no such thing.
    pub common: Ref,
    pub theta: Ref,
}

/// A boolean that shows the others something of a component's local state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auxiliary {
    /// What it says, for people; not checked.
    pub name: String,
    /// Whose local state it shows: a position in `components`.
    pub component: u32,
    /// What it says, over bits of that component's local slots only.
    pub predicate: Ref,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variable {
    /// A bit of a slot's code.
    Bit { slot: u32, bit: u8 },
    /// A position in `auxiliaries`.
    Auxiliary(u32),
}

/// If variable number `.0` is false then `.1`, else `.2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Node(pub u32, pub Ref, pub Ref);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Implied {
    pub property: u32,
    pub name: String,
}
