//! Golden models against Rumur: the same verdict, and the same counts where no error ends the search.
//!
//! Runs where `rumur` and a C compiler are installed; where not, it says so loudly, and fails if
//! `VERIFY_REQUIRE` names `rumur`. Models that say `-- rumur: no, why` are left out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn installed(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The directives at the head of a model.
fn directives(text: &str) -> Vec<(String, String)> {
    let head = text.lines().take_while(|line| line.starts_with("--"));
    let pair = |line: &str| {
        let (word, value) = line.strip_prefix("-- ")?.split_once(": ")?;
        Some((word.to_string(), value.to_string()))
    };
    head.filter_map(pair).collect()
}

fn value<'a>(directives: &'a [(String, String)], word: &str) -> Option<&'a str> {
    directives.iter().find(|(each, _)| each == word).map(|(_, value)| value.as_str())
}

/// What Rumur says: whether it found no error, states, rules fired.
fn rumur(model: &Path, directives: &[(String, String)], folder: &Path) -> Result<(bool, u64, u64), String> {
    let (code, checker) = (folder.join("checker.c"), folder.join("checker"));
    let symmetry = if value(directives, "symmetry") == Some("exhaustive") { "exhaustive" } else { "off" };
    let deadlock = value(directives, "deadlock").unwrap_or("stuttering");
    let generated = Command::new("rumur")
        .arg(model)
        .args([
            "--threads",
            "1",
            "--symmetry-reduction",
            symmetry,
            "--deadlock-detection",
            deadlock,
            "--output",
        ])
        .arg(&code)
        .output()
        .map_err(|error| error.to_string())?;
    if !generated.status.success() {
        return Err(String::from_utf8_lossy(&generated.stderr).into_owned());
    }
    let mut compile = Command::new("cc");
    compile.args(["-O0", "-w", "-mcx16", "-o"]).arg(&checker).arg(&code).arg("-lpthread");
    let compiled = compile.output().map_err(|error| error.to_string())?;
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let run = Command::new(&checker).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let counts = text.lines().find_map(|line| {
        let (states, rest) = line.trim().split_once(" states, ")?;
        let (fired, _) = rest.split_once(" rules fired")?;
        Some((states.parse().ok()?, fired.parse().ok()?))
    });
    let (states, fired) = counts.ok_or(text.clone())?;
    Ok((text.contains("No error found"), states, fired))
}

#[test]
fn rumur_agrees() {
    if !installed("rumur") || !installed("cc") {
        let required = std::env::var("VERIFY_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|each| each.trim() == "rumur"), "rumur or cc is not installed");
        eprintln!("SKIPPED: rumur or cc is not installed; golden models were not compared with it");
        return;
    }
    let folder = std::env::temp_dir().join(format!("verify-rumur-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/audit");
    let mut models: Vec<PathBuf> =
        fs::read_dir(golden).unwrap().flatten().map(|entry| entry.path()).collect();
    models.sort();
    let mut compared = 0;
    let mut differences = Vec::new();
    for model in models {
        let directives = directives(&fs::read_to_string(&model).unwrap());
        if value(&directives, "rumur").is_some() {
            continue;
        }
        compared += 1;
        let number = |word| value(&directives, word).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let ours = (value(&directives, "verdict") == Some("holds"), number("states"), number("fired"));
        match rumur(&model, &directives, &folder) {
            Ok(theirs) if theirs == ours || (!theirs.0 && !ours.0) => {}
            other => differences.push(format!("{}: {other:?}, not {ours:?}", model.display())),
        }
    }
    let _ = fs::remove_dir_all(&folder);
    assert!(compared > 50);
    assert!(differences.is_empty(), "{differences:#?}");
}
