//! Writes explicit thetas as a certificate.
//!
//! In: a partition, auxiliaries, the sets of `audit::split`, the properties that follow. Out: a certificate for
//! `audit::certificate`. It exists so that the check can be checked, with proofs that no engine made. Cost: one
//! visit for each view and bit. It leaves out a good order of variables.

use super::diagram::Builder;
use super::split::{Invariant, valuations};
use super::views::{Composition, Locals};
use crate::ir::layout::Layout;
use crate::ir::print::digest;
use crate::ir::{PropertyKind, Slot};
use crate::verdict::certificate::{Auxiliary, Certificate, Implied, Part, Ref, VERSION, Variable};

/// The certificate that claims the given properties from these thetas, true or not.
pub fn certify(
    composition: &Composition,
    invariant: &Invariant,
    method: &str,
    implied: &[u32],
    locals_max: usize,
) -> Result<Certificate, String> {
    let model = composition.model;
    let mut writer = Writer { composition, layout: Layout::new(model), builder: Builder::default() };
    let mut auxiliaries = Vec::new();
    for auxiliary in composition.auxiliaries {
        let part = auxiliary.component;
        let mut rows = valuations(composition, part, locals_max)?;
        rows.retain(|locals| (auxiliary.says)(&composition.state(&[], &[(part, locals)])));
        let predicate = writer.predicate(part, &rows);
        let name = auxiliary.name.clone();
        auxiliaries.push(Auxiliary { name, component: part as u32, predicate });
    }
    let mut components = Vec::new();
    for (at, part) in composition.partition.parts.iter().enumerate() {
        let theta = writer.theta(at, invariant);
        components.push(Part { name: part.name.clone(), locals: part.locals.clone(), common: 1, theta });
    }
    let claim = |&property: &u32| {
        let known = model.properties.get(property as usize)?;
        (known.kind == PropertyKind::Invariant).then(|| Implied { property, name: known.name.clone() })
    };
    Ok(Certificate {
        version: VERSION,
        method: method.to_string(),
        model: digest(model),
        compat: composition.options.compat.name().to_string(),
        slots: (0..model.slots.len() as u32).map(|slot| model.slot_path(Slot(slot))).collect(),
        constants: model.constants.clone(),
        shared: composition.partition.shared.clone(),
        components,
        auxiliaries,
        variables: writer.builder.variables,
        nodes: writer.builder.nodes,
        implied: implied.iter().filter_map(claim).collect(),
    })
}

struct Writer<'a> {
    composition: &'a Composition<'a>,
    layout: Layout,
    builder: Builder,
}

impl Writer<'_> {
    fn theta(&mut self, part: usize, invariant: &Invariant) -> Ref {
        let partition = self.composition.partition;
        let mut variables = self.bits(&partition.shared);
        let auxiliaries = 0..self.composition.auxiliaries.len() as u32;
        variables.extend(auxiliaries.map(|at| self.builder.variable(Variable::Auxiliary(at))));
        variables.extend(self.bits(&partition.parts[part].locals));
        let mut rows = Vec::new();
        for (shared, with) in &invariant.thetas[part] {
            let (slots, says) = shared.split_at(partition.shared.len());
            let mut front = self.codes(&partition.shared, slots);
            front.extend(says.iter().map(|&said| said == 1));
            for locals in with {
                rows.push([&front[..], &self.codes(&partition.parts[part].locals, locals)].concat());
            }
        }
        self.builder.set(&variables, &rows)
    }

    fn predicate(&mut self, part: usize, rows: &[Locals]) -> Ref {
        let slots = &self.composition.partition.parts[part].locals;
        let variables = self.bits(slots);
        let rows: Vec<Vec<bool>> = rows.iter().map(|locals| self.codes(slots, locals)).collect();
        self.builder.set(&variables, &rows)
    }

    fn bits(&mut self, slots: &[u32]) -> Vec<u32> {
        let mut variables = Vec::new();
        for &slot in slots {
            for bit in 0..self.layout.fields()[slot as usize].width {
                variables.push(self.builder.variable(Variable::Bit { slot, bit }));
            }
        }
        variables
    }

    fn codes(&self, slots: &[u32], values: &[i64]) -> Vec<bool> {
        let fields = slots.iter().map(|&slot| self.layout.fields()[slot as usize]);
        let codes = fields.zip(values).map(|(field, &value)| (field.width, field.code_of(value)));
        codes.flat_map(|(width, code)| (0..width).map(move |bit| code >> bit & 1 == 1)).collect()
    }
}
