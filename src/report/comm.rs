//! The figures of `comm-check`, as text.

use super::table::Table;

/// A measured pair of ranks.
pub struct Pair {
    pub low: u32,
    pub high: u32,
    pub latency_us: f64,
    pub low_to_high_mb_s: f64,
    pub high_to_low_mb_s: f64,
}

/// Above this many ranks a matrix does not fit on a screen, and only the extremes are told.
const MATRIX_RANKS_MAX: u32 = 16;
const WORST_PAIRS: usize = 5;

/// Latency above the diagonal, rate below it would save paper and cost understanding: two matrices.
pub fn pairs(ranks: u32, pairs: &[Pair]) -> String {
    if pairs.is_empty() {
        return "One rank: there is no pair to measure.\n".to_string();
    }
    if ranks > MATRIX_RANKS_MAX {
        return extremes(pairs);
    }
    let find = |a: u32, b: u32| pairs.iter().find(|p| (p.low, p.high) == (a.min(b), a.max(b)));
    let mut out = String::from("Latency, one way, in microseconds:\n");
    let head = || std::iter::once("from \\ to".to_string()).chain((0..ranks).map(|r| r.to_string()));
    let mut latency = Table::new(head());
    let mut rate = Table::new(head());
    for from in 0..ranks {
        let row = |cell: &dyn Fn(&Pair) -> f64| {
            let cells = (0..ranks).map(|to| match find(from, to).filter(|_| from != to) {
                Some(pair) => format!("{:.1}", cell(pair)),
                None => "–".to_string(),
            });
            std::iter::once(from.to_string()).chain(cells).collect::<Vec<_>>()
        };
        latency.row(row(&|pair| pair.latency_us));
        rate.row(row(&|pair| if from == pair.low { pair.low_to_high_mb_s } else { pair.high_to_low_mb_s }));
    }
    out += &latency.render();
    out += "\nRate in 32 KiB batches, in MB/s:\n";
    out += &rate.render();
    out
}

fn extremes(pairs: &[Pair]) -> String {
    let mut by_latency: Vec<&Pair> = pairs.iter().collect();
    by_latency.sort_by(|a, b| a.latency_us.total_cmp(&b.latency_us));
    let rate = |pair: &Pair| pair.low_to_high_mb_s.min(pair.high_to_low_mb_s);
    let mut by_rate: Vec<&Pair> = pairs.iter().collect();
    by_rate.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
    let mut table = Table::new(["", "least", "median", "most"]);
    let row = |name: &str, sorted: &[&Pair], value: &dyn Fn(&Pair) -> f64| {
        let at = |index: usize| format!("{:.1}", value(sorted[index]));
        [name.to_string(), at(0), at(sorted.len() / 2), at(sorted.len() - 1)]
    };
    table.row(row("latency, one way (us)", &by_latency, &|pair| pair.latency_us));
    table.row(row("rate, slower way (MB/s)", &by_rate, &rate));
    let out = format!("{} pairs of ranks:\n{}\nThe slowest pairs:\n", pairs.len(), table.render());
    let mut worst = Table::new(["ranks", "latency (us)", "MB/s"]);
    for pair in by_latency.iter().rev().take(WORST_PAIRS).chain(by_rate.iter().take(WORST_PAIRS)) {
        let ranks = format!("{}–{}", pair.low, pair.high);
        worst.row([ranks, format!("{:.1}", pair.latency_us), format!("{:.1}", rate(pair))]);
    }
    out + &worst.render()
}
