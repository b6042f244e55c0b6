//! A theta that is more than one rank's share of a turn, closed by all ranks together.
//!
//! In: a turn in which each rank has closed what is small. A component whose theta has grown large, and that is outstanding
//! by its rules or more than a rank's share of all thetas, is *spread*: every rank makes its relations and takes the views in one window
//! (`windows.rs`), for the rest of the round. Out: the theta and the effects that one rank would have computed.
//!
//! A pass goes over own steps and what the others do in the same order as on one rank. Steps that write no bit of a window's
//! condition stay in their window, and each rank closes its views under them without asking anyone. After a run of other
//! steps, what they lead to elsewhere travels to the rank whose window it is in. It ends with a pass that adds nothing
//! anywhere; then every step from every window leads into the union of windows, which is the least such set, since views
//! are only ever added for a step. Effects are made of each window, and joined step by step before they are
//! joined with each other, so that they are the same diagrams as on one rank. When all turns have ended, the windows
//! are put together where the component belongs.
//!
//! Which components are spread follows from nodes alone. A rank in trouble goes on taking part until all know. Published: see
//! `windows.rs`. Cost: for each pass, two or three exchanges of what left its window since the last.

use super::interference::Effect;
use super::judge::{all_gather, together};
use super::member::{Member, joined};
use super::phases;
use super::split::{Guarantee, Setting, Split, Turn, halted, outstanding};
use super::windows::windows;
use crate::base::{Rank, wire};
use crate::comm::{Comm, Op, collective};
use crate::symbolic::parcel::pack;
use crate::symbolic::relation::Relation;
use crate::symbolic::{Bdd, Trouble};

/// A component that all ranks close together.
pub struct Spread {
    owner: Rank,
    /// The number of this rank.
    me: usize,
    /// As this rank has it: theta is the part in this rank's window.
    pub member: Member,
    /// By rank; they exclude each other, and one always holds.
    windows: Vec<Bdd>,
    /// The bits that windows are about.
    bits: Vec<u32>,
    /// Nodes of all windows when they were cut.
    nodes_cut: u64,
}

/// Ends a turn: what is open is closed, by its rank or by all.
pub fn share(
    split: &mut Split<'_>,
    comm: &mut dyn Comm,
    turn: Result<Turn, Trouble>,
) -> Result<Turn, Trouble> {
    let mut turn = together(comm, turn)?;
    while let Some(largest) = open(split, comm, &turn) {
        let worked = match largest {
            Some((owner, part)) => begin(split, comm, owner, part, &mut turn),
            None => Ok(()),
        };
        let worked = worked.and_then(|()| go_on_alone(split, comm.ranks(), &mut turn));
        together(comm, worked)?;
    }
    let mut spread = std::mem::take(&mut split.spread);
    let mut closed = Ok(());
    for each in &mut spread {
        if let Some(others) = turn.open.remove(&each.member.part) {
            closed = closed.and_then(|()| each.close(split.setting, comm, others, &mut turn.grew));
        }
    }
    split.spread = spread;
    split.nodes_most = split.nodes_most.max(split.setting.space.store.nodes());
    closed.map(|()| turn)
}

/// Whether components are open that ranks close alone; and which of them is to be spread, and whose it is: the largest, if it
/// has many more rule instances than others, or more nodes than a rank's share of all thetas. Where components are alike, neighbours have most of
/// their work in common, and windows of one would have nothing in common with the others.
fn open(split: &Split<'_>, comm: &mut dyn Comm, turn: &Turn) -> Option<Option<(Rank, usize)>> {
    let alone = split.members.iter().filter(|member| turn.open.contains_key(&member.part) && !member.spread);
    let sizes: Vec<(u64, u32)> =
        alone.map(|member| (member.theta.nodes() as u64, member.part as u32)).collect();
    let any = collective::all_reduce(comm, Op::Max, &[i64::from(!sizes.is_empty())])[0] != 0;
    if !any {
        return None;
    }
    let plain = split.members.iter().filter(|member| member.is_computed() && !member.spread);
    let here = plain.chain(split.spread.iter().map(|spread| &spread.member));
    let nodes: usize = here.map(|member| member.theta.nodes()).sum();
    let total = collective::all_reduce(comm, Op::Sum, &[nodes as i64])[0] as u64;
    let mut all: Vec<(u64, u32, u32)> = Vec::new();
    for (rank, bytes) in all_gather(comm, wire::encode(&sizes)).iter().enumerate() {
        let sizes: Vec<(u64, u32)> = wire::decode(bytes).expect("a peer's sizes");
        all.extend(sizes.into_iter().map(|(nodes, part)| (nodes, part, rank as u32)));
    }
    let &(nodes, part, owner) = all.iter().max()?;
    let spread = split.setting.spread_nodes == 0
        || nodes * u64::from(comm.ranks()) > total
        || outstanding(split.setting.parts)[part as usize];
    Some(spread.then_some((Rank(owner), part as usize)))
}

