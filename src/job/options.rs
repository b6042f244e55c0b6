//! The one table of options: names, values, defaults and a sentence for each.
//!
//! From it come the command line (`cli`), the keys of a job file's `[options]` (`file.rs`), `docs/options.md` and
//! the help texts. A value is checked against its form here, wherever it was written, and read back by the same
//! name (`values.rs`).

use crate::base::size;
use crate::host::clock;

pub use super::values::Values;
use super::values::parse_number;

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// On when named.
    Switch,
    Number {
        least: u64,
        most: u64,
    },
    /// Bytes, as `4GiB`.
    Size,
    /// A time, as `1h30m`.
    Time,
    Choice(&'static [&'static str]),
    /// Some of these words, with commas between them, any number of times.
    Several(&'static [&'static str]),
    Text,
    /// Any number of texts.
    List,
}

/// The commands that options belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    Check,
    Prove,
    Certify,
    Run,
    Print,
    Fmt,
    CommCheck,
}

/// One option.
pub struct Spec {
    pub name: &'static str,
    pub form: Form,
    /// As it would be typed; empty when there is none, or for a switch.
    pub default: &'static str,
    /// What stands for the value in help texts.
    pub value: &'static str,
    pub commands: &'static [Command],
    /// Whether a job file may set it. What only concerns this invocation (where output goes) may not be.
    pub in_job: bool,
    pub help: &'static str,
}

use Command::{Certify, Check, CommCheck, Fmt, Print, Prove, Run};
use Form::{Choice, List, Number, Several, Size, Switch, Text, Time};

const COUNT: Form = Number { least: 1, most: u64::MAX };

