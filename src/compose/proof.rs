//! The loop of a proof: a split invariant, what does not follow from it, what to expose, and again.
//!
//! In: a model cut into components, a method, auxiliaries to begin with. Out: proved, and checked anew; or violated,
//! where whoever looks for executions found one; or open, with a reason. Every rank runs the same function; rank 0 looks
//! for what to expose and tells the others, and all look for executions. It ends with the rounds asked for, or when nothing is left to expose.

use std::time::Instant;

use super::interference::add;
use super::judge::{self, Failing, all_gather, together};
use super::parts::{Auxiliary, Parts, Plan};
use super::phases;
use super::pieces::BANKS_MAX;
use super::recheck::{Claims, Doubt, recheck};
use super::refine;
use super::split::{Guarantee, Message, SPREAD_NODES, Setting, Split, block, packed, unpacked};
use super::symmetry::{self, Orbits};
use crate::base::wire;
use crate::comm::{Comm, Op, collective};
use crate::exchange::{Exchange, Settings};
use crate::ir::Model;
use crate::ir::eval::{Options, State};
use crate::symbolic::{Bdd, Space, Trouble, Watch};
use crate::verdict::figures::{ProofFigures, ProofRound};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Split,
    Tmmc,
    Tmmcir,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Split => "split",
            Method::Tmmc => "tmmc",
            Method::Tmmcir => "tmmcir",
        }
    }

    fn guarantee(self) -> Guarantee {
        if self == Method::Split { Guarantee::Theta } else { Guarantee::Any }
    }
}

/// What to prove, and within which limits.
pub struct Request<'a> {
    pub model: &'a Model,
    pub options: Options,
    pub parts: &'a Parts,
    pub method: Method,
    pub given: Vec<Auxiliary>,
    /// How often predicates may be added.
    pub rounds_max: u64,
    pub bytes: u64,
    pub stop: Watch,
    pub starts: &'a [State],
    /// Compute one of interchangeable components.
    pub symmetric: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    Proved,
    /// An execution was found that violates something.
    Violated,
    Open(String),
}

pub struct Proof {
    pub conclusion: Conclusion,
    pub figures: ProofFigures,
    /// The auxiliaries of the last round.
    pub auxiliaries: Vec<Auxiliary>,
    pub banks: u32,
    /// What was proved of this rank's components, in the last round's plan.
    pub claims: Claims,
}

/// Looks for a real execution, in a round; all ranks call it together.
pub type Seek<'s> = &'s mut dyn FnMut(u64, &mut dyn Comm) -> bool;

