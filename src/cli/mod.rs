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

use crate::base::stack;
use crate::comm::launcher;
use crate::job::{Exit, Refusal};

/// Runs what was typed; the exit code.
pub fn main(words: impl IntoIterator<Item = OsString>) -> i32 {
    let request = match args::parse(words) {
        Ok(request) => request,
        Err(error) => {
            // Help and version are answers, not errors. Of many tasks of a launcher, one speaks.
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Holds };
            if first_task() {
                let _ = error.print();
            }
            return code.code();
        }
    };
    logger::start(request.verbosity);
    install_panic_message();
    // MPI is initialised on this thread too, and calls it master.
    let ran = stack::deep(|| commands::run(&request))
        .unwrap_or_else(|error| Err(Refusal::environment(format!("a thread could not be started: {error}"))));
    match ran {
        Ok(exit) => exit.code(),
        Err(refusal) => {
            if first_task() {
                complain(&refusal.text);
            }
            refusal.exit.code()
        }
    }
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
