//! How much memory a process uses, with all that it started.

/// The bytes of memory that a process and its descendants hold and that no file backs. What two of them share counts
/// twice. One that has ended holds none.
pub(crate) fn held_by(process: u32) -> u64 {
    let mut waiting = vec![process];
    let mut bytes = 0_u64;
    while let Some(process) = waiting.pop() {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        bytes = bytes.saturating_add(resident(&status));
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            waiting.extend(children.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    bytes
}

/// The bytes in the lines of `/proc/PID/status` that count: `RssAnon:      123 kB`.
fn resident(status: &str) -> u64 {
    let counts = |line: &&str| line.starts_with("RssAnon:") || line.starts_with("RssShmem:");
    let kibibytes = |line: &str| line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok();
    status
        .lines()
        .filter(counts)
        .filter_map(kibibytes)
        .fold(0, |sum, more| sum.saturating_add(more.saturating_mul(1024)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_this_process_is_seen() {
        let before = held_by(std::process::id());
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        let held = held_by(std::process::id());
        assert!(held > 64 << 20 && held > before, "{before} {held}");
        drop(block);
        assert_eq!(held_by(u32::MAX), 0);
        assert_eq!(resident("VmRSS:\t 9 kB\nRssAnon:\t 3 kB\nRssFile:\t 4 kB\nRssShmem:\t 2 kB\n"), 5 * 1024);
    }
}
