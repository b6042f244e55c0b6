//! Fair cycles in a graph whose states and steps keep promises, by strongly connected components.
//!
//! In: a finite graph; for each state the promises that are due there and those kept there, for each edge those it
//! keeps; a set of states to stay in. Out: a component in which every promise that is due is kept, and a closed
//! walk in it that keeps them all. Staying where one is needs no edge: a single state is a component.
//!
//! The classical decomposition for strong fairness (Emerson and Lei; Lichtenstein and Pnueli): a component that does
//! not keep a promise cannot be used where the promise is due; without those states it falls into smaller
//! components, which are tried in turn. It ends because sets shrink. Cost: (states + edges) × promises at worst.

use crate::ir::promise::{join, within};

/// A graph with promises; edges are grouped by the state they leave, in the order of states.
#[derive(Clone, Debug, Default)]
pub struct FairGraph {
    /// Words of one set of promises.
    pub words: usize,
    /// `words` for each state.
    pub due: Vec<u64>,
    pub kept: Vec<u64>,
    /// Where the edges of each state begin, and the number of all.
    pub firsts: Vec<usize>,
    pub targets: Vec<u32>,
    /// What an edge is called, for whoever made the graph.
    pub steps: Vec<u32>,
    /// `words` for each edge.
    pub taken: Vec<u64>,
}

impl FairGraph {
    pub fn new(words: usize) -> FairGraph {
        FairGraph { words, firsts: vec![0], ..FairGraph::default() }
    }

    pub fn states(&self) -> usize {
        self.firsts.len() - 1
    }

    pub fn edges(&self, state: u32) -> std::ops::Range<usize> {
        self.firsts[state as usize]..self.firsts[state as usize + 1]
    }

    fn due(&self, state: u32) -> &[u64] {
        &self.due[state as usize * self.words..][..self.words]
    }

    fn kept(&self, state: u32) -> &[u64] {
        &self.kept[state as usize * self.words..][..self.words]
    }

    fn taken(&self, edge: usize) -> &[u64] {
        &self.taken[edge * self.words..][..self.words]
    }

    /// A component within `inside` that keeps every promise that is due in it.
    pub fn fair_component(&self, inside: &[bool]) -> Option<Vec<u32>> {
        // Which set a state is in now; 0 is none.
        let mut set_of: Vec<u32> = inside.iter().map(|&inside| u32::from(inside)).collect();
        let mut next = 2;
        let all = (0..self.states() as u32).filter(|&state| inside[state as usize]).collect();
        let mut open: Vec<(u32, Vec<u32>)> = vec![(1, all)];
        while let Some((set, states)) = open.pop() {
            for component in components(self, &set_of, set, &states) {
                component.iter().for_each(|&state| set_of[state as usize] = next);
                let broken = self.broken(&component, &set_of, next);
                if broken.iter().all(|&word| word == 0) {
                    return Some(component);
                }
                let usable =
                    |state: &u32| self.due(*state).iter().zip(&broken).all(|(due, broken)| due & broken == 0);
                let (rest, lost): (Vec<u32>, Vec<u32>) = component.into_iter().partition(usable);
                lost.iter().for_each(|&state| set_of[state as usize] = 0);
                if !rest.is_empty() {
                    open.push((next, rest));
                }
                next += 1;
            }
        }
        None
    }

    /// The promises that are due in a component and not kept in it.
    fn broken(&self, component: &[u32], set_of: &[u32], set: u32) -> Vec<u64> {
        let (mut due, mut kept) = (vec![0; self.words], vec![0; self.words]);
        for &state in component {
            join(&mut due, self.due(state));
            join(&mut kept, self.kept(state));
            for edge in self.edges(state) {
                if set_of[self.targets[edge] as usize] == set {
                    join(&mut kept, self.taken(edge));
                }
            }
        }
        due.iter().zip(&kept).map(|(due, kept)| due & !kept).collect()
    }

