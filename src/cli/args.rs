//! The command line, made from the option table.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches};

use crate::job::options::{Command, Form, Spec, TABLE, Values};

/// What was typed, checked as far as one option can be.
#[derive(Clone, Debug)]
pub struct Request {
    pub command: Command,
    /// Models, or job files; for `certify`, the model and the certificate.
    pub paths: Vec<PathBuf>,
    pub values: Values,
    pub verbosity: u8,
}

const ABOUT: &str = "Verifies concurrent protocols written in Murphi, on one machine or many";
const AFTER: &str = "Exit codes: 0 holds, 1 violated, 2 usage or model error, 3 environment error, 4 unknown.\n\
                     Ranks: mpirun -n 4 verify check MODEL, or verify check MODEL --ranks 4 without MPI.";

struct Positional {
    name: &'static str,
    help: &'static str,
    many: bool,
}

const MODEL: Positional =
    Positional { name: "MODEL", help: "The Murphi model; - is standard input", many: false };
const MODELS: Positional =
    Positional { name: "MODEL", help: "Murphi models; - is standard input", many: true };
const JOBS: Positional = Positional { name: "JOB", help: "Job files (TOML)", many: true };
const CERTIFICATE: Positional =
    Positional { name: "CERTIFICATE", help: "The file that verify prove --certificate wrote", many: false };

struct Words {
    command: Command,
    about: &'static str,
    paths: &'static [Positional],
}

const COMMANDS: [Words; 7] = [
    Words {
        command: Command::Check,
        about: "Search a model's reachable states for violations",
        paths: &[MODEL],
    },
    Words {
        command: Command::Prove,
        about: "Prove a model's invariants component by component, without searching its states",
        paths: &[MODEL],
    },
    Words {
        command: Command::Certify,
        about: "Check a certificate of a proof against a model, by enumeration and the evaluator alone",
        paths: &[MODEL, CERTIFICATE],
    },
    Words {
        command: Command::Run,
        about: "Do what job files say; options given here win over the files'. Several end with one table",
        paths: &[JOBS],
    },
    Words {
        command: Command::Print,
        about: "Print a model at a stage of its way to the engines",
        paths: &[MODEL],
    },
    Words { command: Command::Fmt, about: "Print models prettily, comments included", paths: &[MODELS] },
    Words {
        command: Command::CommCheck,
        about: "Check that all ranks hear each other, and how fast; what to run first when something is odd",
        paths: &[],
    },
];

/// The whole command line, for parsing, help and completions.
pub fn command() -> clap::Command {
    let verbose = Arg::new("verbose")
        .short('v')
        .long("verbose")
        .action(ArgAction::Count)
        .global(true)
        .help("Say what is being done; twice for more");
    let mut root = clap::Command::new("verify")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(AFTER)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(verbose);
    for words in &COMMANDS {
        let mut sub = clap::Command::new(words.command.name()).about(words.about);
        for path in words.paths {
            let action = if path.many { ArgAction::Append } else { ArgAction::Set };
            let arg = Arg::new(path.name).value_name(path.name).help(path.help).required(true).action(action);
            sub = sub.arg(arg.value_parser(clap::value_parser!(PathBuf)));
        }
        for spec in TABLE.iter().filter(|spec| spec.commands.contains(&words.command)) {
            sub = sub.arg(argument(spec, words.command));
        }
        root = root.subcommand(sub);
    }
    root
}

fn argument(spec: &'static Spec, command: Command) -> Arg {
    let mut help = spec.help.to_string();
    if let Form::Choice(choices) | Form::Several(choices) = spec.form {
        help += &format!(" [{}]", choices.join(", "));
    }
    let default = spec.default_of(command);
    if !default.is_empty() {
        help += &format!(" [default: {default}]");
    }
    let arg = Arg::new(spec.name).long(spec.name).help(help);
    let arg = if spec.name == "quiet" { arg.short('q') } else { arg };
    let check = move |text: &str| match spec.refuse(text) {
        Some(why) => Err(why),
        None => Ok(text.to_string()),
    };
    match spec.form {
        Form::Switch => arg.action(ArgAction::SetTrue),
        Form::List => arg.action(ArgAction::Append).value_name(spec.value),
        Form::Several(_) => {
            arg.action(ArgAction::Append).value_name(spec.value).value_parser(ValueParser::from(check))
        }
        _ => arg.action(ArgAction::Set).value_name(spec.value).value_parser(ValueParser::from(check)),
    }
}

/// Parses the words; the first is the program's name.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Request, clap::Error> {
    let matches = command().try_get_matches_from(words)?;
    let (name, matches) = matches.subcommand().expect("clap requires a command");
    let words = COMMANDS.iter().find(|words| words.command.name() == name).expect("a command of the table");
    let given = |path: &Positional| matches.get_many::<PathBuf>(path.name).into_iter().flatten().cloned();
    let paths = words.paths.iter().flat_map(given).collect();
    let values = values_of(words.command, matches);
    Ok(Request { command: words.command, paths, values, verbosity: matches.get_count("verbose") })
}

fn values_of(command: Command, matches: &ArgMatches) -> Values {
    let mut values = Values::default();
    let mut set = |spec: &'static Spec, text: &str| {
        values.set(spec, text).unwrap_or_else(|why| panic!("clap let pass {}: {why}", spec.name));
    };
    for spec in TABLE.iter().filter(|spec| spec.commands.contains(&command)) {
        match spec.form {
            Form::Switch if matches.get_flag(spec.name) => set(spec, "true"),
            Form::Switch => {}
            _ => {
                matches.get_many::<String>(spec.name).into_iter().flatten().for_each(|text| set(spec, text));
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Request, clap::Error> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn options_are_read_and_checked_by_the_table() {
        let request = words("verify check a.m --const N=3 --const M=4 --batch 5 --no-deadlock -v").unwrap();
        assert_eq!(request.command, Command::Check);
        assert_eq!(request.values.list("const"), ["N=3", "M=4"]);
        assert_eq!(request.values.number("batch"), Some(5));
        assert!(request.values.switch("no-deadlock") && !request.values.switch("quiet"));
        assert_eq!(request.verbosity, 1);
        let error = words("verify check a.m --batch 0").unwrap_err().to_string();
        assert!(error.contains("too small"), "{error}");
        assert!(words("verify check a.m --symmetry perhaps").is_err());
        assert!(words("verify check").is_err());
        assert_eq!(words("verify certify a.m a.json").unwrap().paths.len(), 2);
        assert!(words("verify certify a.m").is_err());
        assert!(words("verify comm-check a.m").is_err());
    }
}
