//! Which nodes of a store a walk has met.
//!
//! Diagrams are walked often, to count their nodes before and after they are joined, and most are small beside the store. A
//! walk has a number, and each node the number of the last walk that met it, so that beginning a walk costs nothing and
//! meeting a node is one look. Cost: four bytes for each place of a node.

#[derive(Default)]
pub struct Marks {
    walk: u32,
    /// The last walk that met each node.
    met: Vec<u32>,
}

impl Marks {
    /// A walk begins in a store with so many places.
    pub fn begin(&mut self, places: usize) {
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.met.fill(0);
            self.walk = 1;
        }
        if self.met.len() < places {
            self.met.resize(places.next_power_of_two(), 0);
        }
    }

    /// Whether this walk meets a node for the first time.
    pub fn is_first(&mut self, at: u32) -> bool {
        std::mem::replace(&mut self.met[at as usize], self.walk) != self.walk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_knows_nothing_of_those_before() {
        let mut marks = Marks { walk: u32::MAX - 2, met: Vec::new() };
        for places in [1, 5, 5, 9, 3] {
            marks.begin(places);
            for at in 0..places as u32 {
                assert!(marks.is_first(at));
                assert!(!marks.is_first(at));
            }
        }
    }
}
