//! Operations on decision diagrams: one walk over pairs or triples of functions each, every pair once where results
//! are still known.
//!
//! Images are one walk, too: variables 2b and 2b + 1 are bit b before and after a step, so that what stands for a bit
//! after can take the place of the same bit before on the way up. A set of variables is their conjunction.
//!
//! Every walk goes on to later variables, so it is as deep as there are variables. Published: R. E. Bryant,
//! "Graph-based algorithms for Boolean function manipulation", 1986; quantifying while conjoining: Burch, Clarke, Long,
//! "Symbolic model checking with partitioned transition relations", 1991.

use super::nodes::{Edge, FALSE, Failed, NO_VARIABLE, Operation, TRUE, Table};

type Made = Result<Edge, Failed>;

impl Table {
    pub fn and(&mut self, f: Edge, g: Edge) -> Made {
        if f == g || g == TRUE {
            return Ok(f);
        }
        if f == TRUE {
            return Ok(g);
        }
        if f == FALSE || g == FALSE || f == g ^ 1 {
            return Ok(FALSE);
        }
        let (f, g) = (f.min(g), f.max(g));
        if let Some(known) = self.known(Operation::And, f, g, 0)? {
            return Ok(known);
        }
        let variable = self.variable(f).min(self.variable(g));
        let ((f1, f0), (g1, g0)) = (self.split(f, variable), self.split(g, variable));
        let (high, low) = (self.and(f1, g1)?, self.and(f0, g0)?);
        let made = self.make(variable, high, low)?;
        Ok(self.remember(Operation::And, (f, g, 0), made))
    }

    pub fn or(&mut self, f: Edge, g: Edge) -> Made {
        Ok(self.and(f ^ 1, g ^ 1)? ^ 1)
    }

    pub fn xor(&mut self, f: Edge, g: Edge) -> Made {
        let negated = (f ^ g) & 1;
        let (f, g) = (f & !1, g & !1);
        let (f, g) = (f.min(g), f.max(g));
        if f == g {
            return Ok(FALSE ^ negated);
        }
        if f == TRUE {
            return Ok(g ^ 1 ^ negated);
        }
        if let Some(known) = self.known(Operation::Xor, f, g, 0)? {
            return Ok(known ^ negated);
        }
        let variable = self.variable(f).min(self.variable(g));
        let ((f1, f0), (g1, g0)) = (self.split(f, variable), self.split(g, variable));
        let (high, low) = (self.xor(f1, g1)?, self.xor(f0, g0)?);
        let made = self.make(variable, high, low)?;
        Ok(self.remember(Operation::Xor, (f, g, 0), made) ^ negated)
    }

    /// `g` where `f` holds, `h` elsewhere.
    pub fn if_then_else(&mut self, f: Edge, g: Edge, h: Edge) -> Made {
        if f == TRUE || g == h {
            return Ok(g);
        }
        if f == FALSE {
            return Ok(h);
        }
        if g == TRUE || g == f {
            return self.or(f, h);
        }
        if g == FALSE || g == f ^ 1 {
            return self.and(f ^ 1, h);
        }
        if h == FALSE || h == f {
            return self.and(f, g);
        }
        if h == TRUE || h == f ^ 1 {
            return self.or(f ^ 1, g);
        }
        let (f, g, h) = if f & 1 == 1 { (f ^ 1, h, g) } else { (f, g, h) };
        let negated = g & 1;
        let (g, h) = (g ^ negated, h ^ negated);
        if let Some(known) = self.known(Operation::IfThenElse, f, g, h)? {
            return Ok(known ^ negated);
        }
        let variable = self.variable(f).min(self.variable(g)).min(self.variable(h));
        let (f1, f0) = self.split(f, variable);
        let ((g1, g0), (h1, h0)) = (self.split(g, variable), self.split(h, variable));
        let (high, low) = (self.if_then_else(f1, g1, h1)?, self.if_then_else(f0, g0, h0)?);
        let made = self.make(variable, high, low)?;
        Ok(self.remember(Operation::IfThenElse, (f, g, h), made) ^ negated)
    }

    /// What is left of a set of variables from a variable on.
    fn from(&self, mut set: Edge, variable: u32) -> Edge {
        while self.variable(set) < variable {
            set = self.branches(set).0;
        }
        set
    }

    pub fn exists(&mut self, f: Edge, set: Edge) -> Made {
        let variable = self.variable(f);
        let set = self.from(set, variable);
        if variable == NO_VARIABLE || set == TRUE {
            return Ok(f);
        }
        if let Some(known) = self.known(Operation::Exists, f, set, 0)? {
            return Ok(known);
        }
        let (f1, f0) = self.branches(f);
        let made = if self.variable(set) == variable {
            let rest = self.branches(set).0;
            match self.exists(f1, rest)? {
                TRUE => TRUE,
                high => {
                    let low = self.exists(f0, rest)?;
                    self.or(high, low)?
                }
            }
        } else {
            let (high, low) = (self.exists(f1, set)?, self.exists(f0, set)?);
            self.make(variable, high, low)?
        };
        Ok(self.remember(Operation::Exists, (f, set, 0), made))
    }