    /// A walk in a fair component from `entry` back to it that keeps every promise due on the way: its edges.
    pub fn fair_walk(&self, component: &[u32], entry: u32) -> Vec<usize> {
        let mut inside = vec![false; self.states()];
        component.iter().for_each(|&state| inside[state as usize] = true);
        let (mut due, mut kept) = (self.due(entry).to_vec(), self.kept(entry).to_vec());
        let (mut at, mut walk) = (entry, Vec::new());
        loop {
            let broken = due.iter().zip(&kept).position(|(due, kept)| due & !kept != 0);
            let part = match broken {
                None if at == entry => return walk,
                None => self.way(&inside, at, |edge| self.targets[edge] == entry),
                Some(word) => {
                    let wanted = (due[word] & !kept[word]).trailing_zeros();
                    let keeps = |bits: &[u64]| bits[word] >> wanted & 1 != 0;
                    self.way(&inside, at, |edge| {
                        keeps(self.taken(edge)) || keeps(self.kept(self.targets[edge]))
                    })
                }
            };
            for &edge in &part {
                at = self.targets[edge];
                join(&mut due, self.due(at));
                join(&mut kept, self.kept(at));
                join(&mut kept, self.taken(edge));
            }
            assert!(!part.is_empty(), "a fair component keeps what is due in it");
            walk.extend(part);
        }
    }

    /// A shortest way inside from `from` whose last edge is wanted; empty where there is none.
    pub fn way(&self, inside: &[bool], from: u32, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let mut came_by = vec![NONE; self.states()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for edge in self.edges(state) {
                let to = self.targets[edge];
                if !inside[to as usize] {
                    continue;
                }
                if wanted(edge) {
                    return self.walk_back(&came_by, from, state, edge);
                }
                if to != from && came_by[to as usize] == NONE {
                    came_by[to as usize] = edge;
                    queue.push_back(to);
                }
            }
        }
        Vec::new()
    }

    fn walk_back(&self, came_by: &[usize], from: u32, last: u32, edge: usize) -> Vec<usize> {
        let mut way = vec![edge];
        let mut at = last;
        while at != from {
            let edge = came_by[at as usize];
            way.push(edge);
            at = self.firsts.partition_point(|&first| first <= edge) as u32 - 1;
        }
        way.reverse();
        way
    }

    /// Whether a closed walk through `entry` keeps what is due on it.
    pub fn is_fair_walk(&self, entry: u32, walk: &[usize]) -> bool {
        let (mut due, mut kept) = (self.due(entry).to_vec(), self.kept(entry).to_vec());
        for &edge in walk {
            join(&mut due, self.due(self.targets[edge]));
            join(&mut kept, self.kept(self.targets[edge]));
            join(&mut kept, self.taken(edge));
        }
        within(&due, &kept)
    }
}

/// The strongly connected components of one set of states: Tarjan's algorithm with its own stack.
fn components(graph: &FairGraph, set_of: &[u32], set: u32, states: &[u32]) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let mut place = std::collections::HashMap::with_capacity(states.len());
    states.iter().enumerate().for_each(|(at, &state)| {
        place.insert(state, at);
    });
    let (mut index, mut low) = (vec![NEW; states.len()], vec![NEW; states.len()]);
    let mut on_stack = vec![false; states.len()];
    let (mut stack, mut calls) = (Vec::new(), Vec::new());
    let (mut count, mut found) = (0u32, Vec::new());
    for root in 0..states.len() {
        if index[root] != NEW {
            continue;
        }
        calls.push((root, graph.edges(states[root]).start));
        while let Some((at, edge)) = calls.pop() {
            if index[at] == NEW {
                (index[at], low[at]) = (count, count);
                count += 1;
                stack.push(at);
                on_stack[at] = true;
            }
            if edge < graph.edges(states[at]).end {
                calls.push((at, edge + 1));
                let to = graph.targets[edge];
                if set_of[to as usize] != set {
                    continue;
                }
                let to_at = place[&to];
                if index[to_at] == NEW {
                    calls.push((to_at, graph.edges(to).start));
                } else if on_stack[to_at] {
                    low[at] = low[at].min(index[to_at]);
                }
                continue;
            }
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[at]);
            }
            if low[at] == index[at] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    component.push(states[member]);
                    if member == at {
                        break;
                    }
                }
                found.push(component);
            }
        }
    }
    found
}
