//! A result for people: the figures, each check, and violations told as a story.

use super::compare;
use super::document::Document;
use super::table::Table;
use crate::base::size;
use crate::verdict::figures::{CheckedBy, FreedomFigures, ProofFigures, RankFigures};
use crate::verdict::{Change, Check, CheckKind, Ending, Lasso, Trace, TraceStep, Verdict};

/// The whole result.
pub fn result(document: &Document) -> String {
    let mut out = figures(document);
    out.push('\n');
    out += &checks(document);
    for check in &document.checks {
        if let Some(trace) = &check.trace {
            out.push('\n');
            out += &story(check, trace);
        }
        if let Some(lasso) = &check.lasso {
            out.push('\n');
            out += &endless(check, lasso);
        }
    }
    if !document.responses.is_empty() {
        out.push('\n');
        out += &responses(document);
    }
    if let Some(freedom) = &document.deadlock_freedom {
        out.push('\n');
        out += &deadlock_freedom(freedom);
    }
    if let Some(figures) = &document.proof {
        out.push('\n');
        out += &proof(figures);
    }
    if !document.published.is_empty() {
        out.push('\n');
        out += &compare::text(&document.published);
    }
    out.push('\n');
    out += &verdict(document);
    out
}

/// The last line: what it all comes to.
pub fn verdict(document: &Document) -> String {
    let count = |verdict: Verdict| document.checks.iter().filter(|check| check.verdict == verdict).count();
    let reason = document.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    match document.verdict {
        Verdict::Holds => format!("holds: {} of {} checks\n", count(Verdict::Holds), document.checks.len()),
        Verdict::Violated => {
            format!("VIOLATED: {} of {} checks{reason}\n", count(Verdict::Violated), document.checks.len())
        }
        Verdict::Unknown => format!("unknown{reason}\n"),
        Verdict::Error => format!("error{reason}\n"),
    }
}

/// How the certificate of a proof was checked.
fn certificate(figures: &ProofFigures) -> String {
    let Some(check) = &figures.certificate else { return String::new() };
    let seconds = check.seconds;
    match (check.by, check.views) {
        (CheckedBy::Enumeration, views) => {
            let views = size::count(views.unwrap_or_default());
            format!(", and its certificate by enumeration in {seconds:.2} s: {views} views")
        }
        (CheckedBy::Sets, _) => {
            let nodes = size::count(check.nodes);
            format!(
                ", and its certificate symbolically, without the engine, in {seconds:.2} s: {nodes} nodes"
            )
        }
        (CheckedBy::Engine, _) => {
            let why = check.reason.as_deref().unwrap_or("not asked for");
            format!(", but only by the engine itself: the certificate was not checked ({why})")
        }
    }
}

/// A proof round by round.
fn proof(figures: &ProofFigures) -> String {
    const NAMED_MAX: usize = 4;
    let mut table =
        Table::new(["round", "predicates", "computed", "nodes", "turns", "seconds", "left open", "added"]);
    for (at, round) in figures.rounds.iter().enumerate() {
        let mut added: Vec<String> = round.added.iter().take(NAMED_MAX).cloned().collect();
        if round.added.len() > NAMED_MAX {
            added.push(format!("and {} more", round.added.len() - NAMED_MAX));
        }
        table.row([
            at.to_string(),
            round.predicates.to_string(),
            (figures.components - round.transparent - round.copied).to_string(),
            size::count(round.nodes),
            round.turns.to_string(),
            format!("{:.2}", round.seconds),
            round.open.first().cloned().unwrap_or_default(),
            added.join("; "),
        ]);
    }
    let rechecked = match figures.recheck_seconds {
        Some(seconds) => format!("The proof was checked anew in {seconds:.2} s{}.\n", certificate(figures)),
        None => String::new(),
    };
    format!(
        "Proof by {} components, method {}:\n{}{rechecked}",
        figures.components,
        figures.method,
        table.render()
    )
}