    pub fn and_exists(&mut self, f: Edge, g: Edge, set: Edge) -> Made {
        if f == FALSE || g == FALSE || f == g ^ 1 {
            return Ok(FALSE);
        }
        if f == TRUE || f == g {
            return self.exists(g, set);
        }
        if g == TRUE {
            return self.exists(f, set);
        }
        let (f, g) = (f.min(g), f.max(g));
        let variable = self.variable(f).min(self.variable(g));
        let set = self.from(set, variable);
        if set == TRUE {
            return self.and(f, g);
        }
        if let Some(known) = self.known(Operation::AndExists, f, g, set)? {
            return Ok(known);
        }
        let ((f1, f0), (g1, g0)) = (self.split(f, variable), self.split(g, variable));
        let made = if self.variable(set) == variable {
            let rest = self.branches(set).0;
            match self.and_exists(f1, g1, rest)? {
                TRUE => TRUE,
                high => {
                    let low = self.and_exists(f0, g0, rest)?;
                    self.or(high, low)?
                }
            }
        } else {
            let (high, low) = (self.and_exists(f1, g1, set)?, self.and_exists(f0, g0, set)?);
            self.make(variable, high, low)?
        };
        Ok(self.remember(Operation::AndExists, (f, g, set), made))
    }

    /// The states after steps from states of `f`; `set` has the bits that may be written, before the step.
    pub fn after(&mut self, f: Edge, steps: Edge, set: Edge) -> Made {
        self.image(Operation::After, f, steps, set)
    }

    /// The states from which steps lead to states of `f`.
    pub fn before(&mut self, f: Edge, steps: Edge, set: Edge) -> Made {
        self.image(Operation::Before, f, steps, set)
    }

    fn image(&mut self, way: Operation, f: Edge, steps: Edge, set: Edge) -> Made {
        if f == FALSE || steps == FALSE {
            return Ok(FALSE);
        }
        if steps == TRUE {
            return self.exists(f, set);
        }
        let now = self.variable(f).min(self.variable(steps)) & !1;
        let set = self.from(set, now);
        if set == TRUE {
            return self.and(f, steps);
        }
        if let Some(known) = self.known(way, f, steps, set)? {
            return Ok(known);
        }
        let ((f1, f0), (s1, s0)) = (self.split(f, now), self.split(steps, now));
        let made = if self.variable(set) == now {
            let rest = self.branches(set).0;
            let ((s11, s10), (s01, s00)) = (self.split(s1, now + 1), self.split(s0, now + 1));
            // High and low are of the bit after for images forward, and of the bit before for images backward.
            let (high, low) = match way {
                Operation::After => ([(f1, s11), (f0, s01)], [(f1, s10), (f0, s00)]),
                _ => ([(f1, s11), (f0, s10)], [(f1, s01), (f0, s00)]),
            };
            let made_high = self.either_image(way, high, rest)?;
            let made_low = if high == low { made_high } else { self.either_image(way, low, rest)? };
            self.make(now, made_high, made_low)?
        } else {
            let high = self.image(way, f1, s1, set)?;
            let low = self.image(way, f0, s0, set)?;
            self.make(now, high, low)?
        };
        Ok(self.remember(way, (f, steps, set), made))
    }

    fn either_image(&mut self, way: Operation, pairs: [(Edge, Edge); 2], set: Edge) -> Made {
        let first = self.image(way, pairs[0].0, pairs[0].1, set)?;
        if first == TRUE || pairs[0] == pairs[1] {
            return Ok(first);
        }
        let second = self.image(way, pairs[1].0, pairs[1].1, set)?;
        self.or(first, second)
    }

    /// Whether two functions hold somewhere together. Makes no node.
    pub fn meet(&mut self, f: Edge, g: Edge) -> Result<bool, Failed> {
        if f == FALSE || g == FALSE || f == g ^ 1 {
            return Ok(false);
        }
        if f == g || f == TRUE || g == TRUE {
            return Ok(true);
        }
        let (f, g) = (f.min(g), f.max(g));
        if let Some(known) = self.known(Operation::Meet, f, g, 0)? {
            return Ok(known == TRUE);
        }
        let variable = self.variable(f).min(self.variable(g));
        let ((f1, f0), (g1, g0)) = (self.split(f, variable), self.split(g, variable));
        let meet = self.meet(f1, g1)? || self.meet(f0, g0)?;
        self.remember(Operation::Meet, (f, g, 0), if meet { TRUE } else { FALSE });
        Ok(meet)
    }
}
