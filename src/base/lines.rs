//! Memory for large tables: cache lines of zeros that grow where they stand.
//!
//! Addresses for the most lines there may ever be are reserved at once, which costs nothing; memory is taken when
//! lines are added and first written. So growing copies nothing, and an old table never stands beside its
//! successor. What fills huge pages is put into them: lines are visited at random, and each visit looks up its page, too.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

pub const LINE_BYTES: usize = 64;
const HUGE_PAGE_BYTES: usize = 2 << 20;
/// Beyond this, a last page that is not full is huge all the same: what it wastes is little beside the rest, and it need
/// not be copied when more lines follow.
const WHOLE_PAGES_FROM_BYTES: usize = 4 * HUGE_PAGE_BYTES;

/// Linux's number of the advice to make huge pages at once.
#[cfg(target_os = "linux")]
const MADV_COLLAPSE: libc::c_int = 25;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Line(pub [u8; LINE_BYTES]);

impl Line {
    /// A bit for each of the sixteen words of four bytes (least byte first) that is this one.
    #[inline(always)]
    pub fn equal_words(&self, word: u32) -> u32 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: these instructions are in every processor of this kind, and four times sixteen bytes, aligned, are
        // the line.
        unsafe {
            use std::arch::x86_64::*;
            let wanted = _mm_set1_epi32(word as i32);
            let quarter =
                |at| _mm_cmpeq_epi32(_mm_load_si128(self.0.as_ptr().cast::<__m128i>().add(at)), wanted);
            let halves = [_mm_packs_epi32(quarter(0), quarter(1)), _mm_packs_epi32(quarter(2), quarter(3))];
            _mm_movemask_epi8(_mm_packs_epi16(halves[0], halves[1])) as u32
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let words = self.0.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            words.enumerate().fold(0, |mask, (at, here)| mask | u32::from(here == word) << at)
        }
    }
}

/// How many bytes of so many lines are to be in huge pages.
fn huge_bytes(lines: usize) -> usize {
    let bytes = lines * LINE_BYTES;
    match bytes < WHOLE_PAGES_FROM_BYTES {
        true => bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES,
        false => bytes.next_multiple_of(HUGE_PAGE_BYTES),
    }
}

pub struct Lines {
    first: NonNull<Line>,
    len: usize,
    len_max: usize,
    /// So many bytes have been made huge pages.
    huge_bytes: usize,
    mapped: (*mut libc::c_void, usize),
}

impl Lines {
    /// No lines yet; room for `len_max`, or for as many as the system grants addresses for.
    pub fn new(len_max: u64) -> Option<Lines> {
        let mut len_max = usize::try_from(len_max).ok()?;
        loop {
            let bytes = len_max.checked_mul(LINE_BYTES)?.checked_add(2 * HUGE_PAGE_BYTES)?;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: a new mapping at an address of the system's choice touches no memory that is in use.
            let place = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
            if place != libc::MAP_FAILED {
                let skip = place.align_offset(HUGE_PAGE_BYTES);
                let first = NonNull::new(place.cast::<u8>().wrapping_add(skip).cast::<Line>())?;
                return Some(Lines { first, len: 0, len_max, huge_bytes: 0, mapped: (place, bytes) });
            }
            len_max = Some(len_max / 2).filter(|&half| half > 0)?;
        }
    }

    /// Adds lines of zeros up to `len`; false where there is no room, and then nothing has changed.
    pub fn grow(&mut self, len: usize) -> bool {
        if len > self.len_max {
            return false;
        }
        let bytes = (len * LINE_BYTES).max(huge_bytes(len));
        let place = self.first.as_ptr().cast::<libc::c_void>();
        // SAFETY: `len` lines from the first on, and the rest of their last page, lie within this mapping, which nobody
        // else knows of.
        let granted = unsafe { libc::mprotect(place, bytes, libc::PROT_READ | libc::PROT_WRITE) } == 0;
        if granted {
            self.len = len;
            self.ask_for_huge();
        }
        granted
    }

    /// Huge pages from the beginning for what will fill them. Advice, which the system may refuse.
    fn ask_for_huge(&self) {
        let bytes = huge_bytes(self.len);
        #[cfg(target_os = "linux")]
        if bytes > self.huge_bytes {
            // SAFETY: whole pages within the mapping; this leaves what they hold alone.
            unsafe {
                let place = self.first.as_ptr().cast::<u8>().add(self.huge_bytes).cast::<libc::c_void>();
                libc::madvise(place, bytes - self.huge_bytes, libc::MADV_HUGEPAGE);
            }
        }
    }

    /// Moves what fills huge pages, and is not in such pages yet, to them, where the system can; for lines that have
    /// been written. That is what was the last, partly filled page before.
    pub fn make_huge(&mut self) {
        let bytes = huge_bytes(self.len);
        #[cfg(target_os = "linux")]
        if bytes > self.huge_bytes {
            // SAFETY: whole pages within the mapping. This moves them to other memory at the same addresses, with what
            // they hold; where that is refused, nothing has changed.
            unsafe {
                let place = self.first.as_ptr().cast::<u8>().add(self.huge_bytes).cast::<libc::c_void>();
                libc::madvise(place, bytes - self.huge_bytes, MADV_COLLAPSE);
            }
        }
        self.huge_bytes = bytes;
    }
}

impl Deref for Lines {
    type Target = [Line];

    #[inline]
    fn deref(&self) -> &[Line] {
        // SAFETY: `len` lines from `first` on may be read and written, hold zeros or what was written there (any
        // bytes are a line), and belong to `self`.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl DerefMut for Lines {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Line] {
        // SAFETY: as above, and `self` is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and every borrow of it has ended.
        unsafe { libc::munmap(self.mapped.0, self.mapped.1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_are_found_wherever_they_are() {
        let mut line = Line([0; LINE_BYTES]);
        for at in 0..16usize {
            line.0[at * 4..at * 4 + 4].copy_from_slice(&(at as u32 % 5 * 0x0101_0100).to_le_bytes());
        }
        for word in 0..5u32 {
            let wanted = (0..16).filter(|at| at % 5 == word).fold(0, |mask, at| mask | 1 << at);
            assert_eq!(line.equal_words(word * 0x0101_0100), wanted);
        }
        assert_eq!(line.equal_words(7), 0);
    }

    #[test]
    fn lines_grow_where_they_stand_and_keep_what_they_hold() {
        let mut lines = Lines::new(1 << 20).expect("addresses");
        assert!(lines.is_empty() && lines.grow(3));
        lines[2].0[5] = 7;
        let before = lines.as_ptr();
        assert!(lines.grow(1 << 18));
        assert_eq!((lines.as_ptr(), lines[2].0[5], lines[(1 << 18) - 1].0), (before, 7, [0; LINE_BYTES]));
        lines.make_huge();
        assert_eq!((lines[2].0[5], lines[(1 << 18) - 1].0), (7, [0; LINE_BYTES]));
        assert!(!lines.grow((1 << 20) + 1), "beyond what was reserved");
        assert_eq!(lines.len(), 1 << 18);
    }
}
