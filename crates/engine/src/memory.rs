//! How much memory the process takes.

/// The memory that the process has now, in bytes, where the system tells it cheaply (Linux).
pub fn resident() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
        let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some(pages * PAGE)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The kernel counts in pages. Where they are larger than this the bound comes later than it should, and still comes.
#[cfg(target_os = "linux")]
const PAGE: u64 = 4096;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn a_process_takes_some_memory() {
        let bytes = super::resident().expect("Linux tells");
        assert!((1 << 20..1 << 40).contains(&bytes), "{bytes}");
    }
}
