//! Numbers in as few bytes as they need: seven bits a byte, least first, the eighth bit saying that more follow.

/// Adds a number.
#[inline]
pub fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The numbers in some bytes, one after the other.
pub struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Numbers<'a> {
    pub fn new(bytes: &'a [u8]) -> Numbers<'a> {
        Numbers { bytes, at: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }
}

impl Iterator for Numbers<'_> {
    type Item = u64;

    /// None at the end, and where the bytes are not a number.
    fn next(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0u64, 0u32);
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| push_number(&mut bytes, number));
        assert_eq!(Numbers::new(&bytes).collect::<Vec<_>>(), numbers);
        assert_eq!(Numbers::new(&[0x80]).next(), None);
    }
}
