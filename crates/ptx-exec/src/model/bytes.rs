//! Bytes of objects as numbers.

/// Up to 16 bytes from a position on as a little-endian number. The data has them: where an access goes was checked before.
pub(super) fn read(data: &[u8], at: usize, count: usize) -> u128 {
    let mut bytes = [0; 16];
    bytes[..count].copy_from_slice(&data[at..at + count]);
    u128::from_le_bytes(bytes)
}
