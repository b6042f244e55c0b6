//! From a model to machine code: what is written for which rule, and what is left to the evaluator.
//!
//! In: a model and the evaluator's options. Out: for each priority, segments of instances in the order of the text,
//! each with its code or without; judges of properties and predicates; and for everything left to the
//! evaluator, the reason. A rule with few instances gets code for each of them, with its parameters as constants;
//! one with many, or whose code would be too large, gets code with a loop; if that is refused too, none.

use super::action::{self, Which};
use super::call::{Code, Expander, Hasher, Judge, Mover};
use super::costs::costs;
use super::emit::{Emit, Emitter, Exits, Home, Plan, Refusal};
use super::expand::{self, Actions, Part};
use super::hashing;
use super::judge::{self, Claim};
use super::order::Multisets;
use super::packing;
use crate::compile::{Instances, Layout, Predicate};
use crate::ir::eval::{Compat, Options};
use crate::ir::model::Rule;
use crate::ir::{Binder, ExprId, ExprKind, Model, PropertyKind};
use cranelift_codegen::Context;
use cranelift_codegen::ir::{Function, Signature, UserFuncName};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{FuncId, Module};
use fxhash::FxHashMap;

/// Instances up to which each gets code of its own.
const EACH_MAX: u64 = 64;
/// Instructions of all such code.
const EACH_INSTRUCTIONS_MAX: usize = 250_000;
/// Guards tried by one function, estimated in instructions.
const EXPANDER_COST_MAX: u64 = 6_000;

/// Instances in the order of the text, tried together.
pub enum Segment {
    Native {
        expander: Expander,
        instances: usize,
    },
    /// The rule at this position, by the evaluator.
    Evaluated {
        rule: usize,
    },
}

/// Something left to the evaluator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// The rule's or property's name.
    pub what: String,
    pub reason: String,
}

pub struct Program<'m> {
    pub code: Code,
    pub plan: Plan<'m>,
    /// For each priority, least number first.
    pub segments: Vec<Vec<Segment>>,
    /// For each property, its judge where it is an invariant, assumption or cover.
    pub properties: Vec<Option<Judge>>,
    pub predicates: FxHashMap<Predicate, Judge>,
    pub fallbacks: Vec<Fallback>,
    /// Unpacks and packs, where canonical forms are taken.
    pub movers: Option<(Mover, Mover)>,
    /// Takes the hashes of states; none where they have very many words.
    pub hasher: Option<Hasher>,
}

/// The code of one rule, before expanders are made.
enum Written {
    Each(Vec<FuncId>),
    All(FuncId),
}

struct Writer<'m> {
    code: Code,
    plan: Plan<'m>,
    context: Context,
    functions: FunctionBuilderContext,
    /// Instructions written for single instances.
    written: usize,
    fallbacks: Vec<Fallback>,
}

impl<'m> Program<'m> {
    /// The error says why no code can be made on this machine.
    pub fn new(model: &'m Model, options: Options, unpacks: bool) -> Result<Program<'m>, String> {
        let layout = Layout::new(model);
        let code = Code::new()?;
        let plan = plan(model, layout, options, &code);
        let mut writer = Writer {
            code,
            plan,
            context: Context::new(),
            functions: FunctionBuilderContext::new(),
            written: 0,
            fallbacks: Vec::new(),
        };
        let expanders = writer.rules(model)?;
        let properties = writer.properties(model)?;
        let predicates = writer.predicates(model)?;
        let movers = if unpacks { writer.movers()? } else { None };
        let hasher = writer.hasher()?;
        writer.code.finish()?;
        let code = writer.code;
        let finished = |planned: Planned| match planned {
            Planned::Native { expander, instances } => {
                Segment::Native { expander: code.expander(expander), instances }
            }
            Planned::Evaluated { rule } => Segment::Evaluated { rule },
        };
        let segments = expanders.into_iter().map(|list| list.into_iter().map(finished).collect()).collect();
        let properties = properties.into_iter().map(|id| id.map(|id| code.judge(id))).collect();
        let predicates = predicates.into_iter().map(|(which, id)| (which, code.judge(id))).collect();
        let movers = movers.map(|(unpack, pack)| (code.mover(unpack), code.mover(pack)));
        let (plan, fallbacks) = (writer.plan, writer.fallbacks);
        let hasher = hasher.map(|id| code.hasher(id, plan.layout.words()));
        Ok(Program { segments, properties, predicates, code, plan, fallbacks, movers, hasher })
    }
}

fn plan<'m>(model: &'m Model, layout: Layout, options: Options, code: &Code) -> Plan<'m> {
    let table = layout.fields().iter().map(|f| (f.word * 8) << 8 | u32::from(f.shift & 63)).collect();
    Plan {
        model,
        multisets: Box::new(Multisets::new(model, &layout)),
        call_conv: code.config().default_call_conv,
        options,
        table,
        covered: model.cover_statements.iter().map(|_| Default::default()).collect(),
        costs: costs(model),
        in_multiset: model
            .slots
            .iter()
            .map(|s| model.types.has_multiset(model.vars[s.var as usize].ty))
            .collect(),
        layout,
    }
}

