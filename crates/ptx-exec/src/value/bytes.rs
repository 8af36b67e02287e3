//! Bytes of objects as numbers.

use super::integer::low;

/// Up to 16 bytes from a position on as a little-endian number. The data has them: where an access goes was checked before.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 16")]
pub(crate) fn read(data: &[u8], at: usize, count: usize) -> u128 {
    let (start, rest) = (&data[at..at + count], &data[at..]);
    // Copying 16 bytes and dropping what follows is faster than copying a number of bytes that is not constant.
    if let Some(sixteen) = rest.first_chunk() {
        return low(u128::from_le_bytes(*sixteen), count as u32 * 8);
    }
    let mut bytes = [0; 16];
    bytes[..count].copy_from_slice(start);
    u128::from_le_bytes(bytes)
}
