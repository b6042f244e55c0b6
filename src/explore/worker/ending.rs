//! The end of a rank's search: what follows it, the ways to what was found, and the figures.

use super::Worker;
use crate::base::wire;
use crate::comm::{Op, collective};
use crate::exchange::Exchange;
use crate::explore::numbers::Known;
use crate::explore::sequel::{Sequel, Stage};
use crate::explore::settings::Outcome;
use crate::explore::store::{Exact, Store};
use crate::explore::trace;
use crate::host::memory;
use crate::verdict::figures::RankFigures;

impl Worker<'_, '_> {
    /// Runs the sequel on all ranks, if all of them saw the search through.
    pub(super) fn go_on(&mut self, exchange: &mut Exchange<'_>, sequel: &mut dyn Sequel) {
        let ended = self.stopping || self.director.as_mut().is_some_and(|director| director.enough());
        if exchange.tally(Op::Sum, &[i64::from(ended)])[0] > 0 {
            return;
        }
        // Every state was seen: nobody asks any more whether one is new.
        if !self.numbers.wanted() {
            self.forget_states();
        }
        let (asked, begun, limits) = (self.outside.stop, self.begun, &self.settings.limits);
        let stop = move || match asked() {
            true => Some(super::STOPPED.to_string()),
            false => limits.out_of_time(begun),
        };
        let mut stage = Stage {
            exchange,
            steps: &mut *self.steps,
            owners: &self.settings.owners,
            log: &mut self.log,
            known: Known { store: &self.store, numbers: &self.numbers },
            memory_bytes: limits.store_bytes,
            findings: Vec::new(),
            stop: &stop,
        };
        sequel.run(&mut stage);
        if let Some(director) = &mut self.director {
            director.findings.append(&mut stage.findings);
        }
        self.figures.peak_bytes = memory::peak_bytes();
    }

    /// Gives the store's memory back.
    fn forget_states(&mut self) {
        self.store = Store::Exact(Exact::new(self.words, 0));
    }

    /// Rebuilds the ways to the findings and gathers the figures.
    pub(super) fn finish(mut self, exchange: &mut Exchange<'_>) -> Option<Outcome> {
        // What tells of the search needs parts of the program that have not been in memory before.
        self.forget_states();
        let mut findings = Vec::new();
        let mut halt = None;
        if let Some(director) = self.director.take() {
            findings = director.findings;
            halt = director.halt;
        }
        let paths = trace::paths(exchange, &mut self.log, &findings);
        let parts =
            collective::gather(exchange.comm(), wire::encode(&(&self.figures, paths.as_ref().err())))?;
        let mut ranks = Vec::new();
        for part in parts {
            let (figures, failure): (RankFigures, Option<String>) =
                wire::decode(&part).expect("figures decode");
            ranks.push(figures);
            halt = halt.or(failure);
        }
        let paths = paths.unwrap_or_default();
        Some(Outcome { findings: findings.into_iter().zip(paths).collect(), halt, ranks })
    }

    pub(super) fn close_figures(&mut self, exchange: &mut Exchange<'_>) {
        let covered = self.steps.covered();
        let figures = &mut self.figures;
        let counts = exchange.counts();
        (figures.batches_sent, figures.bytes_sent) = (counts.batches_sent, counts.bytes_sent);
        figures.set_digest(self.digest);
        figures.frontier_most = self.frontier.len_most().max(self.next.len_most());
        figures.spool_bytes_most = self.frontier.spool_bytes().1 + self.next.spool_bytes().1;
        figures.store_bytes = self.store.bytes();
        figures.omission_bound = self.store.omission_bound() + self.recent.omission_bound(figures.states);
        figures.peak_bytes = memory::peak_bytes();
        figures.fired_by_rule = self.steps.fired_by_rule().to_vec();
        figures.new_by_rule = self.steps.instances().sums_by_rule(&self.new_by_instance);
        figures.tallies = self.observers.iter().map(|observer| observer.tally()).collect();
        figures.covered_properties = covered.properties;
        figures.covered_statements = covered.statements;
    }
}
