//! Which lines of a table have a free place: a bit for each.
//!
//! Whoever looks for the nearest free place before a full line finds it here, in a table that is a 512th of the other's size
//! and stays in the processor's caches, instead of visiting the full lines between.

/// Bytes in front of the first line's, so that eight bytes can be read anywhere.
const IN_FRONT: usize = 7;

#[derive(Default)]
pub struct Room {
    bits: Vec<u8>,
}

impl Room {
    /// For so many lines; what was said of lines before stays, new ones are full until they are told otherwise.
    pub fn grow(&mut self, lines: usize) {
        self.bits.resize(IN_FRONT + lines.div_ceil(8), 0);
    }

    #[inline(always)]
    pub fn set(&mut self, line: usize, free: bool) {
        let byte = &mut self.bits[IN_FRONT + line / 8];
        *byte = *byte & !(1 << (line % 8)) | u8::from(free) << (line % 8);
    }

    /// How far before a line the nearest one with a free place is, if it is one of the 57 before it.
    #[inline(always)]
    pub fn before(&self, line: usize) -> Option<usize> {
        let last = line - 1;
        let bytes: [u8; 8] = self.bits[last / 8..last / 8 + 8].try_into().expect("eight bytes");
        // The last line's bit becomes the highest.
        let bits = u64::from_le_bytes(bytes) << (7 - last % 8);
        (bits != 0).then(|| 1 + bits.leading_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_line_with_room_is_found_within_sight() {
        let mut room = Room::default();
        room.grow(200);
        assert!((1..=200).all(|line| room.before(line).is_none()));
        for free in [0, 5, 63, 64, 130] {
            room.set(free, true);
            for line in free + 1..=200 {
                let found = room.before(line);
                assert!(
                    found == Some(line - free) || found.is_none() && line - free > 57,
                    "{free} before {line}"
                );
            }
            assert_ne!(room.before(free.max(1)), Some(0));
            room.set(free, false);
        }
        room.set(7, true);
        room.grow(1000);
        assert_eq!((room.before(8), room.before(1000)), (Some(1), None));
    }
}
