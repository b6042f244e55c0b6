//! The nodes of decision diagrams: where they stand, which are equal, which are dead, what was computed before.
//!
//! An edge is the number of a node times two, plus one for "not"; node 0 is the constant, so edge 0 is true and edge 1
//! false. A node has a variable and two edges to nodes of later variables; the high edge never says "not" and the two
//! differ, so every function has one edge. Nodes are found by a hash of their parts, in chains.
//!
//! Nodes are never moved. Dead ones are collected only between operations, from the nodes that somebody holds. An
//! operation that finds no room, or that is told to stop, gives up with a value; what it made so far is dead.
//!
//! Results of operations are remembered in a table in which the later overwrites the earlier. Published: K. S. Brace,
//! R. L. Rudell, R. E. Bryant, "Efficient implementation of a BDD package", DAC 1990.

use std::rc::Rc;

/// A function: a node, and whether it is negated.
pub type Edge = u32;

pub const TRUE: Edge = 0;
pub const FALSE: Edge = 1;
/// The variable of the constant: after all others.
pub const NO_VARIABLE: u32 = u32::MAX;
const NOTHING: u32 = u32::MAX;

/// Bytes that one node takes at most, with its share of the tables.
const NODE_BYTES: u64 = 56;
const NODES_LEAST: u64 = 1 << 12;
/// Edges have 29 bits, as the table of results has three bits for the operation.
const NODES_MOST: u64 = 1 << 28;
const CACHE_LEAST: usize = 1 << 12;
/// How far chains and results of one age are spread.
const CHAIN_WINDOW: usize = 1 << 14;
const RESULT_WINDOW: usize = 1 << 15;
const PLACES_A_NODE: usize = 64;
/// How many steps there are between two looks at whether to stop.
const STEPS_BETWEEN_LOOKS: u32 = 1 << 15;

/// Looked at now and then: a reason to stop.
pub type Watch = Rc<dyn Fn() -> Option<String>>;

/// Why an operation gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    Full,
    Stopped,
}

#[derive(Clone, Copy)]
struct Node {
    variable: u32,
    high: Edge,
    low: Edge,
    /// The next node of the chain.
    next: u32,
}

/// Operations whose results are remembered.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Operation {
    And,
    Xor,
    IfThenElse,
    Exists,
    AndExists,
    After,
    Before,
    Meet,
}

#[derive(Clone, Copy)]
struct Entry {
    first: u32,
    second: u32,
    /// With the operation in the upper bits.
    third: u32,
    result: Edge,
}

const EMPTY: Entry = Entry { first: NOTHING, second: NOTHING, third: NOTHING, result: NOTHING };

pub struct Table {
    nodes: Vec<Node>,
    /// First nodes of chains, by hash.
    chains: Vec<u32>,
    /// The first free node of those below the end, and how many are in use.
    free: u32,
    used: usize,
    results: Vec<Entry>,
    nodes_max: usize,
    steps: u32,
    pub watch: Option<Watch>,
    /// What the watch said.
    pub why: Option<String>,
}

