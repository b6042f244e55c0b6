//! A model from its file to the typed IR, with every complaint located.

use std::io::Read;
use std::path::Path;

use super::Refusal;
use crate::ir;
use crate::ir::eval::on_deep_stack;
use crate::lower::{self, Constants, Lowered};
use crate::syntax::{self, Source, SourceError, ast};

/// Models larger than this are refused before they are read; spans count in 32 bits.
const MODEL_BYTES_MAX: u64 = 1 << 30;

/// The bytes of a model file; `-` is standard input.
pub fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    let refuse = |why: String| Refusal::usage(format!("{}: {why}", path.display()));
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let mut input = std::io::stdin().lock().take(MODEL_BYTES_MAX);
        input.read_to_end(&mut bytes).map_err(|error| refuse(format!("cannot be read: {error}")))?;
        return Ok(bytes);
    }
    let file = std::fs::File::open(path).map_err(|error| refuse(format!("cannot be opened: {error}")))?;
    let mut file = file.take(MODEL_BYTES_MAX);
    file.read_to_end(&mut bytes).map_err(|error| refuse(format!("cannot be read: {error}")))?;
    Ok(bytes)
}

/// What a file is called in messages.
pub fn display_name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_string() } else { path.display().to_string() }
}

/// The text as a source; bytes that are not text are refused with their place.
pub fn source(name: &str, bytes: Vec<u8>) -> Result<Source, Refusal> {
    Source::from_bytes(name, bytes).map_err(|error: SourceError| Refusal::usage(format!("{name}: {error}")))
}

/// The syntax tree of a source.
pub fn parse(source: &Source) -> Result<ast::Model, Refusal> {
    let parsed = deep(|| syntax::parse(source))?;
    parsed.map_err(|diagnostics| Refusal::usage(diagnostics.render(source)))
}

/// The typed model of a source. Warnings are returned with it, rendered.
pub fn lower(source: &Source, constants: &Constants) -> Result<(Lowered, String), Refusal> {
    let lowered = deep(|| {
        let tree = syntax::parse(source)?;
        lower::lower(&tree, source, constants)
    })?;
    match lowered {
        Ok(lowered) => {
            let warnings = lowered.warnings.render(source);
            Ok((lowered, warnings))
        }
        Err(diagnostics) => Err(Refusal::usage(diagnostics.render(source))),
    }
}

/// Printing walks the tree as deep as parsing does.
pub fn print(tree: &ast::Model, source: &Source) -> Result<String, Refusal> {
    deep(|| syntax::print(tree, source))
}

/// Takes the rules of these names out of the helpful ones.
pub fn make_unhelpful(model: &mut ir::Model, names: &[String]) -> Result<(), Refusal> {
    for name in names {
        let mut known = false;
        for rule in model.rules.iter_mut().filter(|rule| rule.name == *name) {
            (rule.unhelpful, known) = (true, true);
        }
        if !known {
            return Err(Refusal::usage(format!("--nhr {name}: the model has no rule of this name")));
        }
    }
    Ok(())
}

/// Leaves only the properties of these names, and what is assumed; no names leave all.
pub fn keep_properties(model: &mut ir::Model, names: &[String]) -> Result<(), Refusal> {
    for name in names {
        let known = |property: &ir::Property| !is_assumed(property) && property.name == *name;
        if !model.properties.iter().any(known) {
            return Err(Refusal::usage(format!("--property {name}: the model has no property of this name")));
        }
    }
    if !names.is_empty() {
        model.properties.retain(|property| is_assumed(property) || names.contains(&property.name));
    }
    Ok(())
}

fn is_assumed(property: &ir::Property) -> bool {
    property.kind == ir::PropertyKind::Assume
}

fn deep<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T, Refusal> {
    on_deep_stack(run)
        .map_err(|error| Refusal::environment(format!("a thread could not be started: {error}")))
}

/// The constants typed as `NAME=VALUE`, after those of a job file: the later ones win.
pub fn constants(from_job: &[(String, String)], typed: &[String]) -> Result<Constants, Refusal> {
    let mut constants = Constants::none();
    for assignment in typed {
        constants.parse(assignment).map_err(|why| Refusal::usage(format!("--const {why}")))?;
    }
    for (name, value) in from_job {
        if constants.overrides.iter().all(|(other, _)| other != name) {
            constants.overrides.push((name.clone(), value.clone()));
        }
    }
    Ok(constants)
}