fn figures(document: &Document) -> String {
    let mut table = Table::new([""; 0]);
    let mut row = |name: &str, value: String| table.row([name.to_string(), value]);
    let constants: Vec<String> =
        document.constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if let Some(title) = &document.title {
        row("job", title.clone());
    }
    row("model", document.model.clone());
    if !constants.is_empty() {
        row("constants", constants.join(", "));
    }
    let note = document.symmetry_note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
    let symmetry = format!("{}{note}", document.symmetry);
    row("search", format!("{}, symmetry {symmetry}, {}", document.engine, ranks(document.ranks)));
    // A proof, and walks that come before one, have no states to count.
    if document.proof.is_some() || document.states == 0 {
        row("time", format!("{:.2} s", document.seconds));
    } else {
        row("states", at_least(document.states));
        row("rules fired", at_least(document.rules_fired));
        if let Some(levels) = document.levels.filter(|&levels| levels > 0) {
            row("levels", size::count(levels));
        }
        let rate = (document.states as f64 / document.seconds.max(1e-9)) as u64;
        let known = document.states < u64::MAX;
        let rate = if known { format!(", {} states/s", size::count(rate)) } else { String::new() };
        row("time", format!("{:.2} s{rate}", document.seconds));
    }
    if let Some(peak) = document.peak_bytes.iter().max() {
        let store = document.store_bytes_per_state;
        let store = store.map_or(String::new(), |bytes| format!(", {bytes:.1} bytes a state in the store"));
        row("memory", format!("{} at most on a rank{store}", size::format(*peak)));
    }
    if document.omission_bound > 0.0 {
        row("omission", format!("a state was missed with probability below {:.1e}", document.omission_bound));
    }
    if document.ranks > 1 && !document.rank_figures.is_empty() {
        row("messages", traffic(document));
    }
    table.render()
}

/// A count; diagrams may have more states than the largest number says.
fn at_least(number: u64) -> String {
    let more = if number == u64::MAX { "at least " } else { "" };
    format!("{more}{}", size::count(number))
}

/// How much travelled, and how evenly the work was spread.
fn traffic(document: &Document) -> String {
    let ranks = &document.rank_figures;
    let sum = |of: fn(&RankFigures) -> u64| ranks.iter().map(of).sum::<u64>() as f64;
    let states = document.states.max(1) as f64;
    let expanded = sum(|rank| rank.expanded).max(1.0);
    let most = ranks.iter().map(|rank| rank.expanded).max().unwrap_or(0) as f64;
    format!(
        "{:.3} a state, {:.0} % of successors remote, {} lent, imbalance {:.2}, {} spooled",
        sum(|rank| rank.batches_sent) / states,
        100.0 * sum(|rank| rank.successors_remote) / sum(|rank| rank.successors).max(1.0),
        size::count(sum(|rank| rank.borrowed) as u64),
        most * ranks.len() as f64 / expanded,
        size::format(ranks.iter().map(|rank| rank.spool_bytes_most).sum()),
    )
}

/// Each rule, most fired first, and those that never fired by name.
pub fn profile(document: &Document) -> String {
    let mut rules: Vec<_> = document.rules.iter().collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.fired));
    let mut table = Table::new(["rule", "fired", "new states", "new/fired"]);
    for rule in rules.iter().filter(|rule| rule.fired > 0) {
        let share = format!("{:.3}", rule.new_states as f64 / rule.fired as f64);
        table.row([rule.rule.clone(), size::count(rule.fired), size::count(rule.new_states), share]);
    }
    let never: Vec<&str> =
        rules.iter().filter(|rule| rule.fired == 0).map(|rule| rule.rule.as_str()).collect();
    let never = if never.is_empty() { String::new() } else { format!("never fired: {}\n", never.join(", ")) };
    format!("{}{never}\n", table.render())
}

fn ranks(ranks: u32) -> String {
    if ranks == 1 { "1 rank".to_string() } else { format!("{ranks} ranks") }
}

fn checks(document: &Document) -> String {
    let mut table = Table::new([""; 0]);
    for check in &document.checks {
        let verdict = match check.verdict {
            Verdict::Holds => "holds",
            Verdict::Violated => "VIOLATED",
            Verdict::Unknown => "unknown",
            Verdict::Error => "error",
        };
        table.row([subject(check), verdict.to_string(), check.reason.clone().unwrap_or_default()]);
    }
    table.render()
}

