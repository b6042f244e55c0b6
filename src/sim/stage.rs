//! The stage: who runs, what is on its way, what has arrived. One lock, one baton, one generator.
//!
//! Every call of a rank is a step. At a step, what is on its way may arrive, and the baton may pass to another
//! rank that is ready; how often either happens is drawn once per seed, so that seeds differ in temper (eager
//! networks, lazy ones, long turns, constant switching). A rank that waits is not ready until there is news for
//! it: an arrival, a completed send, a reduction's result. When no rank is ready, something is made to arrive;
//! when nothing can, the run is in deadlock.
//!
//! A batch is *eager* (its send is complete at once) or not (complete when the receiver takes it, and on its way
//! only after its sender's next call: progress happens only inside calls).

use std::collections::{BTreeMap, VecDeque};
use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Fault;
use crate::base::Rank;
use crate::base::prng::Prng;
use crate::comm::{Batch, Delivery, Tag, Tags, Terms};

/// Beyond this many steps a run is taken to be endless.
const STEPS_MAX: u64 = 20_000_000;

/// The payload with which ranks unwind when the run has ended before they have.
pub struct Ended;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Ready,
    Waiting,
    Done,
}

struct Letter {
    batch: Batch,
    arrived: bool,
    eager: bool,
    /// Whether its sender has been inside a call since, so that it can move.
    moving: bool,
}

/// How a seed treats its ranks, in percent.
struct Temper {
    switch: u64,
    arrive: u64,
    eager: u64,
    refuse: u64,
    wake_for_nothing: u64,
    sends_max: usize,
}

impl Temper {
    fn draw(prng: &mut Prng) -> Temper {
        let mut pick = |choices: &[u64]| choices[prng.index(choices.len())];
        Temper {
            switch: pick(&[5, 25, 60, 95]),
            arrive: pick(&[2, 20, 60, 95]),
            eager: pick(&[0, 50, 100]),
            refuse: pick(&[0, 10, 40]),
            wake_for_nothing: pick(&[0, 1, 5]),
            sends_max: pick(&[1, 2, 5, 50]) as usize,
        }
    }
}

/// A reduction that ranks are joining or taking.
#[derive(Default)]
struct Round {
    terms: Option<Terms>,
    joined: u32,
    taken: u32,
}

pub struct Scene {
    prng: Prng,
    temper: Temper,
    ranks: u32,
    running: Rank,
    status: Vec<Status>,
    news: Vec<bool>,
    /// By receiver, sender and tag.
    letters: BTreeMap<(Rank, Rank, Tag), VecDeque<Letter>>,
    sends_incomplete: Vec<usize>,
    rounds: [Round; 2],
    /// Reductions started, by rank, and whether the last one's result may be seen.
    reductions: Vec<u64>,
    reducing: Vec<bool>,
    result_visible: Vec<bool>,
    steps: u64,
    schedule: u64,
    fault: Option<Fault>,
}

/// The scene behind its lock, and a bell for each rank.
pub struct Stage {
    scene: Mutex<Scene>,
    bells: Vec<Condvar>,
}

/// An event that the network may bring about.
#[derive(Clone, Copy)]
enum Event {
    Arrival(Rank, Rank, Tag),
    Result(Rank),
}

impl Stage {
    pub fn new(seed: u64, ranks: u32) -> Stage {
        let n = ranks as usize;
        let mut prng = Prng::new(seed);
        let temper = Temper::draw(&mut prng);
        let running = Rank(prng.index(n) as u32);
        let scene = Scene {
            prng,
            temper,
            ranks,
            running,
            status: vec![Status::Ready; n],
            news: vec![false; n],
            letters: BTreeMap::new(),
            sends_incomplete: vec![0; n],
            rounds: Default::default(),
            reductions: vec![0; n],
            reducing: vec![false; n],
            result_visible: vec![false; n],
            steps: 0,
            schedule: 0,
            fault: None,
        };
        Stage { scene: Mutex::new(scene), bells: (0..n).map(|_| Condvar::new()).collect() }
    }

    pub fn ranks(&self) -> u32 {
        self.bells.len() as u32
    }

    fn lock(&self) -> MutexGuard<'_, Scene> {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the baton for the first time.
    pub fn enter(&self, rank: Rank) {
        drop(self.await_baton(rank, self.lock()));
    }