enum Planned {
    Native { expander: FuncId, instances: usize },
    Evaluated { rule: usize },
}

impl<'m> Writer<'m> {
    /// Writes a function; nothing of it stays where that is refused.
    fn write(
        &mut self,
        signature: Signature,
        body: impl FnOnce(&mut FunctionBuilder, &Plan<'m>, &mut Code) -> Emit<()>,
    ) -> Emit<()> {
        self.context.clear();
        self.context.func = Function::with_name_signature(UserFuncName::default(), signature);
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.functions);
        if let Err(refusal) = body(&mut builder, &self.plan, &mut self.code) {
            self.functions = FunctionBuilderContext::new();
            return Err(refusal);
        }
        builder.seal_all_blocks();
        builder.finalize(self.code.config());
        Ok(())
    }

    /// Turns the function just written into code.
    fn define(&mut self) -> Result<FuncId, String> {
        self.code.define(&mut self.context)
    }

    fn fall_back(&mut self, what: &str, refusal: &Refusal) {
        let reason = match refusal {
            Refusal::NeedsMemory => "it addresses the state at run time",
            Refusal::Unsupported(reason) => reason,
        };
        self.fallbacks.push(Fallback { what: what.to_string(), reason: reason.to_string() });
    }

    fn rules(&mut self, model: &'m Model) -> Result<Vec<Vec<Planned>>, String> {
        let instances = Instances::new(model);
        let mut priorities: Vec<i64> = model.rules.iter().map(|rule| rule.priority).collect();
        priorities.sort_unstable();
        priorities.dedup();
        let mut segments = Vec::new();
        for priority in priorities {
            let mut list = Vec::new();
            let mut open: Vec<(usize, Written)> = Vec::new();
            let mut cost = 0;
            for (at, rule) in model.rules.iter().enumerate().filter(|(_, rule)| rule.priority == priority) {
                match self.rule(rule)? {
                    Ok(written) => {
                        let tries = if let Written::Each(each) = &written { each.len() as u64 } else { 1 };
                        let guard =
                            rule.guard.map_or(10, |guard| u64::from(self.plan.costs[guard.0 as usize]) + 10);
                        cost += tries * guard;
                        open.push((at, written));
                    }
                    Err(refusal) => {
                        self.fall_back(&rule.name, &refusal);
                        self.close(model, &instances, &mut open, &mut list)?;
                        list.push(Planned::Evaluated { rule: at });
                    }
                }
                if cost > EXPANDER_COST_MAX {
                    self.close(model, &instances, &mut open, &mut list)?;
                    cost = 0;
                }
            }
            self.close(model, &instances, &mut open, &mut list)?;
            segments.push(list);
        }
        Ok(segments)
    }

    /// Makes one expander of the rules collected.
    fn close(
        &mut self,
        model: &'m Model,
        numbers: &Instances,
        open: &mut Vec<(usize, Written)>,
        list: &mut Vec<Planned>,
    ) -> Result<(), String> {
        let rules = std::mem::take(open);
        if rules.is_empty() {
            return Ok(());
        }
        let mut instances = 0;
        let signature = self.code.signature(2, 0);
        let result = self.write(signature, |builder, plan, code| {
            let mut parts = Vec::new();
            for (at, written) in rules {
                let rule = &model.rules[at];
                let mut import = |id| code.module().declare_func_in_func(id, builder.func);
                let actions = match written {
                    Written::Each(each) => Actions::Each(each.into_iter().map(import).collect()),
                    Written::All(all) => Actions::All(import(all)),
                };
                let count = model.instances(rule);
                instances += count as usize;
                let id = crate::ir::Instance { rule: crate::ir::RuleId(at as u32), index: 0 };
                parts.push(Part { rule, at, first: numbers.number(id).0, instances: count, actions });
            }
            expand::expander(builder, plan, &parts)
        });
        // Every guard was written once before, on trial.
        result.map_err(|refusal| format!("{refusal:?}"))?;
        let expander = self.define()?;
        list.push(Planned::Native { expander, instances });
        Ok(())
    }