/// What was checked, in words.
pub fn subject(check: &Check) -> String {
    match check.kind {
        CheckKind::Invariant => format!("invariant \"{}\"", check.name),
        CheckKind::Cover => format!("cover \"{}\"", check.name),
        CheckKind::Liveness => format!("liveness \"{}\"", check.name),
        CheckKind::Deadlock => "no deadlock".to_string(),
        CheckKind::Fault if check.verdict == Verdict::Violated => {
            format!("no run-time error ({})", check.name)
        }
        CheckKind::Fault => "no run-time errors".to_string(),
    }
}

/// A violation, step by step: only what changes.
pub fn story(check: &Check, trace: &Trace) -> String {
    let steps = trace.steps.len().saturating_sub(1);
    let plural = if steps == 1 { "step" } else { "steps" };
    let word = if check.verdict == Verdict::Violated { "is violated" } else { "is not decided" };
    let mut out = format!("{} {word} after {steps} {plural}:\n", subject(check));
    match trace.ending {
        Ending::Stuck { from, .. } | Ending::Round { from, .. } => {
            let (way, helpful) = trace.steps.split_at(from as usize + 1);
            out += &told(way, 0);
            if !helpful.is_empty() {
                out += "\n       and from there, by helpful steps alone:\n";
                out += &told(helpful, way.len());
            }
        }
        _ => out += &told(&trace.steps, 0),
    }
    out.push('\n');
    out += &ending(check, &trace.ending);
    out
}

/// A response that never comes: the way to a cycle, and the cycle.
pub fn endless(check: &Check, lasso: &Lasso) -> String {
    let stem = &lasso.stem.steps;
    let what = check.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
    let mut out = format!("{} is violated{what}: what it asks for may never come.\n", subject(check));
    out += &told(stem, 0);
    if lasso.cycle.is_empty() {
        out += "\n       and there it may stay for ever: fairness asks for no step.\n";
    } else {
        out += "\n       and then, again and again:\n";
        out += &told(&lasso.cycle, stem.len());
    }
    out
}

/// Steps with their numbers; the first of all is a start state.
fn told(steps: &[TraceStep], first: usize) -> String {
    let mut out = String::new();
    for (at, step) in steps.iter().enumerate().map(|(at, step)| (first + at, step)) {
        let number = if at == 0 { "start".to_string() } else { at.to_string() };
        out += &format!("\n{number:>5}  {}\n", step_name(step));
        out += &changes(&step.changed, at == 0);
    }
    out
}

fn step_name(step: &TraceStep) -> String {
    let params: Vec<String> = step.params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if params.is_empty() { step.rule.clone() } else { format!("{} ({})", step.rule, params.join(", ")) }
}

fn changes(changed: &[Change], first: bool) -> String {
    let undefined = || "undefined".to_string();
    let shown: Vec<(String, String)> = if first {
        joined(changed)
    } else {
        changed
            .iter()
            .map(|change| {
                let from = change.from.clone().unwrap_or_else(undefined);
                let to = change.to.clone().unwrap_or_else(undefined);
                (change.path.clone(), format!("{from} -> {to}"))
            })
            .collect()
    };
    if shown.is_empty() {
        return "         nothing changes\n".to_string();
    }
    let width = shown.iter().map(|(path, _)| path.chars().count()).max().unwrap_or(0);
    shown.iter().map(|(path, value)| format!("         {path:width$}  {value}\n")).collect()
}

/// The first state's values, with elements that are all alike joined to one line: `Cache[*].State  I`.
fn joined(changed: &[Change]) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    let value = |change: &Change| change.to.clone().unwrap_or_else(|| "undefined".to_string());
    let mut at = 0;
    while at < changed.len() {
        let pattern = pattern(&changed[at].path);
        let alike = |change: &&Change| self::pattern(&change.path) == pattern;
        let same_value = changed.iter().filter(alike).all(|change| value(change) == value(&changed[at]));
        let many = changed.iter().filter(alike).count() > 1;
        if !(same_value && many) {
            lines.push((changed[at].path.clone(), value(&changed[at])));
        } else if lines.iter().all(|(path, _)| *path != pattern) {
            lines.push((pattern, value(&changed[at])));
        }
        at += 1;
    }
    lines
}