/// Closes what is open on this rank alone, up to twice the size.
fn go_on_alone(split: &mut Split<'_>, ranks: u32, turn: &mut Turn) -> Result<(), Trouble> {
    for place in 0..split.members.len() {
        let member = &mut split.members[place];
        if turn.open.contains_key(&member.part) && !member.spread {
            member.spread_at = 2 * member.spread_at.max(member.theta.nodes());
            let part = member.part;
            split.close_alone(part, ranks, turn)?;
        }
    }
    Ok(())
}

/// From now on, a component is everyone's.
fn begin(
    split: &mut Split<'_>,
    comm: &mut dyn Comm,
    owner: Rank,
    part: usize,
    turn: &mut Turn,
) -> Result<(), Trouble> {
    let setting = split.setting;
    let whole = (comm.rank() == owner).then(|| split.members[split.place(part)].theta.clone());
    let others = turn.open.get(&part).filter(|_| whole.is_some());
    let Some(received) = dealt(setting, comm, owner, whole, others)? else { return Ok(()) };
    let (mut member, made) =
        together(comm, Member::new(setting, part).and_then(|member| Ok((member, received?))))?;
    member.effects.clone_from(&split.effects[part]);
    if comm.rank() == owner {
        let place = split.place(part);
        split.members[place].spread = true;
    }
    turn.open.insert(part, made.others.clone());
    split.spread_count += 1;
    let (windows, bits) = (Vec::new(), Vec::new());
    let mut spread = Spread { owner, me: comm.rank().index(), member, windows, bits, nodes_cut: 0 };
    spread.take(made);
    split.spread.push(spread);
    Ok(())
}

/// What a rank gets of a set that was cut.
struct Dealt {
    windows: Vec<Bdd>,
    part: Bdd,
    others: Vec<Effect>,
    nodes: u64,
}

/// On its way: nodes of all windows, the bits that what others do writes, diagrams.
type Plain = (u64, Vec<Vec<u32>>, Vec<u8>);

/// Cuts what the owner has, and deals it out; nothing where that is not worthwhile. What arrives may yet make trouble here.
fn dealt(
    setting: Setting<'_>,
    comm: &mut dyn Comm,
    owner: Rank,
    whole: Option<Bdd>,
    others: Option<&Vec<Effect>>,
) -> Result<Option<Result<Dealt, Trouble>>, Trouble> {
    let ranks = comm.ranks() as usize;
    let others = others.map_or(&[][..], |others| others.as_slice());
    let parts = whole.map_or(Ok(Vec::new()), |whole| cut(setting, &whole, others, ranks));
    let mut parts = together(comm, parts)?;
    let worthwhile = i64::from(!parts.is_empty());
    parts.resize(ranks, Vec::new());
    let (arrived, all) = collective::all_to_all(comm, parts, Op::Max, &[worthwhile]);
    if all[0] == 0 {
        return Ok(None);
    }
    let (nodes, writes, bytes): Plain = wire::decode(&arrived[owner.index()]).expect("the owner's cut");
    Ok(Some(setting.space.store.unpack(&bytes).map(|diagrams| {
        let mut windows = diagrams.expect("the owner's diagrams");
        let steps = windows.split_off(ranks + 1);
        let part = windows.pop().expect("the owner's part");
        let others = steps.into_iter().zip(writes).map(|(steps, writes)| Effect { steps, writes });
        Dealt { windows, part, others: others.collect(), nodes }
    })))
}

/// A window may have this share of the nodes of the whole, in quarters: where windows have most of their diagrams in common,
/// each rank would do most of the work.
const WINDOW_QUARTERS_MAX: usize = 3;