/// The table. Within a command's help, options stand in this order.
pub static TABLE: &[Spec] = &[
    Spec {
        name: "const",
        form: List,
        default: "",
        value: "NAME=VALUE",
        commands: &[Check, Prove, Certify, Run, Print],
        in_job: false,
        help: "Give a constant of the model another value (a job file has [constants])",
    },
    Spec {
        name: "engine",
        form: Choice(&["auto", "native", "eval", "brute", "bdd"]),
        default: "auto",
        value: "NAME",
        commands: &[Check, Run],
        in_job: true,
        help: "What searches: native, all ranks with machine code; eval, all ranks with the evaluator; brute, the plain search on one rank that the \
               others are judged by; bdd, the reachable set as one decision diagram, on one rank; auto, the fastest that can answer",
    },
    Spec {
        name: "symmetry",
        form: Choice(&["off", "exact"]),
        default: "exact",
        value: "MODE",
        commands: &[Check, Prove, Run],
        in_job: true,
        help: "exact: visit one state of each class of states that differ only by the names of scalarset members; \
               for proofs, compute one of interchangeable components; off: visit or compute them all",
    },
    Spec {
        name: "deadlock",
        form: Choice(&["stuttering", "stuck", "off"]),
        default: "stuttering",
        value: "MODE",
        commands: &[Check, Run],
        in_job: true,
        help: "What counts as a deadlock: stuttering, no step leads to another state; stuck, no rule is enabled; \
               off, nothing",
    },
    Spec {
        name: "no-deadlock",
        form: Switch,
        default: "",
        value: "",
        commands: &[Check, Run],
        in_job: false,
        help: "The same as --deadlock off",
    },
    Spec {
        name: "nhr",
        form: List,
        default: "",
        value: "NAME",
        commands: &[Check, Run],
        in_job: true,
        help: "Take the rules of this name for unhelpful: what CANGETTO asks for must be in reach without them",
    },
    Spec {
        name: "property",
        form: List,
        default: "",
        value: "NAME",
        commands: &[Check, Run],
        in_job: true,
        help: "Check the invariants, covers and liveness properties of this name alone; assumptions stay",
    },
    Spec {
        name: "owcty-without",
        form: Several(&["saved", "kernel", "counting"]),
        default: "",
        value: "SAVINGS",
        commands: &[Check, Run],
        in_job: true,
        help: "Check responses without some of the savings, for a study: saved, a waiting state is not queued again; kernel, rounds begin where something was deleted; counting, states are deleted once nothing leads to them",
    },
    Spec {
        name: "df",
        form: Choice(&["ost", "ptp", "local"]),
        default: "ost",
        value: "METHOD",
        commands: &[Check, Run],
        in_job: true,
        help: "How CANGETTO's helpful paths are looked for: ost, a table of outstanding searches; ptp, paths that travel from rank to rank; local, each rank alone",
    },
    Spec {
        name: "df-complete",
        form: Choice(&["auto", "always", "never"]),
        default: "auto",
        value: "WHEN",
        commands: &[Check, Run],
        in_job: true,
        help: "When to try all helpful steps instead of one from each state: auto, in a second search where a path of single steps fails; always, at once; never, and a path that fails leaves the property unknown",
    },
    Spec {
        name: "compat",
        form: Choice(&["both", "cmurphi", "rumur"]),
        default: "both",
        value: "TOOL",
        commands: &[Check, Prove, Certify, Run, Print],
        in_job: true,
        help: "Whose run-time errors to report where CMurphi and Rumur differ (docs/language.md)",
    },
    Spec {
        name: "exact",
        form: Switch,
        default: "",
        value: "",
        commands: &[Check, Run],
        in_job: true,
        help: "Remember whole states: more memory, and no probability of missing one",
    },
    Spec {
        name: "fingerprint-bits",
        form: Number { least: 40, most: 64 },
        default: "56",
        value: "N",
        commands: &[Check, Run],
        in_job: true,
        help: "Bits of a state's hash that are remembered; the report bounds the probability that one was missed",
    },
    Spec {
        name: "shortest",
        form: Switch,
        default: "",
        value: "",
        commands: &[Check, Run],
        in_job: true,
        help: "Search level by level, so that the first violation has a shortest trace",
    },
    Spec {
        name: "max-errors",
        form: COUNT,
        default: "1",
        value: "N",
        commands: &[Check, Run],
        in_job: true,
        help: "Stop after this many violations",
    },
    Spec {
        name: "max-states",
        form: COUNT,
        default: "",
        value: "N",
        commands: &[Check, Run],
        in_job: true,
        help: "Give up with the verdict unknown when more states than this were found",
    },
    Spec {
        name: "time",
        form: Time,
        default: "",
        value: "TIME",
        commands: &[Check, Prove, Certify, Run],
        in_job: true,
        help: "Give up with the verdict unknown after this time, as 90s, 1h30m or 02:30:00",
    },
    Spec {
        name: "memory",
        form: Size,
        default: "",
        value: "SIZE",
        commands: &[Check, Prove, Certify, Run],
        in_job: true,
        help: "Memory that each rank may use, as 4GiB; otherwise its share of what the machine and the batch \
               system grant",
    },
    Spec {
        name: "batch",
        form: Number { least: 1, most: 1_000_000 },
        default: "2000",
        value: "N",
        commands: &[Check, Run, CommCheck],
        in_job: true,
        help: "States that travel in one message at most",
    },
    Spec {
        name: "credits",
        form: Number { least: 0, most: 100_000 },
        default: "",
        value: "N",
        commands: &[Check, Run, CommCheck],
        in_job: true,
        help: "Messages to one rank that may be unacknowledged; 0 turns the limit off; otherwise 128 shared by all ranks, \
               and at least 8",
    },
    Spec {
        name: "owner",
        form: Choice(&["auto", "hash", "locality"]),
        default: "auto",
        value: "HOW",
        commands: &[Check, Run],
        in_job: true,
        help: "Which rank owns a state: hash, by all of it, which is even; locality, by the slots that the fewest rules \
               write, so that more successors stay where they were made, and the load may be uneven; auto, locality on \
               two ranks without symmetry if owners expand, hash otherwise",
    },
    Spec {
        name: "expand",
        form: Choice(&["finder", "owner"]),
        default: "finder",
        value: "WHO",
        commands: &[Check, Run],
        in_job: true,
        help: "Which rank expands a new state: finder, the one that found it, which keeps states in a good order and \
               sends hashes alone; owner, the one that remembers it, also where a liveness property, an assumption, --exact \
               or --shortest needs it",
    },
    Spec {
        name: "take-in",
        form: Choice(&["auto", "at-once", "later"]),
        default: "auto",
        value: "WHEN",
        commands: &[Check, Run],
        in_job: true,
        help: "When the successors of a few states that were expanded together are looked up: at-once; later, when the next \
               few have been expanded and memory has had time; auto, later where the store has outgrown the processor's caches",
    },
    Spec {
        name: "balance",
        form: Number { least: 0, most: 1_000_000 },
        default: "5",
        value: "N",
        commands: &[Check, Run],
        in_job: true,
        help: "Lend states to ranks whose queue is this many times shorter; 0 turns it off",
    },
    Spec {
        name: "spool",
        form: Text,
        default: "",
        value: "DIR",
        commands: &[Check, Run],
        in_job: true,
        help: "A folder on a fast local disk for queues that do not fit in memory and for the log of steps; \
               otherwise the system's folder for temporary files",
    },
    Spec {
        name: "profile",
        form: Switch,
        default: "",
        value: "",
        commands: &[Check, Run],
        in_job: true,
        help: "List each rule with how often it fired and how many new states it found",
    },
    Spec {
        name: "method",
        form: Choice(&["split", "tmmc", "tmmcir"]),
        default: "split",
        value: "NAME",
        commands: &[Prove, Run],
        in_job: true,
        help: "How to prove: split, the strongest split invariant, exposing local state where it does not suffice; \
               tmmc, thread-modular, exposing nothing; tmmcir, thread-modular with refinement",
    },
    Spec {
        name: "rounds",
        form: Number { least: 0, most: 1_000_000 },
        default: "20",
        value: "N",
        commands: &[Prove, Run],
        in_job: true,
        help: "Rounds of refinement at most; the verdict is unknown when they do not suffice",
    },
    Spec {
        name: "aux",
        form: List,
        default: "",
        value: "PRED",
        commands: &[Prove, Run],
        in_job: true,
        help: "Expose from the start whether a local variable has a value, as 'place[3] = Critical'; * stands for any \
               index",
    },
    Spec {
        name: "certificate",
        form: Text,
        default: "",
        value: "FILE",
        commands: &[Prove],
        in_job: false,
        help: "Write the proof as data (docs/proof.md): JSON where the name ends in .json, bincode otherwise; \
               verify certify checks it",
    },
    Spec {
        name: "max-views",
        form: COUNT,
        default: "10000",
        value: "N",
        commands: &[Certify],
        in_job: false,
        help: "Check view by view where the components have at most so many, and an invariant as many states to try it in; \
               else symbolically",
    },
    Spec {
        name: "stage",
        form: Choice(&["source", "ast", "ir", "processes", "relations"]),
        default: "ir",
        value: "STAGE",
        commands: &[Print],
        in_job: false,
        help: "What to print: the source anew, its syntax tree, the typed model, its processes with what is \
               local to each, or its decision diagrams: the order of the variables and each rule's relation",
    },
    Spec {
        name: "check",
        form: Switch,
        default: "",
        value: "",
        commands: &[Fmt],
        in_job: false,
        help: "Change nothing; name the files that would change, and exit with 1 if there are any",
    },
    Spec {
        name: "write",
        form: Switch,
        default: "",
        value: "",
        commands: &[Fmt],
        in_job: false,
        help: "Write the files instead of printing the result",
    },
    Spec {
        name: "items",
        form: Number { least: 1, most: 100_000_000 },
        default: "10000",
        value: "N",
        commands: &[CommCheck],
        in_job: false,
        help: "Items that each rank sends to each other rank",
    },
    Spec {
        name: "item-bytes",
        form: Number { least: 16, most: 65_536 },
        default: "64",
        value: "N",
        commands: &[CommCheck],
        in_job: false,
        help: "Bytes of each item",
    },
    Spec {
        name: "pings",
        form: Number { least: 1, most: 1_000_000 },
        default: "50",
        value: "N",
        commands: &[CommCheck],
        in_job: false,
        help: "Round trips that a pair's latency is the median of",
    },
    Spec {
        name: "fail-rank",
        form: Number { least: 0, most: 1_000_000 },
        default: "",
        value: "RANK",
        commands: &[CommCheck],
        in_job: false,
        help: "Let this rank fail in the middle, to see that the whole run ends at once",
    },
    Spec {
        name: "ranks",
        form: Number { least: 1, most: 4096 },
        default: "1",
        value: "N",
        commands: &[Check, Prove, Run, CommCheck],
        in_job: false,
        help: "Ranks as threads of this process; under mpirun or srun the launcher says how many",
    },
    Spec {
        name: "transport",
        form: Choice(&["auto", "mpi", "threads"]),
        default: "auto",
        value: "NAME",
        commands: &[Check, Prove, Run, CommCheck],
        in_job: false,
        help: "How ranks talk: auto is mpi under a launcher and threads otherwise",
    },
    Spec {
        name: "progress",
        form: Choice(&["auto", "line", "ndjson", "off"]),
        default: "auto",
        value: "FORM",
        commands: &[Check, Run],
        in_job: false,
        help: "Progress on standard error: a live line, or one JSON record an interval; auto, a line on a \
               terminal and records elsewhere once a run is long",
    },
    Spec {
        name: "json",
        form: Text,
        default: "",
        value: "FILE",
        commands: &[Check, Prove, Certify, Run, CommCheck],
        in_job: false,
        help: "Write the result as one JSON document; - is standard output, and text goes to standard error",
    },
    Spec {
        name: "itf",
        form: Text,
        default: "",
        value: "FILE",
        commands: &[Check, Prove, Run],
        in_job: false,
        help: "Write the first violation's trace in the Informal Trace Format",
    },
    Spec {
        name: "quiet",
        form: Switch,
        default: "",
        value: "",
        commands: &[Check, Prove, Certify, Run, CommCheck],
        in_job: false,
        help: "Print the verdict and nothing else",
    },
];

