//! One hint to the processor.

/// Asks for the cache line of `place`, which will be used soon.
#[inline]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and touches nothing; the reference is valid anyway.
    unsafe {
        std::arch::x86_64::_mm_prefetch(std::ptr::from_ref(place).cast(), std::arch::x86_64::_MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
