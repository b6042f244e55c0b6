//! Threads whose stack is deep enough for anything that recurses over a model.
//!
//! The depth of models is bounded (`syntax`, `lower`), and so is that of evaluation (`ir::eval`); this is the stack
//! that those bounds were chosen for. It is reserved, not used: only what recursion reaches becomes memory.

/// Bytes of stack of every thread that parses, lowers, prints or evaluates models.
pub const DEEP_BYTES: usize = 512 << 20;

/// Runs a closure on such a thread. A panic in it goes on here.
pub fn deep<T: Send>(run: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP_BYTES).spawn_scoped(scope, run)?;
        thread.join().or_else(|panic| std::panic::resume_unwind(panic))
    })
}
