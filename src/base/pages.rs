//! Huge pages for large tables that are visited at random: each visit would otherwise look up its page, too.

use std::mem::MaybeUninit;

/// Not worth it below this.
#[cfg(target_os = "linux")]
const HUGE_FROM_BYTES: usize = 4 << 20;
#[cfg(target_os = "linux")]
const PAGE_BYTES: usize = 4 << 10;

/// Asks the system for huge pages behind memory that is about to be used, as `Vec::spare_capacity_mut` hands it out.
pub fn ask_for_huge<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    if size_of_val(memory) >= HUGE_FROM_BYTES {
        let begin = memory.as_ptr().addr().next_multiple_of(PAGE_BYTES);
        let end = memory.as_ptr_range().end.addr() / PAGE_BYTES * PAGE_BYTES;
        // SAFETY: whole pages within memory that is borrowed alone; this is advice and leaves their content alone.
        unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_changes_nothing() {
        for len in [0usize, 10, 1 << 20] {
            let mut table: Vec<u64> = Vec::with_capacity(len);
            ask_for_huge(table.spare_capacity_mut());
            table.extend(0..len as u64);
            assert!(table.iter().enumerate().all(|(at, &word)| at as u64 == word));
        }
    }
}
