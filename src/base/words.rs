//! Packed states as bytes: words, least significant byte first, on every machine.

use std::borrow::Cow;

/// The bytes of `words`; a view where the machine's order is the wire's.
#[inline]
pub fn bytes(words: &[u64]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        // SAFETY: words are plain bytes without padding, and `u8` needs no alignment.
        Cow::Borrowed(unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(words)) })
    } else {
        Cow::Owned(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}

/// Appends the words that `bytes` holds; a rest that is not a whole word is left out.
#[inline]
pub fn read(bytes: &[u8], words: &mut Vec<u64>) {
    words.extend(
        bytes.chunks_exact(8).map(|b| u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]])),
    );
}

/// Copies words to as many others. States are mostly a few words, and a call that copies them takes longer than they do.
#[inline(always)]
pub fn copy_few(from: &[u64], to: &mut [u64]) {
    match (from, to) {
        ([a], [to_a]) => *to_a = *a,
        ([a, b], [to_a, to_b]) => (*to_a, *to_b) = (*a, *b),
        ([a, b, c], [to_a, to_b, to_c]) => (*to_a, *to_b, *to_c) = (*a, *b, *c),
        (from, to) => to.copy_from_slice(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_words_are_copied() {
        let words = [7, 6, 5, 4, 3];
        for len in 0..=words.len() {
            let mut copy = vec![0; len];
            copy_few(&words[..len], &mut copy);
            assert_eq!(copy, words[..len]);
        }
    }

    #[test]
    fn words_come_back() {
        let words = [1, u64::MAX, 0x0102_0304_0506_0708];
        let mut back = Vec::new();
        read(&bytes(&words), &mut back);
        assert_eq!(back, words);
        assert_eq!(bytes(&words)[16..], [8, 7, 6, 5, 4, 3, 2, 1]);
    }
}
