//! The binary as a user meets it: exit codes, messages, results, job files, signals. Ranks are threads here;
//! `tests/mpi.sh` does the same under real launchers.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The binary with words, without any launcher's variables.
fn verify(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verify"));
    command.args(words.split_whitespace()).current_dir(root());
    for (name, _) in std::env::vars() {
        if ["OMPI_", "PMI_", "PMIX_", "SLURM_", "VERIFY_"].iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
}

fn run(words: &str) -> Output {
    verify(words).stdin(Stdio::null()).output().expect("the binary runs")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("verify-cli-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder.join(name)
}

#[track_caller]
fn assert_code(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "\n{}\n{}", out(output), err(output));
}

#[test]
fn exit_codes_are_as_promised() {
    assert_code(&run("check models/mutex.m"), 0);
    assert_code(&run("check models/broken/mutex_no_lock.m --ranks 2"), 1);
    assert_code(&run("check no-such-model.m"), 2);
    assert_code(&run("check models/mutex.m --bogus"), 2);
    assert_code(&run("check models/german.m --max-states 100 --ranks 2"), 4);
    assert_code(&run("comm-check --ranks 2 --items 100 --fail-rank 1"), 3);
    assert_code(&run("check models/mutex.m --json /no/such/folder/x.json"), 3);
    assert_code(&run("check models/mutex.m --spool /proc/no-such-folder"), 3);
    assert_code(&run("--version"), 0);
    assert_code(&run("--help"), 0);
}

#[test]
fn a_violation_is_told_as_a_story() {
    let text = out(&run("check models/broken/mutex_no_lock.m --shortest"));
    assert!(text.contains("invariant \"at most one thread works\" is violated after 4 steps"), "{text}");
    assert!(text.contains("place[*]"), "{text}");
    assert!(text.contains("Waiting -> Working"), "{text}");
    assert!(text.ends_with("VIOLATED: 1 of 3 checks: stopped at the first violation\n"), "{text}");
}

#[test]
fn errors_in_models_are_located_and_several() {
    let path = scratch("bad.m");
    std::fs::write(&path, "var x : 0..3;\nrule y := 1; end;\nrule z := 2; end;\nstartstate x := 0; end;\n")
        .unwrap();
    let output = run(&format!("check {}", path.display()));
    assert_code(&output, 2);
    let text = err(&output);
    assert!(text.contains("bad.m:2:6") && text.contains("bad.m:3:6"), "{text}");
    assert!(text.contains("2 | rule y := 1; end;"), "{text}");
}

#[test]
fn the_json_document_has_the_promised_keys() {
    for (words, verdict) in
        [("models/german.m --ranks 3", "holds"), ("models/broken/german_lost_write.m", "violated")]
    {
        let output = run(&format!("check {words} --json -"));
        let document: serde_json::Value =
            serde_json::from_str(&out(&output)).expect("standard output is one document");
        for key in [
            "version",
            "tool",
            "model",
            "ranks",
            "verdict",
            "states",
            "rules_fired",
            "seconds",
            "store_bytes_per_state",
            "peak_bytes",
            "omission_bound",
            "digest",
            "checks",
        ] {
            assert!(document.get(key).is_some(), "{key}");
        }
        assert_eq!(document["verdict"], verdict);
        assert_eq!(
            document["peak_bytes"].as_array().map(Vec::len),
            document["ranks"].as_u64().map(|n| n as usize)
        );
        let violated =
            document["checks"].as_array().unwrap().iter().filter(|check| check["verdict"] == "violated");
        assert!(
            violated
                .into_iter()
                .all(|check| check["trace"]["steps"].as_array().is_some_and(|s| !s.is_empty()))
        );
    }
    let output = run("check no-such-model.m --json -");
    let document: serde_json::Value = serde_json::from_str(&out(&output)).expect("errors are documents too");
    assert_eq!(document["verdict"], "error");
}

#[test]
fn a_trace_is_written_in_itf() {
    let path = scratch("trace.itf.json");
    assert_code(&run(&format!("check models/broken/directory_stale_data.m --itf {}", path.display())), 1);
    let trace: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(trace["#meta"]["format"], "ITF");
    let vars = trace["vars"].as_array().unwrap();
    let states = trace["states"].as_array().unwrap();
    assert!(states.len() > 1 && !vars.is_empty());
    assert!(states.iter().all(|state| vars.iter().all(|var| state.get(var.as_str().unwrap()).is_some())));
}

#[test]
fn a_job_compares_with_published_figures_and_flags_win() {
    let output = run("run jobs/german4_symmetry.toml --ranks 2");
    assert_code(&output, 0);
    let text = out(&output);
    assert!(text.contains("28,088") && text.matches("equal").count() == 2, "{text}");
    let output = run("run jobs/german4_symmetry.toml --const NODE_NUM=2 --symmetry off");
    assert!(out(&output).contains("3,390") && out(&output).contains("differs"), "{}", out(&output));
    let path = scratch("bad.toml");
    std::fs::write(&path, "model = 'x.m'\n[options]\nbacth = 1\n").unwrap();
    let output = run(&format!("run {}", path.display()));
    assert_code(&output, 2);
    assert!(err(&output).contains("bad.toml:3:1: error: unknown option 'bacth'; did you mean 'batch'?"));
}

#[test]
fn every_job_file_is_readable_and_names_a_model() {
    for entry in std::fs::read_dir(root().join("jobs")).unwrap().flatten() {
        let job = verify::job::file::read(&entry.path()).unwrap_or_else(|refusal| panic!("{}", refusal.text));
        assert!(job.model.exists(), "{}: {}", entry.path().display(), job.model.display());
    }
}

#[test]
fn models_are_read_from_standard_input_and_printed() {
    let mut child = verify("fmt -").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"-- hello\nvar x:0..1;startstate x:=0;end;").unwrap();
    let text = out(&child.wait_with_output().unwrap());
    assert!(text.contains("-- hello") && text.contains("x : 0..1"), "{text}");
    for stage in ["source", "ast", "ir", "processes"] {
        let output = run(&format!("print models/german.m --stage {stage}"));
        assert_code(&output, 0);
        assert!(out(&output).contains("Chan1") || stage == "processes", "{stage}");
    }
    assert_code(&run("fmt --check models/mutex.m models/no-such.m"), 2);
}

