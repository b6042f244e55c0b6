//! The data of a certificate, before anything that it claims is looked at: they are about the model, refer to what is
//! there, cut the slots into those that are shared and those that one component's rules alone touch, and speak of each
//! component in terms of what it sees.
//!
//! In: a model and a certificate. Out: the composition that the obligations are about, or what is wrong with the data.
//! What the certificate says of slots is compared with the model's own footprints. Cost: one visit a node for every
//! component, and one footprint for each rule and component.

use std::collections::BTreeMap;

use super::certificate::{Failure, Obligation, failure};
use super::diagram;
use super::views::{Auxiliary, Composition, Part, Partition};
use crate::ir::eval::{Options, on_deep_stack};
use crate::ir::layout::Layout;
use crate::ir::print::digest;
use crate::ir::{Model, PropertyKind, Slot};
use crate::verdict::certificate::{Certificate, Ref, VERSION, Variable};

/// Checks the data, and does something with what they describe, where the stack is deep.
pub fn composed<T: Send>(
    model: &Model,
    certificate: &Certificate,
    options: Options,
    then: impl FnOnce(Composition<'_>) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let run = || {
        subject(model, certificate, options)?;
        form(model, certificate)?;
        let partition = partition(model, certificate)?;
        predicates(certificate)?;
        let layout = Layout::new(model);
        let auxiliary = |auxiliary: &'_ crate::verdict::certificate::Auxiliary| {
            let (layout, root) = (&layout, auxiliary.predicate);
            Auxiliary {
                name: auxiliary.name.clone(),
                component: auxiliary.component as usize,
                says: Box::new(move |state: &[i64]| diagram::holds(certificate, layout, root, state)),
            }
        };
        let auxiliaries: Vec<Auxiliary> = certificate.auxiliaries.iter().map(auxiliary).collect();
        then(Composition::with_options(model, &partition, &auxiliaries, options))
    };
    match on_deep_stack(run) {
        Ok(result) => result,
        Err(error) => Err(failure(Obligation::Size, None, format!("no thread for the check: {error}"))),
    }
}

/// The certificate is about this model, with these constants and meaning of run-time errors.
fn subject(model: &Model, certificate: &Certificate, options: Options) -> Result<(), Failure> {
    let wrong = |detail: String| Err(failure(Obligation::Form, None, detail));
    if certificate.version != VERSION {
        return wrong(format!("version is {}; this program reads {VERSION}", certificate.version));
    }
    if certificate.constants != model.constants {
        let list = |all: &[(String, String)]| {
            let pairs: Vec<String> = all.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            if pairs.is_empty() { "none".to_string() } else { pairs.join(", ") }
        };
        let (theirs, ours) = (list(&certificate.constants), list(&model.constants));
        return wrong(format!("constants are {theirs}; the model has {ours}"));
    }
    let paths = (0..model.slots.len() as u32).map(|slot| model.slot_path(Slot(slot)));
    let hash = digest(model);
    if !paths.eq(certificate.slots.iter().cloned()) || certificate.model != hash {
        return wrong(format!("it is about another model: its hash is {}, not {hash}", certificate.model));
    }
    if certificate.compat != options.compat.name() {
        let (theirs, ours) = (&certificate.compat, options.compat.name());
        return wrong(format!("compat is {theirs}; run-time errors are asked for as with {ours}"));
    }
    Ok(())
}

/// The data refer only to what is there.
fn form(model: &Model, certificate: &Certificate) -> Result<(), Failure> {
    let wrong = |detail: String| Err(failure(Obligation::Form, None, detail));
    let layout = Layout::new(model);
    let known = |variable: &Variable| match variable {
        Variable::Bit { slot, bit } => {
            layout.fields().get(*slot as usize).is_some_and(|field| *bit < field.width)
        }
        Variable::Auxiliary(at) => (*at as usize) < certificate.auxiliaries.len(),
    };
    if let Some(at) = certificate.variables.iter().position(|variable| !known(variable)) {
        return wrong(format!("variables[{at}] is of no slot and no auxiliary"));
    }
    for (at, node) in certificate.nodes.iter().enumerate() {
        let below = |child: u32| u64::from(child) < at as u64 + 2;
        if node.0 as usize >= certificate.variables.len() || !below(node.1) || !below(node.2) {
            return wrong(format!("nodes[{at}] refers to something that does not come before it"));
        }
    }
    let references = certificate.nodes.len() as u64 + 2;
    let is_node = |root: u32| u64::from(root) < references;
    let sets = certificate.components.iter().map(|part| is_node(part.theta) && is_node(part.common));
    if let Some(at) = sets.into_iter().position(|both| !both) {
        return wrong(format!("components[{at}].theta or .common is no node"));
    }
    if let Some(at) = certificate.auxiliaries.iter().position(|aux| !is_node(aux.predicate)) {
        return wrong(format!("auxiliaries[{at}].predicate is no node"));
    }
    for (at, implied) in certificate.implied.iter().enumerate() {
        let property = model.properties.get(implied.property as usize);
        let same = property.is_some_and(|p| p.kind == PropertyKind::Invariant && p.name == implied.name);
        if !same {
            return wrong(format!("implied[{at}]: the model has no such invariant: {}", implied.name));
        }
    }
    Ok(())
}