    /// A step of a rank that goes on: the network may act, others may run first.
    pub fn turn(&self, rank: Rank) -> MutexGuard<'_, Scene> {
        let mut scene = self.lock();
        scene.step(rank);
        let next = scene.next_after(rank);
        self.pass_to(next, rank, scene)
    }

    /// A step of a rank that has nothing to do until there is news for it.
    pub fn wait(&self, rank: Rank) {
        let mut scene = self.lock();
        scene.step(rank);
        if !scene.news[rank.index()] {
            scene.status[rank.index()] = Status::Waiting;
        }
        let next = scene.next_after(rank);
        let mut scene = self.pass_to(next, rank, scene);
        scene.news[rank.index()] = false;
    }

    /// The last step of a rank.
    pub fn leave(&self, rank: Rank, status: Status) {
        let mut scene = self.lock();
        scene.step(rank);
        scene.status[rank.index()] = status;
        if scene.status.iter().all(|&s| s == Status::Done) {
            return;
        }
        let next = scene.next_after(rank);
        self.hand_over(next, scene);
    }

    /// Ends the run for all ranks; the first fault counts.
    pub fn end(&self, fault: Fault) {
        let mut scene = self.lock();
        scene.fault.get_or_insert(fault);
        drop(scene);
        self.bells.iter().for_each(Condvar::notify_all);
    }

    /// Steps and schedule of a run that all ranks have left, or what went wrong.
    pub fn finish(&self) -> Result<(u64, u64), Fault> {
        let scene = self.lock();
        if let Some(fault) = &scene.fault {
            return Err(fault.clone());
        }
        match scene.letters.iter().find(|(_, queue)| !queue.is_empty()) {
            Some((&(to, from, tag), _)) => Err(Fault::Unreceived { from, to, tag }),
            None => Ok((scene.steps, scene.schedule)),
        }
    }

    fn hand_over(&self, next: Option<Rank>, mut scene: MutexGuard<'_, Scene>) {
        match next {
            Some(next) => {
                scene.running = next;
                drop(scene);
                self.bells[next.index()].notify_one();
            }
            None => {
                let (steps, ranks) = (scene.steps, scene.describe());
                drop(scene);
                self.end(Fault::Deadlock { steps, ranks });
            }
        }
    }

    fn pass_to<'s>(
        &'s self,
        next: Option<Rank>,
        me: Rank,
        scene: MutexGuard<'s, Scene>,
    ) -> MutexGuard<'s, Scene> {
        if next == Some(me) && scene.fault.is_none() {
            return scene;
        }
        self.hand_over(next, scene);
        self.await_baton(me, self.lock())
    }

    fn await_baton<'s>(&'s self, rank: Rank, mut scene: MutexGuard<'s, Scene>) -> MutexGuard<'s, Scene> {
        while scene.fault.is_none() && scene.running != rank {
            scene = self.bells[rank.index()].wait(scene).unwrap_or_else(PoisonError::into_inner);
        }
        if scene.fault.is_some() {
            drop(scene);
            resume_unwind(Box::new(Ended));
        }
        scene
    }
}

