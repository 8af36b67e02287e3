//! Hashes of files.

use std::path::Path;

use anyhow::Context as _;

/// A hash of a file.
pub(super) fn hash_of(path: &Path) -> anyhow::Result<String> {
    let read = || {
        let mut hasher = blake3::Hasher::new();
        std::io::copy(&mut std::fs::File::open(path)?, &mut hasher)?;
        Ok::<_, std::io::Error>(hasher.finalize())
    };
    let hash = read().with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(hash.to_hex()[..16].to_owned())
}
