//! Checking one model on all ranks: rank 0 reads, everyone searches, rank 0 has the result.
//!
//! Only rank 0 touches the user's files: it ships the model's text and the options, so that ranks on machines
//! that do not see those files work too, and all ranks work on the same bytes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::options::{Command, Values};
use super::{Refusal, bdd, engine, file, model, prove};
use crate::audit::{self, DeadlockMode, SymmetryMode};
use crate::base::wire;
use crate::comm::{Comm, collective};
use crate::compile::canonical::Canonicaliser;
use crate::explore::{Moment, Outside};
use crate::host::memory;
use crate::host::signals::Signals;
use crate::ir::eval::{self, Compat};
use crate::ir::{self, PropertyKind};
use crate::report::compare::{self, Published};
use crate::report::document::{self, Document, RuleLine};
use crate::report::itf;
use crate::report::progress::{Form, Now, Shower};
use crate::symbolic::Watch;
use crate::verdict::figures::{FreedomFigures, ProofFigures, RankFigures, ResponseFigures};
use crate::verdict::{CheckKind, Report, Verdict};

/// What to check.
#[derive(Clone, Debug, Default)]
pub struct Task {
    pub name: String,
    /// Prove the model instead of searching it.
    pub proving: bool,
    pub title: Option<String>,
    pub text: Vec<u8>,
    pub constants: Vec<(String, String)>,
    pub values: Values,
    pub published: Vec<Published>,
}

/// What rank 0 sends to the others.
#[derive(Serialize, Deserialize)]
struct Shipment {
    name: String,
    text: Vec<u8>,
    constants: Vec<(String, String)>,
    values: Vec<(String, Vec<String>)>,
    proving: bool,
}

impl Task {
    /// The task of `verify check MODEL`.
    pub fn of_model(path: &Path, values: &Values) -> Result<Task, Refusal> {
        let text = model::read(path)?;
        let constants = model::constants(&[], values.list("const"))?.overrides;
        let name = model::display_name(path);
        Ok(Task { name, text, constants, values: values.clone(), ..Task::default() })
    }

    /// The task of `verify run JOB`; what was typed wins over what the job says.
    pub fn of_job(path: &Path, values: &Values) -> Result<Task, Refusal> {
        let job = file::read(path)?;
        let text = model::read(&job.model)?;
        let constants = model::constants(&job.constants, values.list("const"))?.overrides;
        Ok(Task {
            name: model::display_name(&job.model),
            title: job.title,
            proving: job.proving,
            text,
            constants,
            values: values.clone().over(job.values),
            published: job.published,
        })
    }

    fn shipment(&self) -> Shipment {
        Shipment {
            proving: self.proving,
            name: self.name.clone(),
            text: self.text.clone(),
            constants: self.constants.clone(),
            values: self.values.pairs(),
        }
    }

    fn received(shipment: Shipment) -> Task {
        Task {
            name: shipment.name,
            proving: shipment.proving,
            text: shipment.text,
            constants: shipment.constants,
            values: Values::from_pairs(
                shipment.values,
                if shipment.proving { Command::Prove } else { Command::Check },
            ),
            ..Task::default()
        }
    }

    pub(super) fn lower(&self) -> Result<(ir::Model, String), Refusal> {
        let source = model::source(&self.name, self.text.clone())?;
        let constants = crate::lower::Constants { overrides: self.constants.clone() };
        let (lowered, warnings) = model::lower(&source, &constants)?;
        let mut model = lowered.model;
        model::make_unhelpful(&mut model, self.values.list("nhr"))?;
        model::keep_properties(&mut model, self.values.list("property"))?;
        Ok((model, warnings))
    }
}

/// What rank 0 has in the end: a result, or why there is none. `None` on the other ranks.
pub type Answer = Option<Result<Document, (String, Refusal)>>;