impl Scene {
    /// Counts the step, moves the rank's own letters, and lets the network act.
    fn step(&mut self, rank: Rank) {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            self.fault.get_or_insert(Fault::Endless { steps: self.steps });
        }
        for ((_, from, _), queue) in self.letters.iter_mut() {
            if *from == rank {
                queue.iter_mut().for_each(|letter| letter.moving = true);
            }
        }
        while self.prng.chance(self.temper.arrive) && self.act() {}
    }

    /// Brings one event about; false when there is none to bring about.
    fn act(&mut self) -> bool {
        let mut events: Vec<Event> = Vec::new();
        for (&(to, from, tag), queue) in &self.letters {
            if queue.iter().find(|letter| !letter.arrived).is_some_and(|letter| letter.moving) {
                events.push(Event::Arrival(to, from, tag));
            }
        }
        for rank in Rank::all(self.ranks) {
            let at = rank.index();
            let round = &self.rounds[(self.reductions[at] % 2) as usize];
            if self.reducing[at] && !self.result_visible[at] && round.joined == self.ranks {
                events.push(Event::Result(rank));
            }
        }
        if events.is_empty() {
            return false;
        }
        match events[self.prng.index(events.len())] {
            Event::Arrival(to, from, tag) => {
                let queue = self.letters.get_mut(&(to, from, tag)).expect("the event's queue");
                let letter = queue.iter_mut().find(|letter| !letter.arrived).expect("the event's letter");
                letter.arrived = true;
                self.tell(to);
            }
            Event::Result(rank) => {
                self.result_visible[rank.index()] = true;
                self.tell(rank);
            }
        }
        true
    }

    fn tell(&mut self, rank: Rank) {
        self.news[rank.index()] = true;
        if self.status[rank.index()] == Status::Waiting {
            self.status[rank.index()] = Status::Ready;
        }
    }

    /// Who runs next; `None` when nobody can ever run again.
    fn next_after(&mut self, rank: Rank) -> Option<Rank> {
        loop {
            let ready: Vec<Rank> =
                Rank::all(self.ranks).filter(|r| self.status[r.index()] == Status::Ready).collect();
            if ready.is_empty() {
                if !self.act() {
                    return None;
                }
                continue;
            }
            if self.prng.chance(self.temper.wake_for_nothing) {
                let any = self.prng.index(self.ranks as usize);
                if self.status[any] == Status::Waiting {
                    self.status[any] = Status::Ready;
                }
            }
            let stay = ready.contains(&rank) && !self.prng.chance(self.temper.switch);
            let next = if stay { rank } else { ready[self.prng.index(ready.len())] };
            self.schedule =
                self.schedule.wrapping_mul(0x0000_0100_0000_01b3).wrapping_add(u64::from(next.0) + 1);
            return Some(next);
        }
    }

    pub fn try_send(&mut self, from: Rank, to: Rank, tag: Tag, batch: Batch) -> Result<(), Batch> {
        let incomplete = self.sends_incomplete[from.index()];
        let refuse = self.prng.chance(self.temper.refuse);
        if incomplete >= self.temper.sends_max || incomplete > 0 && refuse {
            return Err(batch);
        }
        let eager = self.prng.chance(self.temper.eager);
        if !eager {
            self.sends_incomplete[from.index()] += 1;
        }
        let letter = Letter { batch, arrived: false, eager, moving: eager };
        self.letters.entry((to, from, tag)).or_default().push_back(letter);
        Ok(())
    }

    pub fn try_recv(&mut self, to: Rank, want: Tags) -> Option<Delivery> {
        let open: Vec<(Rank, Rank, Tag)> = self
            .letters
            .range((to, Rank(0), Tag::States)..=(to, Rank(u32::MAX), Tag::Setup))
            .filter(|((_, _, tag), queue)| {
                want.has(*tag) && queue.front().is_some_and(|letter| letter.arrived)
            })
            .map(|(key, _)| *key)
            .collect();
        if open.is_empty() {
            return None;
        }
        let key = open[self.prng.index(open.len())];
        let letter = self.letters.get_mut(&key)?.pop_front()?;
        let (_, from, tag) = key;
        if !letter.eager {
            self.sends_incomplete[from.index()] -= 1;
            self.tell(from);
        }
        Some(Delivery { from, tag, batch: letter.batch })
    }

    pub fn reduce_start(&mut self, rank: Rank, terms: &Terms) {
        let at = rank.index();
        assert!(!self.reducing[at], "one reduction at a time");
        self.reducing[at] = true;
        self.result_visible[at] = false;
        self.reductions[at] += 1;
        let round = &mut self.rounds[(self.reductions[at] % 2) as usize];
        match &mut round.terms {
            Some(joined) => joined.join(terms),
            none => *none = Some(*terms),
        }
        round.joined += 1;
    }

    pub fn reduce_poll(&mut self, rank: Rank) -> Option<Terms> {
        let at = rank.index();
        if !self.reducing[at] || !self.result_visible[at] {
            return None;
        }
        self.reducing[at] = false;
        let ranks = self.ranks;
        let round = &mut self.rounds[(self.reductions[at] % 2) as usize];
        let terms = round.terms;
        round.taken += 1;
        if round.taken == ranks {
            *round = Round::default();
        }
        terms
    }

    fn describe(&self) -> String {
        let one = |rank: Rank| {
            let at = rank.index();
            let doing = match self.status[at] {
                Status::Done => "is done",
                _ if self.reducing[at] => "waits in a reduction",
                _ => "waits",
            };
            let unwanted: usize = self
                .letters
                .iter()
                .filter(|((to, _, _), _)| *to == rank)
                .map(|(_, queue)| queue.iter().filter(|letter| letter.arrived).count())
                .sum();
            let incomplete = self.sends_incomplete[at];
            format!("{rank} {doing} with {unwanted} batches not taken and {incomplete} sends incomplete")
        };
        Rank::all(self.ranks).map(one).collect::<Vec<_>>().join(", ")
    }
}
