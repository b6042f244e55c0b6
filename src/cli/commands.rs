//! What each command does, above the rooms that do it.

use std::path::{Path, PathBuf};

use super::args::Request;
use super::{complain, emit, first_task, launch};
use crate::base::size;
use crate::comm::{Comm, collective};
use crate::exchange;
use crate::host::signals::Signals;
use crate::ir;
use crate::job::check::{self, Task};
use crate::job::comm_check::{self, CommFigures};
use crate::job::options::{Command, Values};
use crate::job::prove::task_of_model;
use crate::job::{Exit, Refusal, model};
use crate::job::{bdd, certify};
use crate::report::compare::{self, Line};
use crate::report::document::{self, Document};
use crate::report::{comm as comm_report, table::Table, text};
use crate::verdict::Verdict;

pub fn run(request: &Request) -> Result<Exit, Refusal> {
    let (values, paths) = (&request.values, &request.paths);
    match request.command {
        Command::Check => check(values, paths, Task::of_model),
        Command::Run => check(values, paths, Task::of_job),
        Command::Prove => check(values, paths, task_of_model),
        Command::CommCheck => comm_check(values),
        // What follows concerns no other rank: of many tasks, one does it.
        _ if !first_task() => Ok(Exit::Holds),
        Command::Certify => certify(values, &paths[0], &paths[1]),
        Command::Print => print(values, &paths[0]),
        Command::Fmt => fmt(values, paths),
    }
}

fn check(
    values: &Values,
    paths: &[PathBuf],
    task: fn(&Path, &Values) -> Result<Task, Refusal>,
) -> Result<Exit, Refusal> {
    let signals = Signals::watch().map_err(|error| Refusal::environment(error.to_string()))?;
    launch::on_all_ranks(values, |comm, _| {
        let mut shown = Vec::new();
        for path in paths {
            let answer = check::run(comm, || task(path, values), &signals);
            shown.extend(answer.map(|answer| show_answer(values, path, answer)));
        }
        let exit = comm.rank().is_root().then(|| conclude(values, shown));
        agree(comm, exit)
    })
}

/// A run that was told.
struct Shown {
    line: Line,
    json: String,
    exit: Exit,
}

/// Prints a result as soon as it is there, at rank 0.
fn show_answer(values: &Values, path: &Path, answer: Result<Document, (String, Refusal)>) -> Shown {
    let title = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    match answer {
        Ok(document) => {
            let mut shown =
                if values.switch("quiet") { text::verdict(&document) } else { text::result(&document) };
            if values.switch("profile") {
                shown = text::profile(&document) + &shown;
            }
            print_text(values, &shown);
            let exit = match document.verdict {
                Verdict::Holds => Exit::Holds,
                Verdict::Violated => Exit::Violated,
                Verdict::Unknown => Exit::Unknown,
                Verdict::Error => Exit::Environment,
            };
            let json = document.json();
            Shown { line: Line { name: title, document: Some(document) }, json, exit }
        }
        Err((name, refusal)) => {
            let name = if name.is_empty() { path.display().to_string() } else { name };
            complain(&refusal.text);
            let json = document::error_json(&name, refusal.text.trim_end());
            Shown { line: Line { name: title, document: None }, json, exit: refusal.exit }
        }
    }
}

/// Writes what goes to files, and of several runs the table; the exit is that of the worst.
fn conclude(values: &Values, shown: Vec<Shown>) -> Exit {
    let mut exit = shown.iter().map(|run| run.exit).max_by_key(|exit| exit.weight()).unwrap_or(Exit::Holds);
    let itf = shown.iter().find_map(|run| run.line.document.as_ref().and_then(|run| run.itf.as_ref()));
    let several = shown.len() > 1;
    let json = match several {
        false => shown.iter().map(|run| run.json.as_str()).collect(),
        true => {
            let parts: Vec<&str> = shown.iter().map(|run| run.json.trim_end()).collect();
            format!("[{}]\n", parts.join(",\n"))
        }
    };
    let written = write_itf(values, itf).and_then(|()| write_json(values, &json));
    let lines: Vec<Line> = shown.into_iter().map(|run| run.line).collect();
    if several {
        print_text(values, &format!("\n{}", compare::summary(&lines)));
    }
    if let Err(refusal) = written {
        complain(&refusal.text);
        exit = refusal.exit;
    }
    exit
}

fn certify(values: &Values, model: &Path, path: &Path) -> Result<Exit, Refusal> {
    match certify::run(model, path, values) {
        Ok(certified) => {
            print_text(values, &if values.switch("quiet") { certified.verdict() } else { certified.text() });
            write_json(values, &certified.json())?;
            Ok(certify::exit(certified.verdict))
        }
        Err(refusal) => {
            write_json(values, &document::error_json(&model::display_name(model), refusal.text.trim_end()))?;
            Err(refusal)
        }
    }
}

fn print(values: &Values, path: &Path) -> Result<Exit, Refusal> {
    let source = model::source(&model::display_name(path), model::read(path)?)?;
    let stage = values.choice("stage");
    if let "source" | "ast" = stage {
        let tree = model::parse(&source)?;
        emit(&if stage == "ast" { format!("{tree:#?}\n") } else { model::print(&tree, &source)? });
        return Ok(Exit::Holds);
    }
    let constants = model::constants(&[], values.list("const"))?;
    let (lowered, warnings) = model::lower(&source, &constants)?;
    eprint!("{warnings}");
    emit(&match stage {
        "relations" => bdd::relations(&lowered.model, check::eval_options(values))?,
        "processes" => ir::component::components(&lowered.model).print(&lowered.model),
        _ => ir::print::print(&lowered.model),
    });
    Ok(Exit::Holds)
}

