//! Several diagrams on their way to another store: one list of nodes, in which what they have in common is once.
//!
//! Bytes, in groups of seven bits: how many nodes; each node, those below first, as variable, high and low edge; how many
//! diagrams; their edges. An edge is twice a number, plus one for "not"; number 0 is the constant true, others count the
//! nodes from 1. Unpacking is one operation of the store that makes each node from two that are there already, without a
//! search. Cost: one step a node.

use fxhash::FxHashMap;

use super::Trouble;
use super::bdd::{Bdd, Store};
use super::nodes::{Edge, Failed, TRUE, Table};
use crate::base::numbers::{Numbers, push_number};

/// The bytes of diagrams of one store, for `Store::unpack` of a store with the same order.
pub fn pack<'b>(diagrams: impl Iterator<Item = &'b Bdd> + Clone) -> Vec<u8> {
    let mut bytes = Vec::new();
    let Some(first) = diagrams.clone().next() else {
        return vec![0, 0];
    };
    let table = first.core.table.borrow();
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    numbers.insert(0, 0);
    let mut body = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    for diagram in diagrams.clone() {
        open.push(diagram.edge >> 1);
        while let Some(&here) = open.last() {
            if numbers.contains_key(&here) {
                open.pop();
                continue;
            }
            let (high, low) = table.branches(here << 1);
            match (numbers.get(&(high >> 1)), numbers.get(&(low >> 1))) {
                (Some(&h), Some(&l)) => {
                    push_number(&mut body, u64::from(table.variable(here << 1)));
                    push_number(&mut body, u64::from(h << 1 | high & 1));
                    push_number(&mut body, u64::from(l << 1 | low & 1));
                    numbers.insert(here, numbers.len() as u32);
                    open.pop();
                }
                _ => open.extend([high >> 1, low >> 1]),
            }
        }
    }
    push_number(&mut bytes, numbers.len() as u64 - 1);
    bytes.append(&mut body);
    push_number(&mut bytes, diagrams.clone().count() as u64);
    for diagram in diagrams {
        push_number(&mut bytes, u64::from(numbers[&(diagram.edge >> 1)] << 1 | diagram.edge & 1));
    }
    bytes
}

impl Store {
    /// The diagrams that `pack` wrote; none where the bytes are not such.
    pub fn unpack(&self, bytes: &[u8]) -> Result<Option<Vec<Bdd>>, Trouble> {
        let edges = self.core.run(|table| unpacked(table, self.variables(), bytes))?;
        Ok(edges.map(|edges| edges.into_iter().map(|edge| self.core.hold(edge)).collect()))
    }
}

fn unpacked(table: &mut Table, variables: u32, bytes: &[u8]) -> Result<Option<Vec<Edge>>, Failed> {
    let mut numbers = Numbers::new(bytes);
    let mut made: Vec<Edge> = vec![TRUE];
    let edge_of = |made: &[Edge], number: u64| {
        made.get((number >> 1) as usize).map(|&edge| edge ^ (number & 1) as Edge)
    };
    let Some(count) = numbers.next() else { return Ok(None) };
    for _ in 0..count {
        let (Some(variable), Some(high), Some(low)) = (numbers.next(), numbers.next(), numbers.next()) else {
            return Ok(None);
        };
        let (Some(high), Some(low)) = (edge_of(&made, high), edge_of(&made, low)) else { return Ok(None) };
        let before = |edge: Edge| u64::from(table.variable(edge)) > variable;
        if variable >= u64::from(variables) || !before(high) || !before(low) {
            return Ok(None);
        }
        made.push(table.make(variable as u32, high, low)?);
    }
    let Some(count) = numbers.next() else { return Ok(None) };
    let mut roots = Vec::new();
    for _ in 0..count {
        let Some(edge) = numbers.next().and_then(|number| edge_of(&made, number)) else { return Ok(None) };
        roots.push(edge);
    }
    Ok(numbers.is_empty().then_some(roots))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::prng::Prng;

    #[test]
    fn diagrams_come_back_in_another_store_together() {
        let (here, there) = (Store::new(8, 1 << 22), Store::new(8, 1 << 22));
        let mut prng = Prng::new(7);
        let mut some = vec![here.truth(), here.falsity()];
        for _ in 0..40 {
            let literals: Vec<(u32, bool)> =
                (0..3).map(|_| (prng.below(8) as u32, prng.below(2) == 0)).collect();
            let cube = here.cube(&literals).unwrap();
            let last = some[prng.index(some.len())].clone();
            some.push(if prng.below(2) == 0 { last.or(&cube) } else { last.minus(&cube) }.unwrap());
        }
        let bytes = pack(some.iter());
        let back = there.unpack(&bytes).unwrap().expect("bytes of diagrams");
        assert_eq!(back.len(), some.len());
        for (made, back) in some.iter().zip(&back) {
            for valuation in 0..256u32 {
                let bit = |number: u32| valuation >> number & 1 == 1;
                assert_eq!(made.holds(bit), back.holds(bit));
            }
            assert_eq!(made.bytes(), back.bytes());
        }
        assert_eq!(there.unpack(&pack([].iter())).unwrap(), Some(Vec::new()));
        for cut in 0..bytes.len() {
            assert!(there.unpack(&bytes[..cut]).unwrap().is_none(), "cut at {cut}");
        }
        assert!(there.unpack(&[1, 9, 0, 1, 0]).unwrap().is_none(), "a variable that is not there");
        assert!(there.unpack(&[1, 0, 4, 1, 0]).unwrap().is_none(), "a node that is not there");
        assert!(there.unpack(&[2, 3, 0, 1, 5, 2, 1, 0]).unwrap().is_none(), "an earlier variable below");
    }
}
