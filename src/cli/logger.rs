//! Log lines on standard error, each with the rank that wrote it.

use std::io::Write;

use log::LevelFilter;

use crate::comm::identity;

/// `-v` shows what is done, `-vv` how; `VERIFY_LOG` takes env_logger's filters and wins.
pub fn start(verbosity: u8) {
    let level = match verbosity {
        0 => LevelFilter::Warn,
        1 => LevelFilter::Info,
        2 => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    let mut builder = env_logger::Builder::new();
    // The compiler of machine code says a lot, which few want to know.
    for module in
        ["cranelift_codegen", "cranelift_frontend", "cranelift_jit", "cranelift_module", "regalloc2"]
    {
        builder.filter_module(module, level.min(LevelFilter::Warn));
    }
    builder.filter_level(level).parse_env("VERIFY_LOG").format(|out, record| {
        let level = record.level().as_str().to_ascii_lowercase();
        match identity::get() {
            Some(rank) => writeln!(out, "[rank {rank}] {level}: {}", record.args()),
            None => writeln!(out, "{level}: {}", record.args()),
        }
    });
    // A second start in one process (tests) keeps the first logger.
    let _ = builder.try_init();
}