fn fmt(values: &Values, paths: &[PathBuf]) -> Result<Exit, Refusal> {
    let (checking, writing) = (values.switch("check"), values.switch("write"));
    let mut exit = Exit::Holds;
    for path in paths {
        let source = model::source(&model::display_name(path), model::read(path)?)?;
        let printed = model::print(&model::parse(&source)?, &source)?;
        let changed = printed != source.text();
        if checking && changed {
            emit(&format!("{}\n", path.display()));
            exit = Exit::Violated;
        } else if writing && changed && path != Path::new("-") {
            std::fs::write(path, printed).map_err(|error| {
                Refusal::environment(format!("{}: cannot be written: {error}", path.display()))
            })?;
        } else if !checking && !writing {
            emit(&printed);
        }
    }
    Ok(exit)
}

fn comm_check(values: &Values) -> Result<Exit, Refusal> {
    let number = |name: &str| values.number(name).expect("options of comm-check have defaults");
    let options = |ranks| comm_check::Options {
        items: number("items"),
        item_bytes: number("item-bytes") as usize,
        pings: number("pings"),
        fail_rank: values.number("fail-rank"),
        exchange: exchange::Settings {
            batch_items_max: number("batch") as u32,
            credits: values.credits(ranks),
            ..Default::default()
        },
    };
    launch::on_all_ranks(values, |comm, transport| {
        let options = options(comm.ranks());
        let figures = comm_check::run(comm, &options, transport);
        let exit = figures.map(|figures| show_comm_figures(values, &figures));
        agree(comm, exit)
    })
}

/// Rank 0's exit, on every rank.
fn agree(comm: &mut dyn Comm, exit: Option<Exit>) -> Exit {
    let code = collective::broadcast(comm, exit.map(|exit| vec![exit.code() as u8]));
    Exit::from_code(code[0])
}

fn show_comm_figures(values: &Values, figures: &CommFigures) -> Exit {
    let all_right = figures.all_right();
    let text = if values.switch("quiet") { String::new() } else { comm_text(figures) };
    let verdict = if all_right {
        format!(
            "comm-check: all {} ranks hear each other, every item came once and unchanged\n",
            figures.ranks.len()
        )
    } else {
        "comm-check: items were lost or changed; the transport cannot be trusted\n".to_string()
    };
    let json = serde_json::to_string_pretty(figures).expect("figures are plain data") + "\n";
    print_text(values, &(text + &verdict));
    if let Err(refusal) = write_json(values, &json) {
        complain(&refusal.text);
        return refusal.exit;
    }
    if all_right { Exit::Holds } else { Exit::Environment }
}

/// Writes the trace that `--itf` asks for, where there is one.
fn write_itf(values: &Values, trace: Option<&String>) -> Result<(), Refusal> {
    let (Some(path), Some(trace)) = (values.text("itf"), trace) else { return Ok(()) };
    std::fs::write(path, trace)
        .map_err(|error| Refusal::environment(format!("{path}: cannot be written: {error}")))
}

/// Puts text on standard output, or on standard error where JSON has standard output.
fn print_text(values: &Values, text: &str) {
    match values.text("json") {
        Some("-") => eprint!("{text}"),
        _ => emit(text),
    }
}

/// Puts JSON where `--json` says.
fn write_json(values: &Values, json: &str) -> Result<(), Refusal> {
    match values.text("json") {
        None => {}
        Some("-") => emit(json),
        Some(path) => std::fs::write(path, json)
            .map_err(|error| Refusal::environment(format!("{path}: cannot be written: {error}")))?,
    }
    Ok(())
}

fn comm_text(figures: &CommFigures) -> String {
    let ranks = figures.ranks.len() as u32;
    let pairs: Vec<comm_report::Pair> = figures
        .ranks
        .iter()
        .flat_map(|rank| &rank.pairs)
        .map(|pair| comm_report::Pair {
            low: pair.low,
            high: pair.high,
            latency_us: pair.latency_us,
            low_to_high_mb_s: pair.low_to_high_mb_s,
            high_to_low_mb_s: pair.high_to_low_mb_s,
        })
        .collect();
    let mut table = Table::new([
        "rank", "machine", "process", "memory", "items/s", "MB/s", "batches", "wrong", "missing",
    ]);
    for rank in &figures.ranks {
        let per_second = |n: u64| n as f64 / rank.exchange_seconds.max(1e-9);
        table.row([
            rank.rank.to_string(),
            rank.machine.clone(),
            rank.pid.to_string(),
            size::format(rank.memory_bytes),
            size::count(per_second(rank.items_sent) as u64),
            format!("{:.1}", per_second(rank.bytes_sent) / 1e6),
            size::count(rank.batches_sent),
            size::count(rank.items_wrong),
            size::count(rank.items_missing),
        ]);
    }
    let plural = if ranks == 1 { "rank" } else { "ranks" };
    format!(
        "{ranks} {plural}, {}\n\n{}\nAll ranks at once, through the exchange (sent by each rank):\n{}\n",
        figures.transport,
        comm_report::pairs(ranks, &pairs),
        table.render()
    )
}
