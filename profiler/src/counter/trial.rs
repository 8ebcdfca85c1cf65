#![allow(unsafe_code, reason = "a trial process needs fork")]

use super::Unavailable;
use std::io;

/// Runs `access` in a child process, so that an access that traps ends the child and not this program.
///
/// `access` must do no more than the instruction that is on trial: after `fork` of a program with threads, locks and the
/// allocator may be in any state.
///
/// # Errors
/// [`Unavailable::Trapped`] where a signal ended the child, [`Unavailable::Failed`] where there could be none.
pub(super) fn survives(access: impl FnOnce()) -> Result<(), Unavailable> {
    let failed = |operation| Unavailable::Failed { operation, message: io::Error::last_os_error().to_string() };
    // SAFETY: the child calls only `access` (which keeps to the contract above) and functions that POSIX lists as safe
    // after `fork`, and never returns from this block.
    let child = unsafe {
        let child = libc::fork();
        if child == 0 {
            // A trap is expected here and shall not leave a core file.
            libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
            access();
            libc::_exit(0);
        }
        child
    };
    if child < 0 {
        return Err(failed("fork"));
    }
    let mut status = 0;
    loop {
        // SAFETY: `status` is a valid place for an int, and `child` is ours and not waited for elsewhere.
        if unsafe { libc::waitpid(child, &raw mut status, 0) } == child {
            break;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return Err(failed("waitpid"));
        }
    }
    if libc::WIFSIGNALED(status) { Err(Unavailable::Trapped { signal: libc::WTERMSIG(status) }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harmless_access_survives() {
        assert_eq!(survives(|| ()), Ok(()));
    }

    #[test]
    fn an_instruction_that_does_not_exist_traps() {
        let trapped = survives(|| {
            // SAFETY: raises SIGILL in the child that `survives` makes, which is meant to die of it.
            #[cfg(target_arch = "x86_64")]
            unsafe {
                core::arch::asm!("ud2");
            }
            // SAFETY: the same.
            #[cfg(target_arch = "aarch64")]
            unsafe {
                core::arch::asm!("udf #0");
            }
        });
        assert_eq!(trapped, Err(Unavailable::Trapped { signal: libc::SIGILL }));
    }

    #[test]
    fn a_trapping_access_ends_the_child_alone() {
        // SAFETY: raises the signal in the child that `survives` makes, which is meant to die of it.
        let trapped = survives(|| unsafe {
            libc::raise(libc::SIGILL);
        });
        assert_eq!(trapped, Err(Unavailable::Trapped { signal: libc::SIGILL }));
    }
}