/// Runs the task that `task` makes at rank 0, on all ranks.
pub fn run(comm: &mut dyn Comm, task: impl FnOnce() -> Result<Task, Refusal>, signals: &Signals) -> Answer {
    let begin = Instant::now();
    memory::restart_peak();
    if !comm.rank().is_root() {
        let shipped: Option<Shipment> =
            wire::decode(&collective::broadcast(comm, None)).expect("rank 0's shipment decodes");
        let task = Task::received(shipped?);
        let (model, _) = task.lower().expect("what lowered at rank 0 lowers here");
        // A failing machine is rank 0's to tell.
        let _ = answer(comm, &task, &model, signals);
        return None;
    }
    let prepared = task().map_err(|refusal| (String::new(), refusal)).and_then(|task| match task.lower() {
        Ok((model, warnings)) => Ok((task, model, warnings)),
        Err(refusal) => Err((task.name, refusal)),
    });
    let shipment = prepared.as_ref().ok().map(|(task, _, _)| task.shipment());
    collective::broadcast(comm, Some(wire::encode(&shipment)));
    Some(prepared.and_then(|(task, model, warnings)| {
        if !warnings.is_empty() {
            eprint!("{warnings}");
        }
        match answer(comm, &task, &model, signals) {
            Ok(found) => Ok(document(comm, &task, &model, found.expect("rank 0 has the report"), begin)),
            Err(refusal) => Err((task.name, refusal)),
        }
    }))
}

/// Proves or searches, as the task says; what was found is at rank 0.
fn answer(
    comm: &mut dyn Comm,
    task: &Task,
    model: &ir::Model,
    signals: &Signals,
) -> Result<Option<Found>, Refusal> {
    if task.proving {
        return prove::work(comm, task, model, signals);
    }
    search(comm, task, model, signals)
}

/// A report, and what engines can tell besides.
pub(super) struct Found {
    pub engine: &'static str,
    pub report: Report,
    pub ranks: Vec<RankFigures>,
    pub responses: Vec<ResponseFigures>,
    pub freedom: Option<FreedomFigures>,
    pub symmetry: &'static str,
    /// Symmetry was asked for, and the model has some, but a property does not allow it.
    pub given_up: bool,
    pub proof: Option<ProofFigures>,
}

impl Found {
    /// A report and nothing else, found without symmetry.
    pub fn plain(engine: &'static str, report: Report) -> Found {
        Found {
            engine,
            report,
            ranks: Vec::new(),
            responses: Vec::new(),
            freedom: None,
            symmetry: "off",
            given_up: false,
            proof: None,
        }
    }
}

const GIVEN_UP: &str = "given up: fair actions and single instances tell symmetric states apart";

/// Searches with the engine asked for; what was found is at rank 0.
fn search(
    comm: &mut dyn Comm,
    task: &Task,
    model: &ir::Model,
    signals: &Signals,
) -> Result<Option<Found>, Refusal> {
    let root = comm.rank().is_root();
    let mut options = audit_options(&task.values);
    let unfolded = unfolds(&options, model);
    if unfolded {
        options.symmetry = SymmetryMode::Off;
    }
    let given_up = unfolded && Canonicaliser::new(model).is_ok_and(|canonical| canonical.is_some());
    let symmetry = if options.symmetry == SymmetryMode::Off { "off" } else { "exact" };
    let engine = chosen_engine(&task.values);
    if engine == "brute" {
        let found = || {
            let report = replayed(model, &options, brute(task, model, &options, signals));
            let report = noted(model, given_up, report);
            Found { symmetry, given_up, ..Found::plain("brute", report) }
        };
        return Ok(root.then(found));
    }
    if engine == "bdd" {
        let options = audit::Options { symmetry: SymmetryMode::Off, ..options };
        return if root { diagram(task, model, &options, signals).map(Some) } else { Ok(None) };
    }
    let mut shower = Shower::new(if root { progress_form(&task.values) } else { Form::Off });
    let outside = Outside {
        stop: &|| signals.ask_to_stop(),
        moment: &mut |moment| {
            if shower.due() {
                shower.show(&now(moment));
            }
        },
    };
    let searched = engine::search(comm, model, &task.values, &options, outside);
    shower.finish();
    let Some(searched) = searched.map_err(Refusal::environment)? else { return Ok(None) };
    let report = noted(model, given_up, replayed(model, &options, searched.report));
    let (ranks, responses, freedom) = (searched.ranks, searched.responses, searched.freedom);
    Ok(Some(Found { symmetry, given_up, ranks, responses, freedom, ..Found::plain(engine, report) }))
}

/// Whether symmetry is given up for the model.
fn unfolds(options: &audit::Options, model: &ir::Model) -> bool {
    options.symmetry != SymmetryMode::Off && model.properties.iter().any(breaks_symmetry)
}

