//! The house rules that a machine can check: who may use which room, what every file begins with, and where the few
//! dangerous things may stand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines that a source file may have at most; longer ones want to be two.
const FILE_LINES_MAX: usize = 600;

/// Who may write `unsafe`, and why.
const UNSAFE: [(&str, &str); 7] = [
    ("src/comm/mpi.rs", "calls MPI"),
    ("src/base/pages.rs", "asks for huge pages"),
    ("src/base/words.rs", "views words as bytes"),
    ("src/base/prefetch.rs", "hints the processor"),
    ("src/base/lines.rs", "asks for memory, and compares it many words at once"),
    ("src/host/release.rs", "gives memory back"),
    ("src/compile/native/", "calls generated code"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        let mut entries: Vec<_> = fs::read_dir(folder).expect("a folder of sources").flatten().collect();
        entries.sort_by_key(|entry| entry.path());
        for entry in entries {
            if entry.path().is_dir() {
                walk(&entry.path(), out);
            } else if entry.path().extension().is_some_and(|e| e == "rs") {
                out.push(entry.path());
            }
        }
    }
    let mut paths = Vec::new();
    walk(&root().join("src"), &mut paths);
    let name = |path: &Path| path.strip_prefix(root()).expect("below the root").display().to_string();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).expect("a source file"))).collect()
}

/// The table of ARCHITECTURE.md: each room with the rooms it may use.
fn rooms() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut rooms = BTreeMap::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("| room |") {
            inside = true;
            continue;
        }
        if !line.starts_with('|') {
            inside = false;
        }
        if !inside || line.starts_with("|---") {
            continue;
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let uses = cells[2].split_whitespace().map(str::to_string).collect();
        rooms.insert(cells[0].to_string(), uses);
    }
    assert!(rooms.len() > 10, "the room table was found");
    rooms
}

/// The code of a file without its tests, comments and strings.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
    let mut out = String::new();
    for line in before_tests.lines() {
        let line = line.split("//").next().unwrap_or("");
        let outside_strings: Vec<&str> = line.split('"').step_by(2).collect();
        out.push_str(&outside_strings.join(" "));
        out.push('\n');
    }
    out
}

/// Rooms named in `crate::room` paths, also in groups `crate::{a, b::c}`.
fn used_rooms(code: &str) -> Vec<String> {
    let mut used = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let word =
            |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut start = true;
            for (offset, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => start = true,
                    c if start && depth == 1 && c.is_alphabetic() => {
                        used.push(word(&group[offset..]));
                        start = false;
                    }
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        } else {
            used.push(word(rest));
        }
    }
    used
}

#[test]
fn rooms_use_only_what_the_table_allows() {
    let rooms = rooms();
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(room) =
            file.strip_prefix("src/").and_then(|rest| rest.split_once('/')).map(|(room, _)| room)
        else {
            continue;
        };
        let Some(allowed) = rooms.get(room) else {
            wrong.push(format!("{file}: room {room} is not in ARCHITECTURE.md"));
            continue;
        };
        for used in used_rooms(&code(&text)) {
            let open = used == room || used == "base" || allowed.contains(&used);
            let everything = allowed.iter().any(|word| word == "all") && used != "cli";
            if !open && !everything {
                wrong.push(format!("{file}: uses {used}, which {room} may not"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_room_of_the_table_exists() {
    for room in rooms().keys() {
        assert!(
            root().join("src").join(room).is_dir(),
            "ARCHITECTURE.md names a room that is not there: {room}"
        );
    }
}

#[test]
fn every_file_tells_what_it_is() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        if !text.starts_with("//! ") {
            wrong.push(format!("{file}: begins without a head (//!)"));
        }
        let lines = text.lines().count();
        if lines > FILE_LINES_MAX {
            wrong.push(format!("{file}: {lines} lines; more than {FILE_LINES_MAX} want to be two files"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn dangerous_things_stay_where_they_are_allowed() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let code = code(&text);
        let has = |needle: &str| code.contains(needle);
        if has("unsafe ") && UNSAFE.iter().all(|(allowed, _)| !file.starts_with(allowed)) {
            wrong.push(format!("{file}: unsafe"));
        }
        if (has("use mpi::") || has(" mpi::ffi") || has("mpi::initialize")) && file != "src/comm/mpi.rs" {
            wrong.push(format!("{file}: names rsmpi"));
        }
        if has("nodes::Table") && !file.starts_with("src/symbolic/") {
            wrong.push(format!("{file}: names the nodes of decision diagrams"));
        }
        for word in ["todo!(", "unimplemented!(", "dbg!("] {
            if has(word) {
                wrong.push(format!("{file}: {word}…)"));
            }
        }
        let prints = has("println!(") || has("print!(");
        if prints
            && !file.starts_with("src/cli/")
            && !file.starts_with("src/report/")
            && !file.starts_with("src/job/")
        {
            // `eprintln!` contains `println!`: the last words of a rank that aborts go to standard error.
            let only_errors = code.replace("eprintln!(", "").replace("eprint!(", "");
            if only_errors.contains("println!(") || only_errors.contains("print!(") {
                wrong.push(format!("{file}: prints"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
