//! `verify prove`: a proof by components on all ranks, as the job sees it.
//!
//! Every rank cuts the same model, walks through it for a moment (`wander.rs`) and runs `compose::proof`; rank 0 has the
//! result. Where a round leaves something open, rank 0 also looks for a real execution with decision diagrams of the whole
//! model, and the others with random walks, for longer in each round: what they find was walked by the evaluator and is replayed, as any trace. A proof is told as
//! such only after it was checked anew (`compose::recheck`), and its certificate by `audit`, without the engine: every rank
//! makes the same certificate and checks its share of the obligations.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::check::{self, Found, Task, audit_options};
use super::{Refusal, bdd, certify};
use crate::audit::certificate::{Checked, Obligation};
use crate::audit::setwise::{Budget, check_either};
use crate::audit::share::{Refused, Share, joined};
use crate::audit::{self, DeadlockMode, SymmetryMode};
use crate::base::{Rank, wire};
use crate::comm::{Comm, Op, Terms, collective};
use crate::compose::certificate::certificate;
use crate::compose::judge::all_gather;
use crate::compose::parts::{Parts, Plan};
use crate::compose::proof::{Conclusion, Method, Proof, Request, prove};
use crate::compose::recheck::Claims;
use crate::host::memory;
use crate::host::signals::Signals;
use crate::ir::eval::{Fault, Machine, State, Step};
use crate::ir::{Instance, Model, PropertyKind, RuleId};
use crate::symbolic::{Trouble, View, Watch};
use crate::verdict::figures::{CertificateCheck, CheckedBy, ProofFigures};
use crate::verdict::{Check, CheckKind, Counts, Ending, Report, StepRef, Verdict};

use super::options::{Command, Values};
use super::wander::{Walked, Wanderer, wrong};

/// How long one rank looks for an execution in the first round; twice as long in each round after.
const SEEK_FIRST: Duration = Duration::from_millis(500);

/// Steps and time of walks before the first round, where diagrams of the whole model look for an execution later. Elsewhere
/// they take as long as that would.
const GLANCE: (u64, Duration) = (40_000, Duration::from_millis(100));

/// The walks before the first round have a number that no round has.
const GLANCE_ROUND: u64 = u32::MAX as u64;

/// The task of `verify prove MODEL`.
pub fn task_of_model(path: &Path, values: &Values) -> Result<Task, Refusal> {
    Ok(Task { proving: true, ..Task::of_model(path, values)? })
}

fn method(values: &Values) -> Method {
    match values.choice("method") {
        "tmmc" => Method::Tmmc,
        "tmmcir" => Method::Tmmcir,
        _ => Method::Split,
    }
}