/// Whether a property tells states of one orbit apart: by fair actions, or by following one instance.
fn breaks_symmetry(property: &ir::Property) -> bool {
    match property.kind {
        PropertyKind::LeadsTo => true,
        PropertyKind::AlwaysPossible | PropertyKind::CanGetTo => !property.binders.is_empty(),
        PropertyKind::Invariant | PropertyKind::Assume | PropertyKind::Cover => false,
    }
}

/// Says of properties that they were decided without symmetry, where the model has some.
fn noted(model: &ir::Model, given_up: bool, mut report: Report) -> Report {
    if !given_up {
        return report;
    }
    let unfolded = |name: &str| {
        model.properties.iter().any(|property| breaks_symmetry(property) && property.name == name)
    };
    for check in &mut report.checks {
        if check.kind == CheckKind::Liveness && check.verdict == Verdict::Holds && unfolded(&check.name) {
            check.reason.get_or_insert("without symmetry: it tells symmetric states apart".to_string());
        }
    }
    report
}

/// Every violation's trace, run once more by the oracle. One that does not replay would be a bug of ours, and a wrong
/// answer is worse than none.
pub(super) fn replayed(model: &ir::Model, options: &audit::Options, report: Report) -> Report {
    for check in &report.checks {
        let trace = check.trace.as_ref();
        if let Some(Err(error)) = trace.map(|trace| audit::replay(model, options, trace)) {
            panic!("the trace of {:?} does not replay: {error}", check.name);
        }
        let lasso = check.lasso.as_ref();
        if let Some(Err(error)) = lasso.map(|lasso| audit::replay_lasso(model, options, lasso)) {
            panic!("the lasso of {:?} does not replay: {error}", check.name);
        }
    }
    report
}

/// The engine that `--engine` means.
fn chosen_engine(values: &Values) -> &'static str {
    match values.choice("engine") {
        "brute" => "brute",
        "eval" => "eval",
        "bdd" => "bdd",
        _ => "native",
    }
}

fn now(moment: &Moment) -> Now {
    Now {
        states: moment.states,
        rules_fired: moment.rules_fired,
        frontier: moment.frontier,
        level: Some(moment.level),
        resident_bytes: moment.resident_bytes,
        imbalance: engine::imbalance(moment),
        ..Now::default()
    }
}

/// The options of the oracle, which judges also what engines find.
/// How rules are evaluated, as `--compat` says.
pub fn eval_options(values: &Values) -> eval::Options {
    let compat = match values.choice("compat") {
        "cmurphi" => Compat::Cmurphi,
        "rumur" => Compat::Rumur,
        _ => Compat::Strict,
    };
    eval::Options { compat, ..eval::Options::default() }
}

pub(super) fn audit_options(values: &Values) -> audit::Options {
    let deadlock = match values.choice("deadlock") {
        _ if values.switch("no-deadlock") => DeadlockMode::Off,
        "off" => DeadlockMode::Off,
        "stuck" => DeadlockMode::Stuck,
        _ => DeadlockMode::Stuttering,
    };
    audit::Options {
        eval: eval_options(values),
        deadlock,
        symmetry: if values.choice("symmetry") == "exact" {
            SymmetryMode::Exhaustive
        } else {
            SymmetryMode::Off
        },
        max_states: values.number("max-states"),
        max_errors: values.number("max-errors").unwrap_or(1),
    }
}

fn brute(task: &Task, model: &ir::Model, options: &audit::Options, signals: &Signals) -> Report {
    let limit = task.values.time("time");
    let memory_bytes = memory::budget(task.values.size("memory"), 1).rank_bytes;
    let mut shower = Shower::new(progress_form(&task.values));
    let begin = Instant::now();
    let report = audit::brute(model, options, &mut |progress| {
        if signals.ask_to_stop() {
            return ControlFlow::Break("a signal asked to stop".to_string());
        }
        if limit.is_some_and(|limit| begin.elapsed() > limit) {
            return ControlFlow::Break("out of time".to_string());
        }
        let resident_bytes = memory::resident_bytes();
        if resident_bytes > memory_bytes {
            return ControlFlow::Break("out of memory".to_string());
        }
        if shower.due() {
            shower.show(&Now {
                states: progress.states,
                rules_fired: progress.rules_fired,
                frontier: progress.frontier,
                level: Some(progress.level),
                resident_bytes,
                ..Now::default()
            });
        }
        ControlFlow::Continue(())
    });
    shower.finish();
    report
}

