//! The one place where machine code is made executable and called.
//!
//! In: finished functions. Out: safe calls on slices. Generated code gets pointers to whole packed states, to buffers
//! with room for one successor, step and question for each instance it covers, and to nothing else but the
//! tables of its plan, which live as long as the code.
//!
//! Everything unsafe of this room stands here; what makes it sound is said at each call.

use super::order::Multisets;
use crate::compile::{Expansion, InstanceNo, Layout};
use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Signature, types::I64};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetFrontendConfig};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use std::mem::ManuallyDrop;

/// What expanding code is handed, and where it leaves what it found.
#[repr(C)]
pub struct Ports {
    out: *mut u64,
    steps: *mut u32,
    questions: *mut u32,
    fired_by_rule: *mut u64,
    fired: u64,
    assumed: u64,
}

/// Offsets of `Ports`, for generated code.
pub const OUT: i32 = 0;
pub const STEPS: i32 = 8;
pub const QUESTIONS: i32 = 16;
pub const FIRED_BY_RULE: i32 = 24;
pub const FIRED: i32 = 32;
pub const ASSUMED: i32 = 40;

const _: () = assert!(std::mem::offset_of!(Ports, assumed) == ASSUMED as usize);
const _: () = assert!(size_of::<InstanceNo>() == size_of::<u32>());

/// Address space set aside for a program's code, of which only what is used takes memory. Calls reach 2 GiB, so all code
/// must lie together: other ranks' threads may take any address between two pieces that are asked for on their own.
const CODE_BYTES_MAX: usize = 256 << 20;

/// A finished function of the module that made it.
#[derive(Clone, Copy, Debug)]
pub struct Expander(*const u8);

#[derive(Clone, Copy, Debug)]
pub struct Judge(*const u8);

/// Between packed states and one value a slot.
#[derive(Clone, Copy, Debug)]
pub struct Mover(*const u8);

/// From packed states of so many words to their hashes.
#[derive(Clone, Copy, Debug)]
pub struct Hasher {
    function: *const u8,
    words: usize,
}

/// The memory of all code of a program.
pub struct Code {
    module: ManuallyDrop<JITModule>,
}

/// What expanding a part of the instances came to, apart from successors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub fired: u64,
    pub assumed: u64,
}

impl Code {
    pub fn new() -> Result<Code, String> {
        let isa = isa()?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        let arena = ArenaMemoryProvider::new_with_size(CODE_BYTES_MAX);
        builder
            .memory_provider(Box::new(arena.map_err(|error| format!("no room for machine code: {error}"))?));
        Ok(Code { module: ManuallyDrop::new(JITModule::new(builder)) })
    }

    pub fn config(&self) -> TargetFrontendConfig {
        self.module.target_config()
    }

    pub fn module(&mut self) -> &mut JITModule {
        &mut self.module
    }

    /// A signature over machine words.
    pub fn signature(&self, params: usize, returns: usize) -> Signature {
        let mut signature = self.module.make_signature();
        signature.params.extend((0..params).map(|_| AbiParam::new(I64)));
        signature.returns.extend((0..returns).map(|_| AbiParam::new(I64)));
        signature
    }

    /// Turns a function as written into code; the error says what the code generator made of it.
    pub fn define(&mut self, context: &mut Context) -> Result<FuncId, String> {
        let declared = self.module.declare_anonymous_function(&context.func.signature);
        let id = declared.map_err(|error| error.to_string())?;
        self.module.define_function(id, context).map_err(|error| format!("{error:?}"))?;
        Ok(id)
    }

    pub fn finish(&mut self) -> Result<(), String> {
        self.module.finalize_definitions().map_err(|error| error.to_string())
    }

    pub fn expander(&self, id: FuncId) -> Expander {
        Expander(self.module.get_finalized_function(id))
    }

    pub fn judge(&self, id: FuncId) -> Judge {
        Judge(self.module.get_finalized_function(id))
    }

    pub fn mover(&self, id: FuncId) -> Mover {
        Mover(self.module.get_finalized_function(id))
    }

    /// The function was written for states of so many words.
    pub fn hasher(&self, id: FuncId, words: usize) -> Hasher {
        Hasher { function: self.module.get_finalized_function(id), words }
    }

    /// Takes the hashes of states side by side.
    #[inline]
    pub fn hash(&self, hasher: Hasher, states: &[u64], hashes: &mut Vec<u128>) {
        let count = states.len() / hasher.words;
        hashes.clear();
        hashes.reserve(count);
        // SAFETY: the address is that of a finished function of this module with exactly this signature. It reads
        // `count` states of its number of words, and writes a hash for each, for which room was reserved.
        unsafe {
            let function: extern "C" fn(*const u64, usize, *mut u128) = std::mem::transmute(hasher.function);
            function(states.as_ptr(), count, hashes.as_mut_ptr());
            hashes.set_len(count);
        }
    }

