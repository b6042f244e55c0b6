//! What each command does, above the rooms that do it.

use super::args::Request;
use super::{complain, emit, launch};
use crate::base::size;
use crate::comm::{Comm, collective};
use crate::exchange;
use crate::job::comm_check::{self, CommFigures};
use crate::job::options::{Command, Values};
use crate::job::{Exit, Refusal};
use crate::report::{comm as comm_report, table::Table};

pub fn run(request: &Request) -> Result<Exit, Refusal> {
    match request.command {
        Command::CommCheck => comm_check(&request.values),
        _ => Err(Refusal::usage("not yet")),
    }
}

fn comm_check(values: &Values) -> Result<Exit, Refusal> {
    let number = |name: &str| values.number(name).expect("options of comm-check have defaults");
    let options = comm_check::Options {
        items: number("items"),
        item_bytes: number("item-bytes") as usize,
        pings: number("pings"),
        exchange: exchange::Settings {
            batch_items_max: number("batch") as u32,
            credits: number("credits") as u32,
            ..Default::default()
        },
    };
    launch::on_all_ranks(values, |comm, transport| {
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
    if let Err(refusal) = write_result(values, &(text + &verdict), &json) {
        complain(&refusal.text);
        return refusal.exit;
    }
    if all_right { Exit::Holds } else { Exit::Environment }
}

/// Puts text on standard output, and JSON where `--json` says; with `-` the text moves to standard error.
fn write_result(values: &Values, text: &str, json: &str) -> Result<(), Refusal> {
    match values.text("json") {
        Some("-") => {
            eprint!("{text}");
            emit(json);
        }
        Some(path) => {
            emit(text);
            std::fs::write(path, json)
                .map_err(|error| Refusal::environment(format!("{path}: cannot be written: {error}")))?;
        }
        None => emit(text),
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
