//! Values as bytes with a checksum: a value that does not verify is not believed.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::must::Must as _;

/// The length of a checksum.
const CHECKSUM: usize = 8;

/// The bytes of a value, with their checksum.
pub(super) fn seal<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = postcard::to_stdvec(value).must("a value of this program has a length and no unknown fields");
    let checksum = blake3::hash(&bytes);
    bytes.extend(&checksum.as_bytes()[..CHECKSUM]);
    bytes
}

/// The value of bytes; none if they are damaged, or of another type.
pub(super) fn open<T: DeserializeOwned>(sealed: &[u8]) -> Option<T> {
    let (bytes, checksum) = sealed.split_at_checked(sealed.len().checked_sub(CHECKSUM)?)?;
    if blake3::hash(bytes).as_bytes()[..CHECKSUM] != *checksum {
        return None;
    }
    let (value, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_value_is_not_believed() {
        let sealed = seal(&("ld", 5_u64));
        assert_eq!(open::<(String, u64)>(&sealed), Some(("ld".to_owned(), 5)));
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(open::<(String, u64)>(&damaged), None, "byte {at}");
            assert_eq!(open::<(String, u64)>(&sealed[..at]), None, "the first {at} bytes");
        }
        assert_eq!(open::<String>(&sealed), None, "another type");
    }
}
