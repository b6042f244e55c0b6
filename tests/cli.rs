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
    let mut folders = vec![root().join("jobs")];
    let mut jobs = 0;
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let job = verify::job::file::read(&path).unwrap_or_else(|refusal| panic!("{}", refusal.text));
            assert!(job.model.exists(), "{}: {}", path.display(), job.model.display());
            jobs += 1;
        }
    }
    assert!(jobs > 20, "jobs in folders are read too");
}

#[test]
fn several_jobs_end_with_one_table_and_the_worst_exit_code() {
    let path = scratch("several.json");
    let jobs = "jobs/table_6_1/gbn3.2_sf.toml jobs/table_6_1/snoop2_sf.toml no-such.toml";
    let output = run(&format!("run {jobs} --quiet --json {}", path.display()));
    assert_code(&output, 2);
    let text = out(&output);
    let table: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("job ")).collect();
    assert_eq!(table.len(), 4, "{text}");
    assert!(table[0].contains("verdict") && table[0].contains("expansions per pending"), "{text}");
    assert!(table[1].starts_with("gbn3.2_sf") && table[1].contains("holds"), "{text}");
    assert!(table[2].starts_with("snoop2_sf") && table[2].contains("violated"), "{text}");
    assert!(
        table[2].contains(" 4,274 ") && table[2].contains(" 2,648,763 ") && table[2].contains(" 12.71"),
        "{text}"
    );
    assert!(table[3].contains("error"), "{text}");
    let all: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 3);
    let line = |figure: &str| {
        let lines = all[1]["published"].as_array().unwrap();
        lines.iter().find(|line| line["figure"] == figure).unwrap().clone()
    };
    assert_eq!(
        (line("verdict")["equal"].clone(), line("states")["equal"].clone()),
        (true.into(), false.into())
    );
    assert!(line("expansions_per_pending")["ratio"].as_f64().unwrap() < 1.0);
}

#[test]
fn rounds_without_savings_come_to_the_same_verdict_with_more_expansions() {
    let expansions = |without: &str| {
        let output = run(&format!("check models/liveness/peterson_weak.m --const N=3 --json - {without}"));
        assert_code(&output, 0);
        let document: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
        let rounds = document["responses"][0]["rounds"].as_array().unwrap();
        rounds.iter().map(|round| round["expansions"].as_u64().unwrap()).collect::<Vec<u64>>()
    };
    let all = expansions("");
    let sum = |rounds: &[u64]| rounds.iter().sum::<u64>();
    let each = ["saved", "kernel", "counting"].map(|word| expansions(&format!("--owcty-without {word}")));
    assert!(sum(&each[0]) > sum(&all), "saved: {:?} and {all:?}", each[0]);
    assert!(sum(&each[1]) > sum(&all), "kernel: {:?} and {all:?}", each[1]);
    assert_ne!(each[2], all, "counting");
    let none = expansions("--owcty-without saved,kernel --owcty-without counting");
    assert!(sum(&none) > sum(&all), "{none:?} and {all:?}");
    let output = run("check models/liveness/peterson_weak.m --owcty-without saved,luck");
    assert_code(&output, 2);
    assert!(err(&output).contains("'luck' is not one of saved, kernel, counting"), "{}", err(&output));
}