#[test]
fn a_panic_is_told_once_and_ends_all_ranks() {
    let begin = Instant::now();
    let output = run("comm-check --ranks 4 --items 100 --fail-rank 2");
    assert!(begin.elapsed() < Duration::from_secs(20));
    assert_eq!(err(&output).matches("internal error").count(), 1, "{}", err(&output));
    assert!(err(&output).contains("rank 2: internal error: this rank was asked to fail"));
}

#[test]
fn a_signal_ends_a_search_in_order() {
    let child = verify("check models/german.m --const NODE_NUM=6 --symmetry off --ranks 2 --json -")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let begin = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(30), "the search ends soon after the signal");
    assert_code(&output, 4);
    let document: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(document["verdict"], "unknown");
    assert!(document["states"].as_u64().unwrap() > 0);
}

#[test]
fn a_binary_alone_among_many_tasks_refuses() {
    let output = verify("check models/mutex.m --transport threads")
        .env("OMPI_COMM_WORLD_SIZE", "4")
        .env("OMPI_COMM_WORLD_RANK", "0")
        .output()
        .unwrap();
    assert_code(&output, 3);
    assert!(err(&output).contains("started 4 tasks"), "{}", err(&output));
}

#[test]
fn a_profile_names_rules() {
    let text = out(&run("check models/german.m --profile"));
    assert!(text.contains("new states") && text.contains("SendReqS"), "{text}");
}
