//! The decision nodes of a certificate: evaluated, enumerated, and made from explicit sets.
//!
//! In: a certificate's nodes, or a set of rows of bits. Out: truth values, all rows of a function, or nodes. Paths
//! are walked as they are written: nodes need be neither ordered nor reduced, and a path that asks a variable twice
//! is held to its first answer. Two different paths never share a row, so enumeration says each row once.
//!
//! It ends because children come before parents (checked by `audit::certificate` before anything here runs). Cost:
//! evaluation, one path; enumeration, all paths that can reach true, bounded by the caller; making nodes,
//! one visit a row and bit.

use std::collections::{BTreeSet, HashMap};

use crate::ir::layout::Layout;
use crate::verdict::certificate::{Certificate, Node, Ref, Variable};

/// What a variable is in a state.
pub fn bit_of(layout: &Layout, state: &[i64], slot: u32, bit: u8) -> bool {
    let field = layout.fields()[slot as usize];
    field.code_of(state[slot as usize]) >> bit & 1 == 1
}

/// Evaluates a function over slots' bits; auxiliaries count as false.
pub fn holds(certificate: &Certificate, layout: &Layout, mut at: Ref, state: &[i64]) -> bool {
    while at > 1 {
        let Node(variable, low, high) = certificate.nodes[at as usize - 2];
        let set = match certificate.variables[variable as usize] {
            Variable::Bit { slot, bit } => bit_of(layout, state, slot, bit),
            Variable::Auxiliary(_) => false,
        };
        at = if set { high } else { low };
    }
    at == 1
}

/// The variables that a function asks anywhere.
pub fn support(certificate: &Certificate, root: Ref) -> BTreeSet<u32> {
    let mut seen = BTreeSet::new();
    let mut open = vec![root];
    let mut variables = BTreeSet::new();
    while let Some(at) = open.pop() {
        if at > 1 && seen.insert(at) {
            let Node(variable, low, high) = certificate.nodes[at as usize - 2];
            variables.insert(variable);
            open.extend([low, high]);
        }
    }
    variables
}

/// For each reference, whether some path from it ends in true.
pub fn alive(certificate: &Certificate) -> Vec<bool> {
    let mut alive = vec![false, true];
    for Node(_, low, high) in &certificate.nodes {
        alive.push(alive[*low as usize] || alive[*high as usize]);
    }
    alive
}

/// For each reference, how many paths from it end in true, saturating; those are counted, too, that ask a variable twice and
/// get different answers.
pub fn paths(certificate: &Certificate) -> Vec<u64> {
    let mut paths = vec![0u64, 1];
    for Node(_, low, high) in &certificate.nodes {
        paths.push(paths[*low as usize].saturating_add(paths[*high as usize]));
    }
    paths
}

/// What a path to true asked, with the answers.
pub type Cube = HashMap<Variable, bool>;

/// Variables on one path: as deep as the walk goes.
const VARIABLES_MAX: usize = 100_000;

/// Walks all paths that lead to true from one root and then from others.
pub struct Walk<'a> {
    pub certificate: &'a Certificate,
    /// What `alive` says.
    pub alive: &'a [bool],
    /// How many more steps may be taken; a path without repeated questions takes at most one a variable.
    pub steps: usize,
    pub cube: Cube,
}

impl Walk<'_> {
    /// Hands over every path; false where `found` has had enough, there are no steps left, or a path asks too many
    /// variables. Recurses once for each variable of a path, however often it is asked.
    pub fn paths(&mut self, mut at: Ref, mut then: &[Ref], found: &mut dyn FnMut(&Cube) -> bool) -> bool {
        let (variable, low, high) = loop {
            if !self.alive[at as usize] {
                return true;
            }
            if self.steps == 0 || self.cube.len() > VARIABLES_MAX {
                return false;
            }
            self.steps -= 1;
            if at == 1 {
                let Some((&next, rest)) = then.split_first() else { return found(&self.cube) };
                (at, then) = (next, rest);
                continue;
            }
            let Node(variable, low, high) = self.certificate.nodes[at as usize - 2];
            let variable = self.certificate.variables[variable as usize];
            match self.cube.get(&variable) {
                Some(&before) => at = if before { high } else { low },
                None => break (variable, low, high),
            }
        };
        for (answer, child) in [(false, low), (true, high)] {
            self.cube.insert(variable, answer);
            if !self.paths(child, then, found) {
                return false;
            }
        }
        self.cube.remove(&variable);
        true
    }
}

/// Makes nodes from explicit sets, each node once.
#[derive(Default)]
pub struct Builder {
    pub variables: Vec<Variable>,
    pub nodes: Vec<Node>,
    known_variables: HashMap<Variable, u32>,
    known_nodes: HashMap<Node, Ref>,
}

impl Builder {
    pub fn variable(&mut self, variable: Variable) -> u32 {
        let next = self.variables.len() as u32;
        *self.known_variables.entry(variable).or_insert_with(|| {
            self.variables.push(variable);
            next
        })
    }

    /// The function that is true exactly for these rows of answers to `variables`.
    pub fn set(&mut self, variables: &[u32], rows: &[Vec<bool>]) -> Ref {
        if rows.is_empty() {
            return 0;
        }
        let Some((&variable, rest)) = variables.split_first() else { return 1 };
        let depth = rows[0].len() - variables.len();
        let (high, low): (Vec<Vec<bool>>, Vec<Vec<bool>>) = rows.iter().cloned().partition(|row| row[depth]);
        let (low, high) = (self.set(rest, &low), self.set(rest, &high));
        self.node(Node(variable, low, high))
    }

    fn node(&mut self, node: Node) -> Ref {
        if node.1 == node.2 {
            return node.1;
        }
        let next = self.nodes.len() as Ref + 2;
        *self.known_nodes.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            next
        })
    }
}