/// What each rank is to have: all windows, its part of the set, what others do. Nothing where windows are no less work.
fn cut(setting: Setting<'_>, theta: &Bdd, others: &[Effect], ranks: usize) -> Result<Vec<Vec<u8>>, Trouble> {
    let windows = windows(setting, theta, ranks as u32)?;
    let parts = windows.iter().map(|window| theta.and(window)).collect::<Result<Vec<Bdd>, Trouble>>()?;
    let sizes: Vec<usize> = parts.iter().map(Bdd::nodes).collect();
    let (largest, nodes) = (sizes.iter().copied().max().unwrap_or(0), sizes.iter().sum::<usize>() as u64);
    if setting.spread_nodes > 0 && largest * 4 > theta.nodes() * WINDOW_QUARTERS_MAX {
        return Ok(Vec::new());
    }
    let writes: Vec<Vec<u32>> = others.iter().map(|effect| effect.writes.clone()).collect();
    let message = |part: &Bdd| {
        let steps = others.iter().map(|effect| &effect.steps);
        let bytes = pack(windows.iter().chain([part]).chain(steps));
        wire::encode(&(nodes, &writes, bytes))
    };
    Ok(parts.iter().map(message).collect())
}

/// Windows are uneven where one has more than the average and one part in so many.
const UNEVEN: i64 = 5;

/// A run of relations that all stay in their window, or none of which has to.
struct Run {
    relations: Vec<Relation>,
    crossing: bool,
    /// What was last sent to each rank.
    sent: Vec<Option<Bdd>>,
}

impl Spread {
    /// Closes the component under own steps and what others do, and makes its effects.
    fn close(
        &mut self,
        setting: Setting<'_>,
        comm: &mut dyn Comm,
        others: Vec<Effect>,
        grew: &mut bool,
    ) -> Result<(), Trouble> {
        let mut runs = together(comm, self.runs(setting, &others))?;
        loop {
            let before = self.member.theta.clone();
            let mut worked = Ok(());
            for run in &mut runs {
                let out = worked.and_then(|()| self.apply(setting, run));
                worked = match run.crossing {
                    true => self.cross(setting, comm, out, &mut run.sent),
                    false => out.map(|_| ()),
                };
            }
            phases::done("window");
            let changed = self.member.theta != before;
            let failed = worked.is_err();
            let all = collective::all_reduce(comm, Op::Max, &[i64::from(failed), i64::from(changed)]);
            phases::done("window: waiting");
            worked?;
            if all[0] != 0 {
                return Err(Trouble::Halted("another rank could not go on".to_string()));
            }
            if all[1] == 0 {
                break;
            }
            if self.uneven(setting, comm) && self.cut_anew(setting, comm)? {
                runs = together(comm, self.runs(setting, &others))?;
            }
        }
        self.member.closed_under = Some(others);
        let effects = self.effects(setting, comm)?;
        *grew |= effects != self.member.effects;
        self.member.effects = effects;
        Ok(())
    }

    fn take(&mut self, dealt: Dealt) {
        self.bits = dealt.windows.iter().flat_map(Bdd::support).map(|variable| variable / 2).collect();
        self.bits.sort_unstable();
        self.bits.dedup();
        self.nodes_cut = dealt.nodes;
        self.windows = dealt.windows;
        self.member.theta = dealt.part;
    }

    /// Whether windows have grown to be uneven since they were cut: only as often as they double.
    fn uneven(&mut self, setting: Setting<'_>, comm: &mut dyn Comm) -> bool {
        let nodes = self.member.theta.nodes() as i64;
        let most = collective::all_reduce(comm, Op::Max, &[nodes])[0];
        let total = collective::all_reduce(comm, Op::Sum, &[nodes])[0];
        let doubled = total as u64 > 2 * self.nodes_cut || setting.spread_nodes == 0;
        doubled && UNEVEN * most * i64::from(comm.ranks()) > (UNEVEN + 1) * total
    }