/// Proves on all ranks. `seek` looks for a real execution, on every rank, with more effort in each round.
pub fn prove(request: &Request<'_>, comm: &mut dyn Comm, seek: Seek<'_>) -> Result<Proof, Trouble> {
    let (model, parts) = (request.model, request.parts);
    let mut figures = ProofFigures {
        method: request.method.name().to_string(),
        components: parts.parts.len() as u64,
        ..ProofFigures::default()
    };
    let mut auxiliaries = request.given.clone();
    let mut added = request.given.clone();
    let banks = BANKS_MAX.min(parts.parts.len() as u32).max(1);
    for round in 0.. {
        let begin = Instant::now();
        let plan = Plan::new(model, parts, auxiliaries.clone(), banks);
        figures.shared_bits = u64::from(plan.shared_bits);
        let mine = block(parts, comm.rank(), comm.ranks());
        let space = Space::watched(plan.bits(), request.bytes, &request.stop);
        let setting = Setting {
            model,
            options: request.options,
            parts,
            plan: &plan,
            space: &space,
            guarantee: request.method.guarantee(),
            tabulated: false,
            shortcut: true,
            spread_nodes: SPREAD_NODES,
            stop: &*request.stop,
        };
        let split = match request.symmetric {
            true => symmetry::split(setting, comm, mine.clone(), request.starts)?,
            false => together(comm, Split::new(setting, mine.clone(), request.starts))?,
        };
        phases::done("relations");
        let split = converge(split, comm)?;
        figures.symmetry_notes = split.orbits.as_ref().map_or(Vec::new(), |orbits| orbits.notes.clone());
        let failing = judge::judge(&split, comm)?;
        let open = failing.iter().map(|each| describe(request, each)).collect();
        figures.rounds.push(figures_of(&split, comm, begin, open, &added, request));
        let claims = Claims::of(&split);
        let next = match failing.is_empty() {
            true => Next::Recheck,
            false => step(request, comm, &split, &failing, round, seek)?,
        };
        drop(split);
        drop(space);
        let done = |conclusion, figures, claims| {
            let auxiliaries = plan.auxiliaries.clone();
            Ok(Proof { conclusion, figures, auxiliaries, banks, claims })
        };
        match next {
            Next::Recheck => {
                let begin = Instant::now();
                let space = Space::watched(plan.bits(), request.bytes, &request.stop);
                let fresh = Setting { space: &space, tabulated: true, ..setting_of(request, &plan, &space) };
                match recheck(fresh, comm, mine, &claims, request.starts) {
                    Ok(()) => {}
                    Err(Doubt::Trouble(trouble)) => return Err(trouble),
                    Err(Doubt::Broken(why)) => panic!("the proof does not stand up to a check: {why}"),
                }
                phases::done("rechecked");
                figures.recheck_seconds = Some(begin.elapsed().as_secs_f64());
                return done(Conclusion::Proved, figures, claims);
            }
            Next::Violated => return done(Conclusion::Violated, figures, claims),
            Next::Open(why) => return done(Conclusion::Open(why), figures, claims),
            Next::Expose(fresh) => {
                auxiliaries = plan.auxiliaries.clone();
                auxiliaries.extend(&fresh);
                added = fresh;
            }
        }
    }
    unreachable!("rounds are counted without end")
}

fn setting_of<'a>(request: &'a Request<'_>, plan: &'a Plan, space: &'a Space) -> Setting<'a> {
    Setting {
        model: request.model,
        options: request.options,
        parts: request.parts,
        plan,
        space,
        // The conditions of a split invariant, whatever the method.
        guarantee: Guarantee::Theta,
        tabulated: true,
        shortcut: true,
        spread_nodes: SPREAD_NODES,
        stop: &*request.stop,
    }
}

/// The thetas of all components; those of transparent ones by the shared states they have in common.
pub fn converge<'a>(mut split: Split<'a>, comm: &mut dyn Comm) -> Result<Split<'a>, Trouble> {
    let run = {
        let mut exchange = Exchange::new(comm, Settings::default());
        split.run(&mut exchange)
    };
    together(comm, run)?;
    symmetry::settle(&mut split, comm)?;
    if collective::all_reduce(comm, Op::Max, &[i64::from(split.any_transparent())])[0] != 0 {
        let common = common_states(&split, comm);
        split.common = together(comm, common)?;
    }
    split.nodes_most = split.nodes_most.max(split.setting.space.store.nodes());
    Ok(split)
}

/// The shared states that occur: those of any theta, where there is one and thetas agree on them.
fn common_states(split: &Split<'_>, comm: &mut dyn Comm) -> Result<Bdd, Trouble> {
    let known = match split.setting.guarantee {
        Guarantee::Theta => split.shared_states(),
        Guarantee::Any => Ok(None),
    };
    let known = together(comm, known)?;
    let none = i64::from(comm.ranks());
    let rank = known.as_ref().map_or(none, |_| i64::from(comm.rank().0));
    let first = collective::all_reduce(comm, Op::Min, &[rank])[0];
    if first == none {
        return closed_start(split, comm);
    }
    let mine = known.filter(|_| first == rank).map_or(Vec::new(), |known| known.bytes());
    let all = all_gather(comm, mine);
    Ok(split.setting.space.store.import(&all[first as usize])?.expect("a peer's diagram"))
}