/// The certificate's partition with the model's own rule instances; it may share more than it must, not less.
fn partition(model: &Model, certificate: &Certificate) -> Result<Partition, Failure> {
    let wrong = |component: Option<&str>, detail: String| failure(Obligation::Partition, component, detail);
    let known = Partition::of(model).map_err(|why| wrong(None, why))?;
    let names = |part: &Part| part.name.clone();
    if !known.parts.iter().map(names).eq(certificate.components.iter().map(|part| part.name.clone())) {
        return Err(wrong(None, "the components are not those of the model".to_string()));
    }
    let mut places = vec![0u32; model.slots.len()];
    let mut claim = |slots: &[u32]| {
        slots.iter().for_each(|&slot| places.get_mut(slot as usize).into_iter().for_each(|n| *n += 1));
        slots.is_sorted() && slots.iter().all(|&slot| (slot as usize) < model.slots.len())
    };
    let mut sorted = claim(&certificate.shared);
    certificate.components.iter().for_each(|part| sorted &= claim(&part.locals));
    if !sorted {
        return Err(wrong(None, "slots are not in increasing order".to_string()));
    }
    if let Some(slot) = places.iter().position(|&n| n != 1) {
        let path = model.slot_path(Slot(slot as u32));
        return Err(wrong(None, format!("{path} does not stand in exactly one place")));
    }
    let mut parts = Vec::new();
    for (ours, theirs) in known.parts.into_iter().zip(&certificate.components) {
        if let Some(slot) = theirs.locals.iter().find(|slot| ours.locals.binary_search(slot).is_err()) {
            let path = model.slot_path(Slot(*slot));
            return Err(wrong(Some(&ours.name), format!("{path} is not touched by its rules alone")));
        }
        parts.push(Part { locals: theirs.locals.clone(), ..ours });
    }
    Ok(Partition { shared: certificate.shared.clone(), parts })
}

/// Predicates are over locals of their component, thetas over the view of theirs.
fn predicates(certificate: &Certificate) -> Result<(), Failure> {
    for auxiliary in &certificate.auxiliaries {
        let Some(part) = certificate.components.get(auxiliary.component as usize) else {
            let detail = format!("{} belongs to no component", auxiliary.name);
            return Err(failure(Obligation::Auxiliary, None, detail));
        };
        let own = |at: u32| match certificate.variables[at as usize] {
            Variable::Bit { slot, .. } => part.locals.binary_search(&slot).is_ok(),
            Variable::Auxiliary(_) => false,
        };
        if !diagram::support(certificate, auxiliary.predicate).into_iter().all(own) {
            let detail = format!("{} is not over its locals alone", auxiliary.name);
            return Err(failure(Obligation::Auxiliary, Some(&part.name), detail));
        }
    }
    // What is common to many is looked at once; of that, each component looks at what not everybody sees.
    let mut hidden: BTreeMap<Ref, Vec<u32>> = BTreeMap::new();
    let is_shared = |at: u32| match certificate.variables[at as usize] {
        Variable::Bit { slot, .. } => certificate.shared.binary_search(&slot).is_ok(),
        Variable::Auxiliary(_) => true,
    };
    for part in &certificate.components {
        let seen = |at: u32| match certificate.variables[at as usize] {
            Variable::Bit { slot, .. } => part.locals.binary_search(&slot).is_ok() || is_shared(at),
            Variable::Auxiliary(_) => true,
        };
        let common = hidden.entry(part.common).or_insert_with(|| {
            let all = diagram::support(certificate, part.common);
            all.into_iter().filter(|&at| !is_shared(at)).collect()
        });
        let own = diagram::support(certificate, part.theta);
        if !common.iter().copied().chain(own).all(seen) {
            let detail = "its theta asks what it does not see".to_string();
            return Err(failure(Obligation::Form, Some(&part.name), detail));
        }
    }
    Ok(())
}