/// A path with every index replaced by a star.
fn pattern(path: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in path.chars() {
        match c {
            '[' => {
                inside = true;
                out.push_str("[*");
            }
            ']' => {
                inside = false;
                out.push(']');
            }
            _ if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

fn ending(check: &Check, ending: &Ending) -> String {
    let reason = check.reason.clone().unwrap_or_default();
    match ending {
        Ending::Property { .. } if reason.is_empty() => {
            format!("       There, invariant \"{}\" is false.\n", check.name)
        }
        Ending::Property { .. } => format!("       There, invariant \"{}\" is {reason}.\n", check.name),
        Ending::PropertyFault { .. } => format!("       There, a property cannot be evaluated: {reason}\n"),
        Ending::Fault { rule, params, .. } => {
            let params: Vec<String> =
                params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let params = if params.is_empty() { String::new() } else { format!(" ({})", params.join(", ")) };
            format!("       Then {rule}{params} fails: {reason}\n")
        }
        Ending::Deadlock => "       There, no rule leads to another state.\n".to_string(),
        Ending::Unreachable { .. } => {
            format!("       From there, what \"{}\" asks for can no longer be reached.\n", check.name)
        }
        Ending::Stuck { .. } => {
            format!(
                "       There, no helpful rule leads on, and \"{}\" still asks for another state.\n",
                check.name
            )
        }
        Ending::Round { back, .. } => {
            let state =
                if *back == 0 { "the start state".to_string() } else { format!("the state of step {back}") };
            format!(
                "       That is {state} again: so it goes round, and what \"{}\" asks for never comes.\n",
                check.name
            )
        }
        Ending::Never { .. } | Ending::Reached => String::new(),
    }
}

fn responses(document: &Document) -> String {
    let mut table =
        Table::new(["response", "pending", "rounds", "left", "expansions/pending", "expansions/state"]);
    for figures in &document.responses {
        let params: Vec<String> =
            figures.params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let name = if params.is_empty() { String::new() } else { format!(" ({})", params.join(", ")) };
        table.row([
            format!("{}{name}", figures.property),
            size::count(figures.pending),
            figures.rounds.len().saturating_sub(1).to_string(),
            size::count(figures.rounds.last().map_or(0, |round| round.maybe_fair)),
            format!("{:.2}", figures.expansions_per_pending),
            format!("{:.2}", figures.expansions_per_state),
        ]);
    }
    table.render()
}

fn deadlock_freedom(figures: &FreedomFigures) -> String {
    let mut table = Table::new(["deadlock freedom", "P states", "Q states", "searches"]);
    for line in &figures.properties {
        let params: Vec<String> =
            line.params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let name = if params.is_empty() { String::new() } else { format!(" ({})", params.join(", ")) };
        table.row([
            format!("{}{name}", line.property),
            size::count(line.p_states),
            size::count(line.q_states),
            size::count(line.searches),
        ]);
    }
    let mut out = table.render();
    if figures.method != "exact" {
        out += &format!(
            "{}: {} helpful steps, {} of them messages; {} acknowledgements, {} of them messages; {} states expanded \
             again; {} searches waited for another rank; longest path{} {}\n",
            figures.method,
            size::count(figures.witness_steps),
            size::count(figures.witness_messages),
            size::count(figures.acknowledgements),
            size::count(figures.acknowledgement_messages),
            size::count(figures.expanded_again),
            size::count(figures.waiting_most),
            // Only paths that travel, or are followed by one rank to the end, are counted over ranks.
            if figures.method == "ost" { " within a rank" } else { "" },
            size::count(figures.longest_path),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, to: &str) -> Change {
        Change { slot: 0, path: path.to_string(), from: None, to: Some(to.to_string()) }
    }

    #[test]
    fn elements_that_are_alike_are_told_once() {
        let changed = [
            change("C[1].s", "I"),
            change("C[1].d", "0"),
            change("C[2].s", "I"),
            change("C[2].d", "1"),
            change("x", "3"),
        ];
        let lines = joined(&changed);
        let expected = [("C[*].s", "I"), ("C[1].d", "0"), ("C[2].d", "1"), ("x", "3")];
        assert_eq!(lines, expected.map(|(path, value)| (path.to_string(), value.to_string())));
    }
}
