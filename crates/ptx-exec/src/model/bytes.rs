//! Bytes of objects as numbers.

/// The bytes from a position on as a little-endian number; 0 beyond the end.
pub(super) fn read(data: &[u8], at: usize, count: u32) -> u128 {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().take(usize::try_from(count).unwrap_or(16)).zip(data.get(at..).unwrap_or(&[])) {
        *to = *from;
    }
    u128::from_le_bytes(bytes)
}