    /// Runs code that unpacks a state of this layout.
    #[inline]
    pub fn unpack(&self, mover: Mover, layout: &Layout, words: &[u64], state: &mut [i64]) {
        assert!(words.len() == layout.words() && state.len() == layout.slots(), "a whole state");
        // SAFETY: the address is that of a finished function of this module with exactly this signature, written
        // for this layout: it reads all words of a packed state and writes one value a slot.
        unsafe {
            let function: extern "C" fn(*const u64, *mut i64) = std::mem::transmute(mover.0);
            function(words.as_ptr(), state.as_mut_ptr());
        }
    }

    /// Runs code that packs a state of this layout; each value is of its slot's type.
    #[inline]
    pub fn pack(&self, mover: Mover, layout: &Layout, state: &[i64], words: &mut [u64]) {
        assert!(words.len() == layout.words() && state.len() == layout.slots(), "a whole state");
        // SAFETY: as above; it reads one value a slot and writes all words.
        unsafe {
            let function: extern "C" fn(*const i64, *mut u64) = std::mem::transmute(mover.0);
            function(state.as_ptr(), words.as_mut_ptr());
        }
    }

    /// Runs expanding code for at most `instances` instances; questions are instances to ask the evaluator.
    pub fn expand(
        &self,
        expander: Expander,
        (instances, words): (usize, usize),
        state: &[u64],
        out: &mut Expansion,
        questions: &mut Vec<u32>,
        fired_by_rule: &mut [u64],
    ) -> Tally {
        assert_eq!(state.len(), words, "a packed state has all its words");
        out.states.reserve(instances * words);
        out.steps.reserve(instances + 1);
        questions.reserve(instances);
        let mut ports = Ports {
            out: out.states.spare_capacity_mut().as_mut_ptr().cast(),
            steps: out.steps.spare_capacity_mut().as_mut_ptr().cast(),
            questions: questions.spare_capacity_mut().as_mut_ptr().cast(),
            fired_by_rule: fired_by_rule.as_mut_ptr(),
            fired: 0,
            assumed: 0,
        };
        let (steps, asked) = (ports.steps, ports.questions);
        // SAFETY: the address is that of a finished function of this module with exactly this signature, and the
        // module lives as long as `self`. It reads `words` words at `state`, counts in one cell a rule, and
        // writes at most one successor, step and question an instance (one step more, before it is known to be
        // one), for which room was reserved above. Code is only written for instances of this expander.
        unsafe {
            let function: extern "C" fn(*mut Ports, *const u64) = std::mem::transmute(expander.0);
            function(&mut ports, state.as_ptr());
        }
        // SAFETY: each cursor moved on by what the code wrote behind the vector's old end, within its room;
        // states and steps move together, one state of `words` words a step.
        unsafe {
            let found = ports.steps.offset_from(steps) as usize;
            assert!(found <= instances, "an instance has one successor");
            out.states.set_len(out.states.len() + found * words);
            out.steps.set_len(out.steps.len() + found);
            questions.set_len(questions.len() + ports.questions.offset_from(asked) as usize);
        }
        Tally { fired: ports.fired, assumed: ports.assumed }
    }

    /// Asks judging code about a state; the meaning of the answer is the code's.
    pub fn ask(&self, judge: Judge, state: &[u64], index: u64) -> u64 {
        // SAFETY: the address is that of a finished function of this module with exactly this signature. It
        // reads whole states only: `Native` checks the length of every state handed in.
        unsafe {
            let function: extern "C" fn(*const u64, u64) -> u64 = std::mem::transmute(judge.0);
            function(state.as_ptr(), index)
        }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the module is taken once, here, and no code of it runs any more: expanders and judges are
        // only called through `self`.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() }
    }
}

/// What this machine can run, optimised for speed.
fn isa() -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    let check = if cfg!(debug_assertions) { "true" } else { "false" };
    for (name, value) in [("opt_level", "speed"), ("is_pic", "false"), ("enable_verifier", check)] {
        flags.set(name, value).map_err(|error| error.to_string())?;
    }
    let isa = cranelift_native::builder()?;
    isa.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())
}

/// Puts the multisets of a packed state in their canonical order; called by generated code.
pub extern "C" fn order_multisets(sets: *const Multisets, state: *mut u64) {
    // SAFETY: generated code passes the address of its plan's table, which outlives the code, and that of the
    // successor being built, which has all its words and is not otherwise referred to.
    unsafe {
        let sets = &*sets;
        sets.order(std::slice::from_raw_parts_mut(state, sets.words()));
    }
}

/// Copies a state that has many words; called by generated code.
pub extern "C" fn copy_words(from: *const u64, to: *mut u64, words: u64) {
    // SAFETY: generated code passes a whole state and room for another, apart from it.
    unsafe { std::ptr::copy_nonoverlapping(from, to, words as usize) }
}

/// Whether two states of many words differ; called by generated code.
pub extern "C" fn words_differ(a: *const u64, b: *const u64, words: u64) -> u64 {
    // SAFETY: generated code passes two whole states.
    let (a, b) = unsafe {
        (std::slice::from_raw_parts(a, words as usize), std::slice::from_raw_parts(b, words as usize))
    };
    u64::from(a != b)
}
