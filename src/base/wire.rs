//! Bytes as they travel and lie on disk: little-endian words, appended and read back with a check.
//!
//! For hot payloads; small typed messages use `bincode` through `encode` and `decode`.

use serde::{Serialize, de::DeserializeOwned};

pub fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Takes words off the front of a slice; `None` when it is too short.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    pub fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(head)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.bytes(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    pub fn u64(&mut self) -> Option<u64> {
        let b = self.bytes(8)?;
        Some(u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

/// A typed message as bytes.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    bincode::serde::encode_to_vec(message, bincode::config::standard()).expect("plain data always encodes")
}

/// The typed message in `bytes`, all of them; the error names what did not fit.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    // The limit keeps a corrupt length from reserving all memory.
    let config = bincode::config::standard().with_limit::<{ 1 << 30 }>();
    match bincode::serde::decode_from_slice(bytes, config) {
        Ok((message, used)) if used == bytes.len() => Ok(message),
        Ok((_, used)) => Err(format!("{} bytes are left over", bytes.len() - used)),
        Err(error) => Err(error.to_string()),
    }
}

/// A typed message as one item of a batch: its length, then its bytes.
pub fn item<T: Serialize>(message: &T) -> Vec<u8> {
    let bytes = encode(message);
    let mut item = Vec::with_capacity(bytes.len() + 4);
    put_u32(&mut item, bytes.len() as u32);
    item.extend_from_slice(&bytes);
    item
}

/// The typed messages of a batch, in the order in which their items were added.
pub fn items<T: DeserializeOwned>(batch: &[u8]) -> Vec<T> {
    let mut reader = Reader::new(batch);
    let mut messages = Vec::new();
    while let Some(len) = reader.u32() {
        let bytes = reader.bytes(len as usize).expect("an item is whole");
        messages.push(decode(bytes).expect("an item decodes"));
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_and_short_input_is_seen() {
        let mut out = Vec::new();
        put_u32(&mut out, 7);
        put_u64(&mut out, u64::MAX - 1);
        let mut reader = Reader::new(&out);
        assert_eq!(reader.u32(), Some(7));
        assert_eq!(reader.u64(), Some(u64::MAX - 1));
        assert_eq!(reader.u32(), None);
        assert!(reader.rest().is_empty());
    }

    #[test]
    fn typed_messages_come_back_and_bad_bytes_do_not() {
        let bytes = encode(&(3u32, "abc".to_string()));
        assert_eq!(decode::<(u32, String)>(&bytes).unwrap(), (3, "abc".to_string()));
        assert!(decode::<(u32, String)>(&bytes[..2]).is_err());
        assert!(decode::<u32>(&bytes).unwrap_err().contains("left over"));
        let batch = [item(&1u32), item(&70_000u32)].concat();
        assert_eq!(items::<u32>(&batch), [1, 70_000]);
    }
}
