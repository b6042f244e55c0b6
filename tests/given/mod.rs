//! What tests are given: the project's folder, the models in it, and options as they would be typed.

use std::path::{Path, PathBuf};

use verify::job::options::{Command, Values, find};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The models of a folder, in the order of their names; there are some.
pub fn models(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder of models").flatten();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "m")).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

/// Options of a command, without output: `engine=native batch=1 exact=true`.
pub fn values(command: Command, words: &str) -> Values {
    let mut values = Values::default();
    for word in format!("quiet=true {words}").split_whitespace() {
        let (name, value) = word.split_once('=').expect("name=value");
        let spec = find(name, Some(command)).unwrap_or_else(|| panic!("no option {name}"));
        values.set(spec, value).unwrap_or_else(|why| panic!("{word}: {why}"));
    }
    values
}