    /// The actions of a rule, or why the evaluator must run it.
    fn rule(&mut self, rule: &'m Rule) -> Result<Emit<Written>, String> {
        if self.plan.options.compat != Compat::Strict {
            return Ok(Err(Refusal::Unsupported("only strict semantics are compiled")));
        }
        if !rule.guard_pure || binders_call(self.plan.model, &rule.binders) {
            return Ok(Err(Refusal::Unsupported("its guard may change the state")));
        }
        let count = self.plan.model.instances(rule);
        if count <= EACH_MAX && self.written < EACH_INSTRUCTIONS_MAX {
            let each: Result<Emit<Vec<FuncId>>, String> =
                (0..count).map(|index| self.rule_instance(rule, Some(index))).collect::<Result<Emit<_>, _>>();
            if let Ok(each) = each? {
                return Ok(Ok(Written::Each(each)));
            }
        }
        Ok(self.rule_instance(rule, None)?.map(Written::All))
    }

    fn rule_instance(&mut self, rule: &'m Rule, index: Option<u64>) -> Result<Emit<FuncId>, String> {
        let trial = self.code.signature(2, 1);
        let guard = self.write(trial, |builder, plan, _| try_guard(builder, plan, rule, index));
        if let Err(refusal) = guard {
            return Ok(Err(refusal));
        }
        let signature = self.code.signature(3, 1);
        let mut result =
            self.write(signature.clone(), |b, plan, _| action::action(b, plan, rule, index, false));
        if result == Err(Refusal::NeedsMemory) {
            result = self.write(signature, |b, plan, _| action::action(b, plan, rule, index, true));
        }
        if let Err(refusal) = result {
            return Ok(Err(refusal));
        }
        if index.is_some() {
            self.written += self.context.func.dfg.num_insts();
        }
        self.define().map(Ok)
    }

