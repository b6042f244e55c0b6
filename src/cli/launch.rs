//! Starts the ranks: as MPI says, or as threads of this process.

use crate::comm::{Comm, launcher, thread};
use crate::job::options::Values;
use crate::job::{Exit, Refusal};

/// Runs `work` on every rank and returns rank 0's exit. `work` gets the transport's name too.
pub fn on_all_ranks<W>(values: &Values, work: W) -> Result<Exit, Refusal>
where
    W: Fn(&mut dyn Comm, &str) -> Exit + Sync,
{
    let launcher = launcher::here();
    let launched = launcher.as_ref().is_some_and(|launcher| launcher.tasks > 1);
    match values.choice("transport") {
        "mpi" => on_mpi(work),
        "threads" if launched => Err(many_lonely(&launcher)),
        "threads" => on_threads(values, work),
        _ if launcher.is_some() => on_mpi(work),
        _ => on_threads(values, work),
    }
}

fn many_lonely(launcher: &Option<launcher::Launcher>) -> Refusal {
    let launcher = launcher.as_ref().expect("only asked for under a launcher");
    Refusal::environment(format!(
        "{} started {} tasks, and each would run alone: leave the launcher out, or use a binary with MPI and \
         without --transport threads",
        launcher.name, launcher.tasks
    ))
    .of_all_tasks()
}

fn on_threads<W>(values: &Values, work: W) -> Result<Exit, Refusal>
where
    W: Fn(&mut dyn Comm, &str) -> Exit + Sync,
{
    let ranks = values.number("ranks").unwrap_or(1) as u32;
    match thread::run(ranks, |comm| work(comm, "threads")) {
        Ok(exits) => Ok(exits.first().copied().unwrap_or(Exit::Environment)),
        // The hook has printed a panic's message; say nothing twice.
        Err(aborted) if aborted.panicked => Ok(Exit::Environment),
        Err(aborted) => Err(Refusal::environment(aborted.to_string())),
    }
}

#[cfg(feature = "mpi")]
fn on_mpi<W>(work: W) -> Result<Exit, Refusal>
where
    W: Fn(&mut dyn Comm, &str) -> Exit + Sync,
{
    // What fails here is the launcher's choice for all tasks; what MPI cannot do for one of them, it says and ends all.
    let refused = |error: crate::comm::CommError| Refusal::environment(error.to_string()).of_all_tasks();
    let mut comm = crate::comm::mpi::start().map_err(refused)?;
    let library = comm.library().to_string();
    Ok(work(&mut comm, &library))
}

#[cfg(not(feature = "mpi"))]
fn on_mpi<W>(work: W) -> Result<Exit, Refusal>
where
    W: Fn(&mut dyn Comm, &str) -> Exit + Sync,
{
    let launcher = launcher::here();
    match &launcher {
        Some(started) if started.tasks > 1 => Err(many_lonely(&launcher)),
        Some(_) => on_threads(&Values::default(), work),
        None => Err(Refusal::environment("this binary was built without MPI; use --ranks N for threads")),
    }
}