    /// Cuts windows anew; whether it was worthwhile.
    fn cut_anew(&mut self, setting: Setting<'_>, comm: &mut dyn Comm) -> Result<bool, Trouble> {
        let whole = self.whole(setting, comm);
        let whole = together(comm, whole)?;
        match dealt(setting, comm, self.owner, whole, None)? {
            Some(dealt) => {
                self.take(together(comm, dealt)?);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// All windows together, at the owner.
    fn whole(&self, setting: Setting<'_>, comm: &mut dyn Comm) -> Result<Option<Bdd>, Trouble> {
        let store = &setting.space.store;
        let mut parts = vec![Vec::new(); self.windows.len()];
        parts[self.owner.index()] = pack([&self.member.theta].into_iter());
        let (arrived, _) = collective::all_to_all(comm, parts, Op::Max, &[]);
        if comm.rank() != self.owner {
            return Ok(None);
        }
        let join = |theta: Bdd, bytes: &Vec<u8>| theta.or(&store.unpack(bytes)?.expect("a peer's window")[0]);
        arrived.iter().try_fold(store.falsity(), join).map(Some)
    }

    fn runs(&self, setting: Setting<'_>, others: &[Effect]) -> Result<Vec<Run>, Trouble> {
        let mut runs: Vec<Run> = Vec::new();
        for relation in self.member.all_steps(setting, others)? {
            let crossing = relation.writes.iter().any(|bit| self.bits.binary_search(bit).is_ok());
            match runs.last_mut() {
                Some(last) if last.crossing == crossing => last.relations.push(relation),
                _ => runs.push(Run {
                    relations: vec![relation],
                    crossing,
                    sent: vec![None; self.windows.len()],
                }),
            }
        }
        Ok(runs)
    }

    /// Closes the part in this window under each relation alone; what leads out of it.
    fn apply(&mut self, setting: Setting<'_>, run: &Run) -> Result<Vec<Bdd>, Trouble> {
        let theta = &mut self.member.theta;
        let mut out = vec![setting.space.store.falsity(); self.windows.len()];
        for relation in &run.relations {
            halted(setting.stop)?;
            loop {
                let image = relation.after(theta)?;
                let mut next = theta.clone();
                if run.crossing {
                    for (at, window) in self.windows.iter().enumerate() {
                        let there = image.and(window)?;
                        if !there.is_false() {
                            out[at] = out[at].or(&there)?;
                        }
                    }
                    next = next.or(&out[self.me])?;
                } else {
                    next = next.or(&image)?;
                }
                let same = next == *theta;
                *theta = next;
                if same {
                    break;
                }
            }
        }
        Ok(out)
    }

    /// Sends what leads out of this window to where it belongs, and takes in what others send.
    fn cross(
        &mut self,
        setting: Setting<'_>,
        comm: &mut dyn Comm,
        out: Result<Vec<Bdd>, Trouble>,
        sent: &mut [Option<Bdd>],
    ) -> Result<(), Trouble> {
        phases::done("window");
        let mut parts = vec![Vec::new(); self.windows.len()];
        if let Ok(out) = &out {
            for to in comm.rank().others(comm.ranks()) {
                let at = to.index();
                if !out[at].is_false() && sent[at].as_ref() != Some(&out[at]) {
                    parts[at] = pack([&out[at]].into_iter());
                    sent[at] = Some(out[at].clone());
                }
            }
        }
        let (arrived, all) = collective::all_to_all(comm, parts, Op::Max, &[i64::from(out.is_err())]);
        phases::done("window: waiting");
        out?;
        if all[0] != 0 {
            return Err(Trouble::Halted("another rank could not go on".to_string()));
        }
        for bytes in arrived.iter().filter(|bytes| !bytes.is_empty()) {
            let diagrams = setting.space.store.unpack(bytes)?.expect("a peer's diagram");
            self.member.theta = self.member.theta.or(&diagrams[0])?;
        }
        Ok(())
    }

    /// What steps from all windows do to the shared state.
    fn effects(&self, setting: Setting<'_>, comm: &mut dyn Comm) -> Result<Vec<Effect>, Trouble> {
        if setting.guarantee == Guarantee::Any {
            let mut member = self.member.clone();
            let made = member.summarise(&setting);
            return together(comm, made.map(|_| member.effects));
        }
        let mut singles = together(comm, self.member.single_effects(&setting, &self.member.theta))?;
        let bytes = pack(singles.iter().map(|single| &single.steps));
        let (arrived, _) = collective::all_to_all(comm, vec![bytes; self.windows.len()], Op::Max, &[]);
        let mut join = || {
            for (_, bytes) in arrived.iter().enumerate().filter(|(from, _)| *from != self.me) {
                let theirs = setting.space.store.unpack(bytes)?.expect("a peer's effects");
                for (single, steps) in singles.iter_mut().zip(theirs) {
                    single.steps = single.steps.or(&steps)?;
                }
            }
            joined(&setting, std::mem::take(&mut singles))
        };
        let effects = join();
        together(comm, effects)
    }
}

/// Puts the windows of each spread component together, where it belongs.
pub fn gather(split: &mut Split<'_>, comm: &mut dyn Comm) -> Result<(), Trouble> {
    let mut gathered = Ok(());
    for spread in std::mem::take(&mut split.spread) {
        match spread.whole(split.setting, comm) {
            Ok(Some(theta)) => {
                let place = split.place(spread.member.part);
                split.members[place] = spread.member;
                split.members[place].theta = theta;
            }
            Ok(None) => {}
            Err(trouble) => gathered = Err(trouble),
        }
    }
    gathered
}
