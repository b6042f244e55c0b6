//! From what was asked (flags or a job file) to what is done, and doing it on all ranks.
//!
//! `options.rs` is the table of options, `file.rs` reads job files, `model.rs` reads models, `check.rs` checks one
//! on all ranks, `certify.rs` checks a certificate, `comm_check.rs` is the check of the ranks themselves. Every rank runs the same function here; rank 0 reads files, prints and writes results, and says
//! how the run ended, so that all ranks leave with the same code.

mod among;
pub mod bdd;
pub mod certify;
pub mod check;
pub mod comm_check;
pub mod engine;
pub mod file;
mod freedoms;
mod helpful;
pub mod model;
pub mod options;
pub mod prove;
pub mod reaches;
pub mod responses;
pub mod values;
mod wander;

/// How a run ends, for the shell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    Holds = 0,
    Violated = 1,
    /// The user's words or model.
    Usage = 2,
    /// The machine, the launcher, the disk; or a bug.
    Environment = 3,
    Unknown = 4,
}

impl Exit {
    pub fn code(self) -> i32 {
        self as i32
    }

    /// How bad it is: of several runs, the worst counts.
    pub fn weight(self) -> u8 {
        match self {
            Exit::Holds => 0,
            Exit::Unknown => 1,
            Exit::Violated => 2,
            Exit::Usage => 3,
            Exit::Environment => 4,
        }
    }

    pub fn from_code(code: u8) -> Exit {
        match code {
            0 => Exit::Holds,
            1 => Exit::Violated,
            2 => Exit::Usage,
            4 => Exit::Unknown,
            _ => Exit::Environment,
        }
    }
}

/// Why nothing could be checked: what to print, and how to leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub exit: Exit,
    pub text: String,
    /// Whether all tasks of a launcher refuse alike, so that one may speak for them.
    pub everywhere: bool,
}

impl Refusal {
    pub fn usage(text: impl Into<String>) -> Refusal {
        Refusal { exit: Exit::Usage, text: text.into(), everywhere: false }
    }

    pub fn environment(text: impl Into<String>) -> Refusal {
        Refusal { exit: Exit::Environment, text: text.into(), everywhere: false }
    }

    /// The same, where every task of the launcher comes to it.
    pub fn of_all_tasks(self) -> Refusal {
        Refusal { everywhere: true, ..self }
    }
}