    fn judge(
        &mut self,
        what: &str,
        body: impl FnOnce(&mut FunctionBuilder, &Plan<'m>) -> Emit<()>,
    ) -> Result<Option<FuncId>, String> {
        let signature = self.code.signature(2, 1);
        let strict = self.plan.options.compat == Compat::Strict;
        let written = match strict {
            true => self.write(signature, |builder, plan, _| body(builder, plan)),
            false => Err(Refusal::Unsupported("only strict semantics are compiled")),
        };
        match written {
            Ok(()) => self.define().map(Some),
            Err(refusal) => {
                self.fall_back(what, &refusal);
                Ok(None)
            }
        }
    }

    /// Code that unpacks and packs states; none where they have very many slots.
    fn movers(&mut self) -> Result<Option<(FuncId, FuncId)>, String> {
        if self.plan.layout.slots() > packing::SLOTS_MAX {
            return Ok(None);
        }
        let mut made = Vec::new();
        for write in [packing::unpack, packing::pack] {
            let signature = self.code.signature(2, 0);
            let written = self.write(signature, |builder, plan, _| write(builder, &plan.layout));
            written.map_err(|refusal| format!("{refusal:?}"))?;
            made.push(self.define()?);
        }
        Ok(Some((made[0], made[1])))
    }

    fn hasher(&mut self) -> Result<Option<FuncId>, String> {
        let words = self.plan.layout.words();
        let signature = self.code.signature(3, 0);
        match self.write(signature, |builder, _, _| hashing::hasher(builder, words)) {
            Ok(()) => self.define().map(Some),
            Err(_) => Ok(None),
        }
    }

    fn properties(&mut self, model: &'m Model) -> Result<Vec<Option<FuncId>>, String> {
        let mut judges = Vec::new();
        for property in &model.properties {
            let wanted = property.kind == PropertyKind::Cover;
            let kinds = [PropertyKind::Invariant, PropertyKind::Assume, PropertyKind::Cover];
            judges.push(if kinds.contains(&property.kind) {
                let what = Claim { binders: &property.binders, frame: &property.frame, expr: property.claim };
                self.judge(&property.name, |builder, plan| judge::property(builder, plan, what, wanted))?
            } else {
                None
            });
        }
        Ok(judges)
    }

    fn predicates(&mut self, model: &'m Model) -> Result<Vec<(Predicate, FuncId)>, String> {
        let mut wanted: Vec<(Predicate, &'m str, Claim<'m>)> = Vec::new();
        for (at, p) in model.properties.iter().enumerate() {
            let live = [PropertyKind::AlwaysPossible, PropertyKind::CanGetTo, PropertyKind::LeadsTo];
            if live.contains(&p.kind) {
                let claim = |expr: ExprId| Claim { binders: &p.binders, frame: &p.frame, expr };
                wanted.push((Predicate::Claim(at as u32), &p.name, claim(p.claim)));
                wanted.extend(
                    p.target.map(|target| (Predicate::Target(at as u32), p.name.as_str(), claim(target))),
                );
            }
        }
        for (at, f) in model.fairness.iter().enumerate() {
            let claim = |expr: ExprId| Claim { binders: &f.binders, frame: &f.frame, expr };
            wanted.push((Predicate::Conclusion(at as u32), &f.name, claim(f.conclusion)));
            wanted.extend(
                f.premise.map(|premise| (Predicate::Premise(at as u32), f.name.as_str(), claim(premise))),
            );
        }
        // Only promises about fair rules ask for guards alone.
        if model.properties.iter().any(|p| p.kind == PropertyKind::LeadsTo) {
            for (at, rule) in model.rules.iter().enumerate() {
                let pure = rule.guard_pure && !binders_call(model, &rule.binders);
                let claim = |expr: ExprId| Claim { binders: &rule.binders, frame: &rule.frame, expr };
                let guard = rule.guard.filter(|_| pure).map(claim);
                wanted.extend(guard.map(|claim| (Predicate::Guard(at as u32), rule.name.as_str(), claim)));
            }
        }
        let mut judges = Vec::new();
        for (which, name, what) in wanted {
            let judge = self.judge(name, |builder, plan| judge::predicate(builder, plan, what))?;
            judges.extend(judge.map(|id| (which, id)));
        }
        Ok(judges)
    }
}

/// Writes a guard on trial: whether an expander can have it.
fn try_guard<'m>(
    builder: &mut FunctionBuilder,
    plan: &Plan<'m>,
    rule: &'m Rule,
    index: Option<u64>,
) -> Emit<()> {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let (state, number) = (builder.block_params(entry)[0], builder.block_params(entry)[1]);
    let out = builder.create_block();
    let mut emitter = Emitter::new(builder, plan, Home::Input(state), Exits { ask: out, assumed: out });
    let which = index.map_or(Which::Any(number), Which::One);
    if expand::guard(&mut emitter, rule, which, out)? {
        emitter.goto(out);
    }
    emitter.at(out);
    let zero = emitter.int(0);
    cranelift_codegen::ir::InstBuilder::return_(emitter.builder.ins(), &[zero]);
    Ok(())
}

/// Whether binding the names calls something that might store.
fn binders_call(model: &Model, binders: &[Binder]) -> bool {
    let impure = |expr: ExprId| calls_impure(model, expr);
    binders.iter().any(|binder| match binder {
        Binder::AliasValue { value, .. } => impure(*value),
        Binder::AliasPlace { place, .. } => place.indices.iter().any(|index| impure(index.expr)),
        Binder::Choose { set, .. } => set.indices.iter().any(|index| impure(index.expr)),
        Binder::Param { .. } => false,
    })
}

fn calls_impure(model: &Model, expr: ExprId) -> bool {
    if let ExprKind::Call { func, .. } = &model.expr(expr).kind {
        // Arguments may call, too; such binders are rare enough to be left to the evaluator.
        return !model.func(*func).pure
            || matches!(&model.expr(expr).kind, ExprKind::Call { args, .. } if !args.is_empty());
    }
    let mut found = false;
    super::frame::each_child(model, expr, &mut |child| found |= calls_impure(model, child));
    found
}
