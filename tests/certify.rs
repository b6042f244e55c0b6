//! `verify certify` as a user meets it: certificates that `verify prove` wrote pass, those that were tampered with are
//! refused with the obligation, the rule and a state, and files that are no certificates of the model are errors with
//! their place.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use verify::audit;
use verify::audit::split::{Method, in_order};
use verify::audit::views::{Composition, Partition};
use verify::ir::Model;
use verify::job::certify::{from_bytes, to_bytes};
use verify::lower::{Constants, lower};
use verify::syntax::{Source, parse};
use verify::verdict::certificate::{Certificate, Node, Variable};

const MODEL: &str = "models/proof/mux_sem.m";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn run(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verify"));
    command.args(words.split_whitespace()).current_dir(root()).stdin(Stdio::null());
    for (name, _) in std::env::vars() {
        if ["OMPI_", "PMI_", "PMIX_", "SLURM_"].iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.output().expect("the binary runs")
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("verify-certify-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder.join(name)
}

/// What `verify prove` writes for a model.
fn proved(model: &str, words: &str, name: &str) -> Vec<u8> {
    let path = scratch(name);
    let output = run(&format!("prove {model} {words} --quiet --certificate {}", path.display()));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(path).expect("a certificate")
}

/// The exit code and all that was said about these bytes.
fn certify(model: &str, words: &str, name: &str, bytes: &[u8]) -> (Option<i32>, String) {
    let path = scratch(name);
    std::fs::write(&path, bytes).expect("a scratch file");
    let output = run(&format!("certify {model} {} {words}", path.display()));
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn certificates_of_all_models_and_methods_pass() {
    let names = [
        "bakery",
        "mux_sem",
        "mux_sem_count",
        "mux_sem_last",
        "peterson",
        "philosophers",
        "szymanski",
        "german",
    ];
    for name in names {
        let constants = if name == "german" { "--const N=2" } else { "--const N=3" };
        let model = format!("models/proof/{name}.m");
        for (method, form) in [("split", "json"), ("tmmcir", "bin")] {
            let file = format!("{name}.{form}");
            let bytes = proved(&model, &format!("{constants} --method {method} --ranks 2"), &file);
            let words = format!("{constants} --method {method} --ranks 2 --symmetry exact");
            assert!(proved(&model, &words, &file) == bytes, "{model} {method}: another proof with symmetry");
            let (code, text) = certify(&model, constants, &file, &bytes);
            assert_eq!(code, Some(0), "{model} {method}: {text}");
            assert!(text.contains(&format!("made by {method}")), "{text}");
        }
    }
}

#[test]
fn both_forms_hold_the_same_and_say_what_they_are_about() {
    let json = proved(MODEL, "--const N=3", "same.json");
    let binary = proved(MODEL, "--const N=3", "same.bin");
    let certificate = from_bytes(&json).expect("JSON");
    assert_eq!(from_bytes(&binary).expect("bincode"), certificate);
    assert_eq!(certificate.constants, [("N".to_string(), "3".to_string())]);
    assert_eq!((certificate.method.as_str(), certificate.compat.as_str()), ("split", "both"));
    assert_eq!(certificate.auxiliaries[0].name, "place[1] = Critical");
    assert_eq!(certificate.model.len(), 32);
}

/// The model with three processes.
fn model() -> Model {
    let text = std::fs::read_to_string(root().join(MODEL)).expect("a model");
    let source = Source::new(MODEL, text);
    let mut constants = Constants::none();
    constants.parse("N=3").expect("a constant");
    lower(&parse(&source).expect("a tree"), &source, &constants).expect("a model").model
}

/// A proof in which nothing is exposed: inductive, but mutual exclusion does not follow, whatever it claims.
fn weak() -> Certificate {
    let model = model();
    let partition = Partition::of(&model).expect("components");
    let found = in_order(&model, &partition, &[], Method::Split, 1_000).expect("small");
    let composition = Composition::new(&model, &partition, &[]);
    audit::certify::certify(&composition, &found, "split", &[0], 1_000).expect("small")
}

#[test]
fn what_was_tampered_with_is_refused_with_rule_and_state() {
    let good = from_bytes(&proved(MODEL, "--const N=3", "tampered.json")).expect("a certificate");
    let refused = |what: &str, rule: bool, change: &dyn Fn(&mut Certificate)| {
        let mut bad = good.clone();
        change(&mut bad);
        for (form, json) in [("json", true), ("bin", false)] {
            let (code, text) = certify(MODEL, "--const N=3", &format!("bad.{form}"), &to_bytes(&bad, json));
            assert_eq!(code, Some(1), "{what}: {text}");
            assert!(text.contains(&format!("REFUSED: {what}")), "{what}: {text}");
            assert!(text.contains("\n  in    ") || text.contains("\n  in  "), "a state: {text}");
            assert_eq!(text.contains("\n  rule  "), rule, "{text}");
        }
    };
    refused("initiation of 1..3[2]: ", false, &|bad| bad.components[1].theta = 0);
    refused("implication: ", false, &|bad| *bad = weak());
    // A boolean says always what it said sometimes.
    refused("initiation of 1..3[1]: ", false, &|bad| bad.auxiliaries[0].predicate = 1);
    // It says nothing: steps that it told others of go untold.
    refused("own step of 1..3[1]: rule ", true, &|bad| bad.auxiliaries[0].predicate = 0);
    // Views in which another is inside are dropped from one component: it does not foresee what that one does.
    refused("interference of 1..3[3]: rule ", true, &|bad| drop_views(bad, 2, "place[1] = Critical"));
    // Everything is possible: places may be undefined.
    refused("run-time error of 1..3[1]: rule ", true, &|bad| bad.components[0].theta = 1);
}

/// Takes the views in which an auxiliary is true out of a component's theta.
fn drop_views(certificate: &mut Certificate, part: usize, auxiliary: &str) {
    let at = certificate.auxiliaries.iter().position(|aux| aux.name == auxiliary).expect("an auxiliary");
    let variable = Variable::Auxiliary(at as u32);
    let number = certificate.variables.iter().position(|each| *each == variable).expect("a variable");
    let theta = certificate.components[part].theta;
    certificate.nodes.push(Node(number as u32, theta, 0));
    certificate.components[part].theta = certificate.nodes.len() as u32 + 1;
}

#[test]
fn a_file_that_is_cut_is_an_error_with_its_place() {
    for name in ["cut.json", "cut.bin"] {
        let bytes = proved(MODEL, "--const N=3", name);
        for length in 0..bytes.len() {
            let why = from_bytes(&bytes[..length]).expect_err("a part of a file");
            let place = if length == 0 { "1:1".to_string() } else { length.to_string() };
            assert!(why.contains(": error: "), "{length}: {why}");
            assert!(length < 20 || why.contains(&place), "{length}: {why}");
        }
        let (code, text) = certify(MODEL, "--const N=3", name, &bytes[..bytes.len() / 2]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(name) && text.contains(": error: "), "{text}");
        let longer = [&bytes[..], b"x"].concat();
        assert!(from_bytes(&longer).is_err());
    }
    assert!(from_bytes(b"var x : boolean;").unwrap_err().contains("not a certificate"));
    assert!(
        from_bytes(b"{\n \"version\": 3,\n \"colour\": 1 }")
            .unwrap_err()
            .starts_with("3:9: error: unknown field")
    );
}

#[test]
fn a_certificate_of_something_else_is_an_error() {
    let bytes = proved(MODEL, "--const N=3", "else.json");
    let refused = |model: &str, words: &str, what: &str| {
        let (code, text) = certify(model, words, "else.json", &bytes);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("else.json: error: ") && text.contains(what), "{text}");
    };
    refused(MODEL, "--const N=4", "constants are N = 3; the model has N = 4");
    refused("models/proof/broken/mux_sem_no_test.m", "--const N=3", "another model");
    refused("models/proof/bakery.m", "--const N=3", "");
    refused(MODEL, "--const N=3 --compat rumur", "compat is both");
    let mut odd = from_bytes(&bytes).expect("a certificate");
    odd.nodes[1].2 = 7_000;
    let (code, text) = certify(MODEL, "--const N=3", "odd.json", &to_bytes(&odd, true));
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("odd.json: error: nodes[1] refers"), "{text}");
}

#[test]
fn the_result_is_json_too_and_too_much_is_unknown() {
    let bytes = proved(MODEL, "--const N=3", "told.json");
    let (_, text) = certify(MODEL, "--const N=3 --quiet --json -", "told.json", &bytes);
    let json = text.split("\nholds").next().expect("a document");
    let document: serde_json::Value =
        serde_json::from_str(json).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(document["verdict"], "holds");
    assert_eq!(document["constants"]["N"], "3");
    assert_eq!(document["tried"]["views"], 36);
    assert_eq!(document["invariants"][0], "mutual exclusion");
    assert_eq!(document["tried"]["by"], "enumeration");
    let (code, text) = certify(MODEL, "--const N=3 --max-views 10", "told.json", &bytes);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("symbolically"), "{text}");
    let (code, text) = certify(MODEL, "--const N=3 --max-views 10 --memory 1KiB", "told.json", &bytes);
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("unknown: size: more than"), "{text}");
    let mut modest = from_bytes(&bytes).expect("a certificate");
    modest.implied.clear();
    let (code, text) = certify(MODEL, "--const N=3", "modest.json", &to_bytes(&modest, true));
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("does not claim invariant mutual exclusion"), "{text}");
}

#[test]
fn proofs_for_one_tool_alone_are_checked_as_such() {
    let bytes = proved(MODEL, "--const N=2 --compat rumur", "rumur.bin");
    assert_eq!(certify(MODEL, "--const N=2 --compat rumur", "rumur.bin", &bytes).0, Some(0));
    assert_eq!(certify(MODEL, "--const N=2", "rumur.bin", &bytes).0, Some(2));
}