/// Twenty bits of all of three numbers.
fn mix(first: u32, second: u32, third: u32) -> usize {
    let pair = (u64::from(first) | u64::from(second) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let all = (pair ^ (pair >> 29) ^ u64::from(third)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (all >> 44) as usize
}

/// The chain of a node: near that of nodes whose children are of the same age. Walks make nodes one after the other, and
/// memory that was used a moment ago is many times faster than other memory.
fn chain_of(variable: u32, high: Edge, low: Edge) -> usize {
    let youngest = high.max(low) >> 1;
    youngest as usize + (mix(high, low, variable) & (CHAIN_WINDOW - 1))
}

/// The place of a result, near those of operands of the same age.
fn place_of(first: Edge, second: Edge, third: Edge) -> usize {
    let youngest = first.max(second) >> 1;
    youngest as usize * PLACES_A_NODE + (mix(first, second, third) & (RESULT_WINDOW - 1))
}

impl Table {
    pub fn new(bytes: u64) -> Table {
        let nodes_max = (bytes / NODE_BYTES).clamp(NODES_LEAST, NODES_MOST) as usize;
        let constant = Node { variable: NO_VARIABLE, high: TRUE, low: TRUE, next: NOTHING };
        Table {
            nodes: vec![constant],
            chains: vec![NOTHING; CACHE_LEAST],
            free: NOTHING,
            used: 1,
            results: vec![EMPTY; CACHE_LEAST],
            nodes_max,
            steps: STEPS_BETWEEN_LOOKS,
            watch: None,
            why: None,
        }
    }

    /// Nodes in use, dead ones that are not collected yet included.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Places of nodes, free ones included.
    pub fn places(&self) -> usize {
        self.nodes.len()
    }

    pub fn variable(&self, edge: Edge) -> u32 {
        self.nodes[(edge >> 1) as usize].variable
    }

    /// What is left of a function where its variable is true, and where it is false.
    pub fn branches(&self, edge: Edge) -> (Edge, Edge) {
        let node = &self.nodes[(edge >> 1) as usize];
        (node.high ^ (edge & 1), node.low ^ (edge & 1))
    }

    /// The same for a variable that does not come after the function's own.
    pub fn split(&self, edge: Edge, variable: u32) -> (Edge, Edge) {
        if self.variable(edge) == variable { self.branches(edge) } else { (edge, edge) }
    }

    /// The function that is `high` where the variable is true and `low` where it is false; both are of later variables.
    pub fn make(&mut self, variable: u32, high: Edge, low: Edge) -> Result<Edge, Failed> {
        if high == low {
            return Ok(high);
        }
        let negated = high & 1;
        let (high, low) = (high ^ negated, low ^ negated);
        let chain = chain_of(variable, high, low) & (self.chains.len() - 1);
        let mut at = self.chains[chain];
        while at != NOTHING {
            let node = &self.nodes[at as usize];
            if node.high == high && node.low == low && node.variable == variable {
                return Ok(at << 1 | negated);
            }
            at = node.next;
        }
        let node = Node { variable, high, low, next: self.chains[chain] };
        let at = match self.free {
            NOTHING if self.nodes.len() >= self.nodes_max => return Err(Failed::Full),
            NOTHING => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
            free => {
                self.free = self.nodes[free as usize].next;
                self.nodes[free as usize] = node;
                free
            }
        };
        self.chains[chain] = at;
        self.used += 1;
        if self.used > self.chains.len() {
            self.widen();
        }
        Ok(at << 1 | negated)
    }

    /// Twice as many chains, and as many remembered results.
    fn widen(&mut self) {
        let count = self.chains.len() * 2;
        self.chains = vec![NOTHING; count];
        for at in 1..self.nodes.len() {
            let Node { variable, high, low, .. } = self.nodes[at];
            if variable != NO_VARIABLE {
                let chain = chain_of(variable, high, low) & (count - 1);
                self.nodes[at].next = self.chains[chain];
                self.chains[chain] = at as u32;
            }
        }
        let old = std::mem::replace(&mut self.results, vec![EMPTY; count]);
        for entry in old.into_iter().filter(|entry| entry.first != NOTHING) {
            let place = place_of(entry.first, entry.second, entry.third) & (count - 1);
            self.results[place] = entry;
        }
    }

    /// The result of an operation, where it is still known. Counts as a step.
    pub fn known(
        &mut self,
        operation: Operation,
        first: Edge,
        second: Edge,
        third: Edge,
    ) -> Result<Option<Edge>, Failed> {
        let third = third | (operation as u32) << 29;
        let entry = &self.results[place_of(first, second, third) & (self.results.len() - 1)];
        if entry.first == first && entry.second == second && entry.third == third {
            return Ok(Some(entry.result));
        }
        self.steps -= 1;
        if self.steps == 0 {
            self.look()?;
        }
        Ok(None)
    }

    pub fn remember(&mut self, operation: Operation, of: (Edge, Edge, Edge), result: Edge) -> Edge {
        let (first, second, third) = (of.0, of.1, of.2 | (operation as u32) << 29);
        let place = place_of(first, second, third) & (self.results.len() - 1);
        self.results[place] = Entry { first, second, third, result };
        result
    }

    #[cold]
    fn look(&mut self) -> Result<(), Failed> {
        self.steps = STEPS_BETWEEN_LOOKS;
        self.why = self.watch.as_ref().and_then(|watch| watch());
        if self.why.is_some() { Err(Failed::Stopped) } else { Ok(()) }
    }

    /// Frees all nodes that are not below one that somebody holds; `held` counts holders, by node.
    pub fn collect(&mut self, held: &[u32]) {
        let mut alive = vec![0u64; self.nodes.len() / 64 + 1];
        let mut open: Vec<u32> = vec![0];
        open.extend((0..held.len() as u32).filter(|&at| held[at as usize] > 0));
        let mut used = 0;
        while let Some(at) = open.pop() {
            let (word, bit) = (at as usize / 64, 1u64 << (at % 64));
            if alive[word] & bit == 0 {
                alive[word] |= bit;
                used += 1;
                let node = &self.nodes[at as usize];
                open.extend([node.high >> 1, node.low >> 1]);
            }
        }
        let lives = |at: u32| alive[at as usize / 64] >> (at % 64) & 1 == 1;
        self.chains.fill(NOTHING);
        self.free = NOTHING;
        for at in (1..self.nodes.len() as u32).rev() {
            let node = &mut self.nodes[at as usize];
            if lives(at) {
                let chain = chain_of(node.variable, node.high, node.low) & (self.chains.len() - 1);
                node.next = self.chains[chain];
                self.chains[chain] = at;
            } else {
                *node = Node { variable: NO_VARIABLE, high: TRUE, low: TRUE, next: self.free };
                self.free = at;
            }
        }
        self.used = used;
        let edges = |entry: &Entry| [entry.first, entry.second, entry.third & ((1 << 29) - 1), entry.result];
        for entry in self.results.iter_mut().filter(|entry| entry.first != NOTHING) {
            if !edges(entry).into_iter().all(|edge| lives(edge >> 1)) {
                *entry = EMPTY;
            }
        }
    }
}