/// Says when the time is over that begins now, or a signal asks to stop.
pub(super) fn watch(limit: Option<Duration>, signals: &Signals) -> Watch {
    Rc::new(watcher(limit, signals))
}

/// The same for checks on threads of their own.
pub(super) fn watcher(
    limit: Option<Duration>,
    signals: &Signals,
) -> impl Fn() -> Option<String> + Send + Sync + use<> {
    let (begin, signals) = (Instant::now(), signals.clone());
    move || {
        let out_of_time = limit.is_some_and(|limit| begin.elapsed() > limit);
        let asked = signals.ask_to_stop();
        asked
            .then(|| "a signal asked to stop".to_string())
            .or_else(|| out_of_time.then(|| "out of time".to_string()))
    }
}

/// The reachable set as one decision diagram.
fn diagram(
    task: &Task,
    model: &ir::Model,
    options: &audit::Options,
    signals: &Signals,
) -> Result<Found, Refusal> {
    let limit = task.values.time("time");
    let bytes = memory::budget(task.values.size("memory"), 1).rank_bytes;
    let report = bdd::search(model, options, bytes, &watch(limit, signals)).map_err(Refusal::usage)?;
    let report = replayed(model, options, report);
    Ok(Found::plain("bdd", report))
}

fn progress_form(values: &Values) -> Form {
    if values.switch("quiet") { Form::Off } else { Form::choose(values.choice("progress")) }
}

fn document(comm: &dyn Comm, task: &Task, model: &ir::Model, found: Found, begin: Instant) -> Document {
    let (report, ranks) = (found.report, found.ranks);
    let store_bytes: u64 = ranks.iter().map(|rank| rank.store_bytes).sum();
    let mut document = Document {
        version: Document::VERSION,
        tool: document::tool(),
        model: task.name.clone(),
        title: task.title.clone(),
        constants: model.constants.iter().cloned().collect::<BTreeMap<_, _>>(),
        engine: found.engine.to_string(),
        symmetry: found.symmetry.to_string(),
        symmetry_note: match &found.proof {
            Some(proof) if found.symmetry != "off" => Some(proof.symmetry_note()),
            _ => found.given_up.then(|| GIVEN_UP.to_string()),
        },
        ranks: comm.ranks(),
        verdict: report.verdict,
        reason: report.reason,
        states: report.counts.states,
        rules_fired: report.counts.rules_fired,
        deadlocks: report.counts.deadlocks,
        levels: Some(report.counts.levels),
        seconds: begin.elapsed().as_secs_f64(),
        store_bytes_per_state: (!ranks.is_empty() && report.counts.states > 0)
            .then(|| store_bytes as f64 / report.counts.states as f64),
        peak_bytes: match ranks.is_empty() {
            true => vec![memory::peak_bytes()],
            false => ranks.iter().map(|rank| rank.peak_bytes).collect(),
        },
        omission_bound: ranks.iter().map(|rank| rank.omission_bound).sum::<f64>().min(1.0),
        digest: report.digest,
        checks: report.checks,
        published: Vec::new(),
        rules: rules(model, &ranks),
        rank_figures: ranks,
        itf: None,
        responses: found.responses,
        deadlock_freedom: found.freedom,
        proof: found.proof,
    };
    document.published = compare::comparisons(&task.published, &document);
    document.itf = document.checks.iter().find_map(|check| match (&check.trace, &check.lasso) {
        (Some(trace), _) => Some(itf::document(model, trace)),
        (None, lasso) => lasso.as_ref().map(|lasso| itf::lasso(model, lasso)),
    });
    document
}

/// Each rule with what it did, over all ranks.
fn rules(model: &ir::Model, ranks: &[RankFigures]) -> Vec<RuleLine> {
    let sum = |of: fn(&RankFigures) -> &Vec<u64>, at: usize| ranks.iter().map(|rank| of(rank)[at]).sum();
    let used = if ranks.is_empty() { &[][..] } else { &model.rules[..] };
    let line = |(at, rule): (usize, &ir::Rule)| RuleLine {
        rule: rule.name.clone(),
        fired: sum(|rank| &rank.fired_by_rule, at),
        new_states: sum(|rank| &rank.new_by_rule, at),
    };
    used.iter().enumerate().map(line).collect()
}
