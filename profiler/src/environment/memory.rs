use super::Tree;
use std::io;

/// Memory of this process that is in RAM, in bytes.
///
/// It is read from `/proc/self/status`: `ru_maxrss` of `getrusage` starts at what the parent had when it forked, and so
/// says more of the parent than of a small child (Linux, `fs/exec.c`: `setmax_mm_hiwater_rss`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resident {
    /// Now.
    pub now: u64,
    /// The most at any time since the program began, or since [`forget_peak`].
    pub peak: u64,
}

/// What is in RAM. None where the system does not tell.
#[must_use]
pub fn resident(tree: &Tree) -> Option<Resident> {
    let bytes = |field| kibibytes(&tree.field("proc/self/status", field)?);
    Some(Resident { now: bytes("VmRSS")?, peak: bytes("VmHWM")? })
}

/// The bytes of a value such as `1740 kB`, which the kernel writes for kibibytes.
pub(super) fn kibibytes(text: &str) -> Option<u64> {
    text.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Starts the peak of [`resident`] anew from what is in RAM now.
///
/// # Errors
/// Where the system does not let it.
pub fn forget_peak(tree: &Tree) -> io::Result<()> {
    // 5 resets the high-water mark (proc_pid_clear_refs(5)).
    tree.write("proc/self/clear_refs", "5")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::fixture::Fixture;
    use std::io::Write as _;

    #[test]
    fn what_is_resident_is_read() {
        let fixture = Fixture::new(&[("proc/self/status", "Name: x\nVmHWM:\t    1740 kB\nVmRSS:\t    1700 kB\n")]);
        assert_eq!(resident(&fixture.tree()), Some(Resident { now: 1700 * 1024, peak: 1740 * 1024 }));
        assert_eq!(resident(&Fixture::new(&[]).tree()), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_of_this_process_is_seen_and_forgotten() {
        let tree = Tree::host();
        let Some(before) = resident(&tree) else {
            let _ = writeln!(io::stderr(), "skipped: the system does not tell");
            return;
        };
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        let with = resident(&tree).unwrap();
        assert!(with.peak >= before.now + (60 << 20), "{before:?} {with:?}");
        drop(block);
        if let Err(error) = forget_peak(&tree) {
            let _ = writeln!(io::stderr(), "skipped: the peak cannot be reset: {error}");
            return;
        }
        let after = resident(&tree).unwrap();
        assert!(after.peak + (30 << 20) <= with.peak, "{with:?} {after:?}");
    }
}