pub(super) fn work(
    comm: &mut dyn Comm,
    task: &Task,
    model: &Model,
    signals: &Signals,
) -> Result<Option<Found>, Refusal> {
    let root = comm.rank().is_root();
    let options = audit::Options {
        symmetry: SymmetryMode::Off,
        deadlock: DeadlockMode::Off,
        ..audit_options(&task.values)
    };
    let symmetric = task.values.choice_of("symmetry", Command::Prove) == "exact";
    let symmetry = if symmetric { "exact" } else { "off" };
    let found = |report: Report, proof| {
        let report = check::replayed(model, &options, report);
        let name = method(&task.values).name();
        Found { proof, symmetry, ..Found::plain(name, report) }
    };
    let stop = check::watch(task.values.time("time"), signals);
    let enough = check::watcher(task.values.time("time"), signals);
    let open = |reason: String| root.then(|| found(report(model, Verdict::Unknown, Some(reason)), None));
    if model.properties.iter().any(|property| property.kind == PropertyKind::Assume) {
        return Ok(open("the model has assumptions, which proofs by components do not take".to_string()));
    }
    let parts = match Parts::new(model) {
        Ok(parts) if parts.parts.is_empty() => return Ok(open("the model has no rules".to_string())),
        Ok(parts) => parts,
        Err(why) => return Ok(open(why)),
    };
    let mut given = Vec::new();
    for text in task.values.list("aux") {
        given.extend(parts.parse(model, text).map_err(|why| Refusal::usage(format!("--aux {why}")))?);
    }
    let bytes = memory::budget(task.values.size("memory"), comm.ranks_here()).rank_bytes;
    let mut starts = Vec::new();
    let mut machine = Machine::new(model, options.eval);
    for (at, rule) in model.starts.iter().enumerate() {
        for index in 0..model.instances(rule) {
            match machine.start(at, index) {
                Ok(state) => starts.extend(state),
                Err(_) => {
                    let seen = root.then(|| bdd::search(model, &options, bytes, &stop)).transpose();
                    let report = seen.map_err(Refusal::usage)?;
                    return Ok(report.map(|report| found(report, None)));
                }
            }
        }
    }
    let mut wanderer = Wanderer::new(model, &parts, options.eval);
    let longest = SEEK_FIRST / comm.ranks().min(2);
    let glance = if is_small(model) { GLANCE } else { (u64::MAX, longest) };
    let walked = wanderer.glance(seed(comm.rank(), GLANCE_ROUND), glance, &*stop);
    if let Some(report) = first_walk(comm, &wanderer, &options, &walked) {
        // Where states are small, diagrams may tell a shorter way.
        let shorter =
            root.then(|| sought_whole(model, &options, bytes, &within(&stop, SEEK_FIRST))).flatten();
        return Ok(root.then(|| found(shorter.unwrap_or(report), None)));
    }
    let request = Request {
        model,
        options: options.eval,
        parts: &parts,
        method: method(&task.values),
        given,
        rounds_max: task.values.number("rounds").unwrap_or(8),
        bytes,
        stop: stop.clone(),
        starts: &starts,
        symmetric,
    };
    let mut seen: Option<Seen> = None;
    let mut seek = |round: u64, comm: &mut dyn Comm| {
        seen = seek_execution(model, &mut wanderer, &options, bytes, round, comm, &stop);
        seen.is_some()
    };
    let proved = prove(&request, comm, &mut seek);
    let seen = first_seen(comm, &wanderer, &options, &proved, seen);
    let trouble = all_trouble(comm, model, proved.as_ref().err());
    let certificate = match &proved {
        Ok(proof) if proof.conclusion == Conclusion::Proved => {
            certified(comm, &request, proof, &task.values, &enough)
        }
        _ => Ok(None),
    };
    if !root {
        return Ok(None);
    }
    let certificate = certificate?;
    match (proved, trouble) {
        (Ok(proof), _) => {
            let told = match &certificate {
                Some(CertificateCheck { by: CheckedBy::Engine, reason, .. }) => unchecked(model, reason),
                _ => told(model, &proof, seen),
            };
            Ok(Some(found(told, Some(ProofFigures { certificate, ..proof.figures }))))
        }
        (Err(_), Some((true, why))) => Err(Refusal::usage(why)),
        (Err(_), why) => {
            let why = why.map_or("another rank could not go on".to_string(), |(_, why)| why);
            Ok(open(why))
        }
    }
}

/// Views up to which a certificate is enumerated, and values in all of them: those of thousands of components are long.
const VIEWS_MAX: usize = 10_000;
const VALUES_MAX: usize = 1_000_000;

/// Makes the certificate on every rank, writes it at rank 0 where asked for, and has it checked by `audit` alone, a share on
/// each rank. Out: by which check, at rank 0. Whatever happens to a rank's share, it takes part in what follows.
fn certified(
    comm: &mut dyn Comm,
    request: &Request<'_>,
    proof: &Proof,
    values: &Values,
    enough: &(dyn Fn() -> Option<String> + Sync),
) -> Result<Option<CertificateCheck>, Refusal> {
    type Told = (Vec<(bool, Vec<u8>)>, Vec<u8>);
    let (model, root) = (request.model, comm.rank().is_root());
    // What is common is the same everywhere; rank 0 tells it.
    let common: &[u8] = if root { &proof.claims.common } else { &[] };
    let told = all_gather(comm, wire::encode(&(&proof.claims.own, common)));
    let begin = Instant::now();
    let mut claims = Claims { own: Vec::new(), common: Vec::new() };
    for bytes in told {
        let (own, common): Told = wire::decode(&bytes).expect("a peer's thetas");
        claims.own.extend(own);
        claims.common.extend(common);
    }
    let plan = Plan::new(model, request.parts, proof.auxiliaries.clone(), proof.banks);
    let made = certificate(model, request.parts, &plan, request.method, request.options.compat, &claims);
    let written = match values.text("certificate").filter(|_| root) {
        Some(path) => std::fs::write(path, certify::to_bytes(&made, path.ends_with(".json")))
            .map_err(|error| Refusal::environment(format!("{path}: cannot be written: {error}"))),
        None => Ok(()),
    };
    let budget = Budget { bytes: request.bytes, stop: enough };
    let share = Share { number: comm.rank().index(), of: comm.ranks() as usize };
    let views_max = VIEWS_MAX.min(VALUES_MAX / (model.slots.len() + made.auxiliaries.len()).max(1));
    let checked = check_either(model, &made, request.options, views_max, budget, share);
    let Some(shares) = collective::gather(comm, wire::encode(&checked)) else { return Ok(None) };
    written?;
    let told = |bytes: &Vec<u8>| {
        wire::decode::<Result<Checked, Refused>>(bytes).expect("what a peer's share came to")
    };
    let checked = joined(shares.iter().map(told)).map_err(|refused| *refused.failure);
    let seconds = begin.elapsed().as_secs_f64();
    let check = CertificateCheck { nodes: made.nodes.len() as u64, seconds, ..CertificateCheck::default() };
    Ok(Some(match checked {
        Ok(Checked { views: Some(views), .. }) => {
            CertificateCheck { by: CheckedBy::Enumeration, views: Some(views as u64), ..check }
        }
        Ok(_) => CertificateCheck { by: CheckedBy::Sets, ..check },
        Err(failure) if failure.obligation == Obligation::Size => {
            CertificateCheck { reason: Some(failure.detail), ..check }
        }
        Err(failure) => panic!("the certificate does not pass: {failure}"),
    }))
}

