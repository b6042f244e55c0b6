//! Words typed to a request, and the request to ranks; exit codes.
//!
//! `args.rs` makes the command line from the option table, `launch.rs` starts the ranks, `logger.rs` prefixes
//! log lines with the rank. Nothing is decided here that a job file could not also say.

mod args;
mod commands;
mod launch;
mod logger;

use std::ffi::OsString;
use std::io::Write;
use std::time::Duration;

use crate::base::stack;
use crate::comm::launcher;
use crate::job::{Exit, Refusal};

/// How long a launcher has to read the last words of a task.
const UNTIL_READ: Duration = Duration::from_millis(200);

/// Runs what was typed; the exit code.
pub fn main(words: impl IntoIterator<Item = OsString>) -> i32 {
    let request = match args::parse(words) {
        Ok(request) => request,
        Err(error) => {
            // Help and version are answers, not errors. Every task was given the same words.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Holds };
            return leave(exit, true, || drop(error.print()));
        }
    };
    logger::start(request.verbosity);
    install_panic_message();
    // MPI is initialised on this thread too, and calls it master.
    let ran = stack::deep(|| commands::run(&request))
        .unwrap_or_else(|error| Err(Refusal::environment(format!("a thread could not be started: {error}"))));
    match ran {
        Ok(exit) => exit.code(),
        Err(refusal) => leave(refusal.exit, refusal.everywhere, || complain(&refusal.text)),
    }
}

/// Says why, and gives the exit code. Of many tasks of a launcher that leave alike, one does so. The others leave with 0: a
/// launcher ends all tasks as soon as one has failed, and that must not come before the one has spoken. What ends the run
/// is the one's code. It leaves a moment after its words, because a launcher that sees a task fail may end without having
/// read what the task said.
fn leave(exit: Exit, everywhere: bool, say: impl FnOnce()) -> i32 {
    if everywhere && !first_task() {
        return Exit::Holds.code();
    }
    say();
    if exit != Exit::Holds && launcher::here().is_some() {
        std::thread::sleep(UNTIL_READ);
    }
    exit.code()
}

/// Whether this process is the one that speaks before ranks know their numbers.
fn first_task() -> bool {
    launcher::here().and_then(|launcher| launcher.task).is_none_or(|task| task == 0)
}

/// Prints to standard output; a reader that has gone away is not our failure.
pub(crate) fn emit(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints to standard error.
pub(crate) fn complain(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "verify: {}", text.trim_end());
}

/// A panic is a bug of ours: one message that names the rank and the place, whatever else fails in its wake.
fn install_panic_message() {
    std::panic::set_hook(Box::new(|panic| {
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| {
            let rank = crate::comm::identity::get().map_or(String::new(), |rank| format!("rank {rank}: "));
            let place = panic.location().map_or(String::new(), |l| format!(" ({}:{})", l.file(), l.line()));
            let text = crate::comm::thread::panic_text(panic.payload());
            complain(&format!(
                "{rank}internal error: {text}{place}\nThis is a bug in verify; all ranks stop."
            ));
            if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
                eprintln!("{}", std::backtrace::Backtrace::force_capture());
            }
        });
    }));
}