/// The option of this name, if `command` has it (or any has, without a command).
pub fn find(name: &str, command: Option<Command>) -> Option<&'static Spec> {
    TABLE.iter().find(|spec| spec.name == name && command.is_none_or(|c| spec.commands.contains(&c)))
}

/// Defaults of single commands that differ from the table's. Proofs are compared with published ones, which compute all.
const OTHER_DEFAULTS: [(&str, Command, &str); 1] = [("symmetry", Prove, "off")];

impl Spec {
    /// What counts where a command is given nothing; empty when there is no default.
    pub fn default_of(&self, command: Command) -> &'static str {
        let other = OTHER_DEFAULTS.iter().find(|(name, of, _)| *name == self.name && *of == command);
        other.map_or(self.default, |(_, _, default)| default)
    }

    /// The defaults for people: the table's, then those of single commands.
    fn defaults(&self) -> String {
        let others = OTHER_DEFAULTS.iter().filter(|(name, _, _)| *name == self.name);
        let others = others.map(|(_, command, default)| format!("; {default} for {}", command.name()));
        let first = if self.default.is_empty() { "–" } else { self.default };
        first.to_string() + &others.collect::<String>()
    }

    /// Why `text` is not a value of this option; `None` when it is.
    pub fn refuse(&self, text: &str) -> Option<String> {
        match self.form {
            Switch => match text {
                "true" | "false" => None,
                _ => Some(format!("'{text}' is not true or false")),
            },
            Number { least, most } => match parse_number(text) {
                None => Some(format!("'{text}' is not a whole number")),
                Some(n) if n < least => Some(format!("{text} is too small; the least is {least}")),
                Some(n) if n > most => Some(format!("{text} is too large; the most is {most}")),
                Some(_) => None,
            },
            Size => size::parse(text).err(),
            Time => clock::parse_duration(text).err(),
            Choice(choices) if !choices.contains(&text) => {
                Some(format!("'{text}' is not one of {}", choices.join(", ")))
            }
            Several(choices) => {
                let odd = text.split(',').find(|word| !choices.contains(word))?;
                Some(format!("'{odd}' is not one of {}", choices.join(", ")))
            }
            Choice(_) | Text | List => None,
        }
    }
}