/// A proof that rests on the engine alone is none.
fn unchecked(model: &Model, reason: &Option<String>) -> Report {
    let why = reason.as_deref().unwrap_or("it was not looked at");
    let why =
        format!("a proof was found, but its certificate could not be checked without the engine: {why}");
    report(model, Verdict::Unknown, Some(why))
}

/// The first rank's trouble that says something: whether the model was refused, and why.
fn all_trouble(comm: &mut dyn Comm, model: &Model, trouble: Option<&Trouble>) -> Option<(bool, String)> {
    let mine = trouble.map(|trouble| (matches!(trouble, Trouble::Refused { .. }), trouble.text(model)));
    let all = all_gather(comm, wire::encode(&mine));
    let texts = all.iter().filter_map(|bytes| wire::decode::<Option<(bool, String)>>(bytes).ok().flatten());
    let mut texts: Vec<(bool, String)> = texts.collect();
    texts.sort_by_key(|(_, why)| why.starts_with("another rank"));
    texts.into_iter().next()
}

/// An execution that a rank found.
enum Seen {
    Told(Box<Report>),
    Walked(Walked),
}

/// The report of the first rank that found an execution, at rank 0.
fn first_seen(
    comm: &mut dyn Comm,
    wanderer: &Wanderer<'_>,
    options: &audit::Options,
    proved: &Result<Proof, Trouble>,
    seen: Option<Seen>,
) -> Option<Report> {
    if !matches!(proved, Ok(proof) if proof.conclusion == Conclusion::Violated) {
        return None;
    }
    let (told, walked) = match seen {
        Some(Seen::Told(report)) => (Some(*report), None),
        Some(Seen::Walked(steps)) => (None, Some(steps)),
        None => (None, None),
    };
    let all = collective::gather(comm, wire::encode(&walked))?;
    told.or_else(|| first_told(wanderer, options, &all))
}

fn told(model: &Model, proof: &Proof, seen: Option<Report>) -> Report {
    match (&proof.conclusion, seen) {
        (Conclusion::Violated, Some(seen)) => seen,
        (Conclusion::Proved, _) => report(model, Verdict::Holds, None),
        (Conclusion::Open(why), _) => report(model, Verdict::Unknown, Some(why.clone())),
        (Conclusion::Violated, None) => unreachable!("a violation comes with its report"),
    }
}

/// The report of a proof: what is said of one invariant is said of all.
fn report(model: &Model, verdict: Verdict, reason: Option<String>) -> Report {
    let check = |kind, name: &str| Check {
        kind,
        name: name.to_string(),
        verdict,
        reason: reason.clone(),
        trace: None,
        lasso: None,
    };
    let invariants = model.properties.iter().filter(|property| property.kind == PropertyKind::Invariant);
    let mut checks: Vec<Check> =
        invariants.map(|property| check(CheckKind::Invariant, &property.name)).collect();
    checks.push(check(CheckKind::Fault, "run-time errors"));
    Report { verdict, reason, counts: Counts::default(), digest: String::new(), checks }
}

/// Bits of a state beyond which whole states are not put into diagrams to look for an execution.
const WHOLE_BITS_MAX: u32 = 160;