/// The shared states that what all components do leads to from the start. What a rank's components do travels joined.
fn closed_start(split: &Split<'_>, comm: &mut dyn Comm) -> Result<Bdd, Trouble> {
    let own = together(comm, split.joined_effects())?;
    if comm.ranks() == 1 {
        return split.closed_start(&own);
    }
    let message = packed([(comm.rank().index(), own.as_slice())].into_iter());
    let all = all_gather(comm, wire::encode(&message));
    let mut effects = Vec::new();
    for (from, bytes) in all.iter().enumerate() {
        if from == comm.rank().index() {
            add(split.setting, &mut effects, &own)?;
            continue;
        }
        let message: Message = wire::decode(bytes).expect("a peer's effects");
        for (_, theirs) in unpacked(split.setting, &message)? {
            add(split.setting, &mut effects, &theirs)?;
        }
    }
    split.closed_start(&effects)
}

/// What comes after a round.
enum Next {
    /// All follows.
    Recheck,
    /// An execution was found.
    Violated,
    Expose(Vec<Auxiliary>),
    Open(String),
}

/// Decides how to go on where something does not follow: rank 0 finds what to expose, all look for an execution.
fn step(
    request: &Request<'_>,
    comm: &mut dyn Comm,
    split: &Split<'_>,
    failing: &[Failing],
    round: u64,
    seek: Seek<'_>,
) -> Result<Next, Trouble> {
    let setting = split.setting;
    let wanted = refine::wanted(setting, failing);
    let thetas = judge::fetch(split, comm, &wanted);
    let thetas = together(comm, thetas)?;
    let fresh = thetas.map_or(Ok(Vec::new()), |thetas| refine::refine(setting, failing, &thetas));
    phases::done("refinement");
    let seen = seek(round, comm);
    phases::done("search for an execution");
    let fresh = together(comm, fresh)?;
    let violated = collective::all_reduce(comm, Op::Max, &[i64::from(seen)])[0] != 0;
    let plain: Vec<(u32, i64)> = fresh.iter().map(|auxiliary| (auxiliary.slot, auxiliary.value)).collect();
    let message = comm.rank().is_root().then(|| wire::encode(&plain));
    let plain: Vec<(u32, i64)> =
        wire::decode(&collective::broadcast(comm, message)).expect("rank 0's decision");
    let fresh: Vec<Auxiliary> = plain.into_iter().map(|(slot, value)| Auxiliary { slot, value }).collect();
    Ok(if violated {
        Next::Violated
    } else if request.method == Method::Tmmc {
        let why = "the thread-modular method does not conclude: it exposes nothing of local states";
        Next::Open(why.to_string())
    } else if fresh.is_empty() {
        Next::Open("nothing is left to expose".to_string())
    } else if round >= request.rounds_max {
        Next::Open(format!("not proved after {} rounds of refinement", request.rounds_max))
    } else {
        Next::Expose(fresh)
    })
}

fn describe(request: &Request<'_>, failing: &Failing) -> String {
    let names: Vec<&str> =
        failing.parts.iter().map(|&part| request.parts.parts[part as usize].name.as_str()).collect();
    let what = match failing.property {
        Some(property) => request.model.properties[property as usize].name.as_str(),
        None => "run-time errors",
    };
    if names.is_empty() { what.to_string() } else { format!("{what}: {}", names.join(", ")) }
}

fn figures_of(
    split: &Split<'_>,
    comm: &mut dyn Comm,
    begin: Instant,
    open: Vec<String>,
    added: &[Auxiliary],
    request: &Request<'_>,
) -> ProofRound {
    let most = collective::all_reduce(comm, Op::Max, &[split.nodes_most as i64, split.turns as i64]);
    let transparent = split.members.iter().filter(|member| member.transparent).count();
    let sums = collective::all_reduce(comm, Op::Sum, &[split.bytes_sent as i64, transparent as i64]);
    ProofRound {
        predicates: split.setting.plan.auxiliaries.len() as u64,
        transparent: sums[1] as u64,
        copied: split.orbits.as_ref().map_or(0, Orbits::copied) as u64,
        added: added.iter().map(|&auxiliary| request.parts.text(request.model, auxiliary)).collect(),
        nodes: most[0] as u64,
        turns: most[1] as u64,
        bytes_sent: sums[0] as u64,
        seconds: begin.elapsed().as_secs_f64(),
        open,
    }
}