/// `docs/options.md`.
pub fn markdown() -> String {
    let mut out = String::from(
        "# Options\n\nMade from the option table (`src/job/options.rs`); `VERIFY_BLESS=1 cargo test --test docs` writes \
         it anew.\nOptions marked *job* may also stand in a job file under `[options]`.\n\n\
         | option | commands | default | what it does |\n|---|---|---|---|\n",
    );
    for spec in TABLE {
        let commands: Vec<&str> = spec.commands.iter().map(|c| c.name()).collect();
        let value = if spec.value.is_empty() { String::new() } else { format!(" {}", spec.value) };
        let choices = match spec.form {
            Choice(choices) | Several(choices) => format!(" ({})", choices.join(", ")),
            Number { least, most } if most < u64::MAX => format!(" ({least} to {most})"),
            _ => String::new(),
        };
        let job = if spec.in_job { ", *job*" } else { "" };
        out += &format!(
            "| `--{}{value}` | {}{job} | {} | {}{choices} |\n",
            spec.name,
            commands.join(", "),
            spec.defaults(),
            spec.help,
        );
    }
    out
}

impl Command {
    pub fn name(self) -> &'static str {
        match self {
            Check => "check",
            Prove => "prove",
            Certify => "certify",
            Run => "run",
            Print => "print",
            Fmt => "fmt",
            CommCheck => "comm-check",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_of_its_option() {
        for spec in TABLE {
            if !spec.default.is_empty() {
                assert_eq!(spec.refuse(spec.default), None, "{}", spec.name);
            }
            assert!(spec.help.len() > 10 && !spec.help.ends_with('.'), "{}", spec.name);
        }
        let mut names: Vec<_> = TABLE.iter().map(|spec| spec.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), TABLE.len(), "names are unique");
    }
}