/// Looks for a real execution that violates something, until a moment; what it finds was walked by the evaluator. On several
/// ranks, rank 0 looks for half as long as one rank would, and the others walk until it has ended: they have joined a
/// reduction that it joins last.
fn seek_execution(
    model: &Model,
    wanderer: &mut Wanderer<'_>,
    options: &audit::Options,
    bytes: u64,
    round: u64,
    comm: &mut dyn Comm,
    stop: &Watch,
) -> Option<Seen> {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    if round == 0 && !is_small(model) {
        // The walks before this round were as long as these would be.
        return None;
    }
    let longest = SEEK_FIRST * 2u32.saturating_pow(round.min(16) as u32);
    let stop = within(stop, longest / ranks.min(2));
    let end = Terms::new(Op::Max, &[]);
    let seed = seed(rank, round);
    if !rank.is_root() {
        comm.reduce_start(&end);
        let (comm, ended) = (RefCell::new(comm), Cell::new(false));
        let enough = || {
            ended.set(ended.get() || comm.borrow_mut().reduce_poll().is_some());
            stop().or_else(|| ended.get().then(|| "rank 0 has ended".to_string()))
        };
        let seen = wanderer.wander(seed, &enough);
        if !ended.get() {
            collective::wait_reduction(comm.into_inner());
        }
        return seen.map(Seen::Walked);
    }
    let seen = match is_small(model) {
        true => sought_whole(model, options, bytes, &stop).map(|report| Seen::Told(Box::new(report))),
        false => wanderer.wander(seed, &*stop).map(Seen::Walked),
    };
    comm.reduce_start(&end);
    collective::wait_reduction(comm);
    seen
}

/// For a round's walks on a rank.
fn seed(rank: Rank, round: u64) -> u64 {
    round + (u64::from(rank.0) << 32)
}

/// The same reasons to stop, and that so much time has passed.
fn within(stop: &Watch, time: Duration) -> Watch {
    let (stop, until) = (stop.clone(), Instant::now() + time);
    Rc::new(move || stop().or_else(|| (Instant::now() > until).then(|| "not found in time".to_string())))
}

/// Whether a state is small enough for diagrams of the whole model.
fn is_small(model: &Model) -> bool {
    View::whole(model).1 <= WHOLE_BITS_MAX
}

/// A shortest execution to something wrong, by diagrams of the whole model; none where states are large.
fn sought_whole(model: &Model, options: &audit::Options, bytes: u64, stop: &Watch) -> Option<Report> {
    let report = is_small(model).then(|| bdd::search(model, options, bytes, stop).ok()).flatten();
    report.filter(|report| report.verdict == Verdict::Violated)
}

/// The report of the first rank's walk to something wrong, the same on all ranks.
fn first_walk(
    comm: &mut dyn Comm,
    wanderer: &Wanderer<'_>,
    options: &audit::Options,
    walked: &Option<Walked>,
) -> Option<Report> {
    first_told(wanderer, options, &all_gather(comm, wire::encode(walked)))
}

/// The report of the first walk among what all ranks told.
fn first_told(wanderer: &Wanderer<'_>, options: &audit::Options, all: &[Vec<u8>]) -> Option<Report> {
    let steps = |bytes: &Vec<u8>| wire::decode::<Option<Walked>>(bytes).expect("a peer's walk");
    walked_again(wanderer, options, all.iter().find_map(steps)?)
}

/// The report of a walk to something wrong, made shorter and walked once more.
fn walked_again(wanderer: &Wanderer<'_>, options: &audit::Options, steps: Walked) -> Option<Report> {
    let (model, steps) = (wanderer.model, wanderer.shortened(steps));
    let mut machine = Machine::new(model, options.eval);
    let mut path: Vec<StepRef> = Vec::new();
    let mut state = State::default();
    for (rule, index) in steps {
        let step = StepRef { rule, index };
        if path.is_empty() {
            state = machine.start(rule as usize, index).ok()??;
        } else {
            let instance = Instance { rule: RuleId(rule), index };
            match machine.step(&state, instance) {
                Ok(Step::Next(next)) => state = next,
                Err(fault) => {
                    let of = model.rule(instance.rule);
                    let params = model.instance_params(&of.binders, index);
                    let ending = Ending::Fault { step, rule: of.name.clone(), params, fault: fault.kind };
                    return Some(found_on_a_walk(model, options, path, ending, Some(&fault)));
                }
                Ok(_) => return None,
            }
        }
        path.push(step);
    }
    let (ending, fault) = wrong(model, &mut machine, &state)?;
    Some(found_on_a_walk(model, options, path, ending, fault.as_deref()))
}

fn found_on_a_walk(
    model: &Model,
    options: &audit::Options,
    path: Vec<StepRef>,
    ending: Ending,
    fault: Option<&Fault>,
) -> Report {
    let mut told = audit::Outcome::default();
    told.note(model, &mut Machine::new(model, options.eval), path, ending, fault);
    let covered = vec![false; model.cover_statements.len()];
    let halted = Some("stopped at the first violation".to_string());
    told.report(model, options, Counts::default(), String::new(), &covered, halted)
}