#[test]
fn a_lasso_is_written_with_its_loop_and_symmetry_given_up_is_said() {
    let (itf, json) = (scratch("lasso.itf.json"), scratch("lasso.json"));
    let (itf_name, json_name) = (itf.display(), json.display());
    let command =
        format!("check models/liveness/muxsem_weak.m --const N=3 --itf {itf_name} --json {json_name}");
    let output = run(&command);
    assert_code(&output, 1);
    assert!(out(&output).contains("symmetry off (given up: "), "{}", out(&output));
    let read = |path: &Path| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let (trace, document) = (read(&itf), read(&json));
    assert!(document["symmetry_note"].as_str().unwrap().starts_with("given up"));
    let checks = document["checks"].as_array().unwrap();
    let lasso = &checks.iter().find(|check| check["lasso"].is_object()).unwrap()["lasso"];
    let lengths = ["stem", "cycle"].map(|part| {
        let steps = if part == "stem" { &lasso["stem"]["steps"] } else { &lasso["cycle"] };
        steps.as_array().unwrap().len()
    });
    let states = trace["states"].as_array().unwrap();
    assert!(lengths[1] > 1, "the cycle has steps");
    assert_eq!(trace["loop"], lengths[0] - 1);
    assert_eq!(states.len(), lengths[0] + lengths[1] - 1);
    assert!(states.iter().enumerate().all(|(at, state)| state["#meta"]["index"] == at));
    let holds = run("check models/liveness/muxsem_strong.m --const N=3 --symmetry off");
    assert!(out(&holds).contains("symmetry off,"), "{}", out(&holds));
}

#[test]
fn one_property_can_be_checked_alone() {
    let output = run("check models/liveness/mcslock.m --const N=3 --property luck");
    assert_code(&output, 2);
    assert!(err(&output).contains("--property luck: the model has no property"), "{}", err(&output));
    let job = run("run jobs/table_4_1/mcslock5.toml --const N=3");
    assert_code(&job, 0);
    assert!(
        out(&job).contains("the lock can become free") && !out(&job).contains("who waits"),
        "{}",
        out(&job)
    );
    assert!(out(&job).contains("symmetry exact") && out(&job).contains("not measured"), "{}", out(&job));
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

#[test]
fn relations_are_printed_with_the_order_of_variables() {
    let text = out(&run("print models/proof/mux_sem.m --const N=2 --stage relations"));
    assert!(text.contains("var place[2]: bits 5-7, 4 values and undefined\n"), "{text}");
    let rule = "rule take the semaphore, i: 1: 11 nodes\n  reads free, place[1]\n  writes free, place[1]\n";
    assert!(text.contains(rule), "{text}");
    let refused = run("print models/directory.m --stage relations");
    assert_code(&refused, 2);
    assert!(err(&refused).contains("directory.m:102:3: the multiset has 36 bits"), "{}", err(&refused));
}

#[test]
fn proofs_tell_what_symmetry_left_to_compute() {
    let json = scratch("symmetric.json");
    let model = "models/proof/mux_sem_last.m";
    let output = run(&format!("prove {model} --symmetry exact --ranks 2 --json {}", json.display()));
    assert_code(&output, 0);
    let note = "1 of 4 components computed, 3 made from these";
    assert!(out(&output).contains(&format!("symmetry exact ({note}), 2 ranks")), "{}", out(&output));
    let document: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!((&document["symmetry"], &document["symmetry_note"]), (&"exact".into(), &note.into()));
    assert_eq!(document["proof"]["rounds"][0]["copied"], 3);
    assert!(out(&run(&format!("prove {model}"))).contains("symmetry off, 1 rank"), "off unless asked for");
    let note = "components of 1..3 are not interchangeable: computed one by one";
    let output = run("prove models/proof/bakery.m --symmetry exact");
    assert_code(&output, 0);
    assert!(out(&output).contains(note), "{}", out(&output));
    let help = out(&run("prove --help"));
    assert!(help.contains("[off, exact] [default: off]"), "{help}");
    let job = scratch("symmetric.toml");
    let path = std::env::current_dir().unwrap().join(model);
    let text = |options: &str| format!("command = \"prove\"\nmodel = {path:?}\n[options]\n{options}\n");
    std::fs::write(&job, text("symmetry = \"exact\"")).unwrap();
    assert!(out(&run(&format!("run {}", job.display()))).contains("symmetry exact (1 of 4"));
    assert!(out(&run(&format!("run {} --symmetry off", job.display()))).contains("symmetry off, 1 rank"));
    std::fs::write(&job, text("")).unwrap();
    assert!(out(&run(&format!("run {}", job.display()))).contains("symmetry off, 1 rank"));
}
