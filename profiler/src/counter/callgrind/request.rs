//! Client requests: how a program speaks to the valgrind that runs it.
//!
//! A request is a sequence of instructions that does nothing on a processor, and that valgrind recognises (valgrind's manual,
//! section 3.1; the sequences and numbers are those of its `valgrind.h` and `callgrind.h`, which say that they do not change).
#![allow(unsafe_code, reason = "a client request is a sequence of instructions")]

/// What is asked of valgrind. All of them are without arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub(super) enum Request {
    /// How many valgrinds are around the program.
    RunningOnValgrind = 0x1001,
    /// Writes what was counted since the last time, and begins at 0 again.
    DumpStats = callgrind(0),
    /// Stops counting, or goes on with it.
    ToggleCollect = callgrind(2),
    /// Begins to watch instructions; before that, the program runs faster.
    StartInstrumentation = callgrind(4),
}

/// Numbers of one tool begin with two letters, of callgrind with CT.
const fn callgrind(number: u64) -> u64 {
    (b'C' as u64) << 24 | (b'T' as u64) << 16 | number
}

impl Request {
    /// Makes the request and returns valgrind's answer; 0 where there is no valgrind.
    #[inline(always)]
    pub(super) fn make(self) -> u64 {
        let arguments = [self as u64, 0, 0, 0, 0, 0];
        let answer: u64;
        // SAFETY: on a processor, the sequence turns `rdi` by 3 + 13 + 61 + 51 = 128 bits, that is not at all, and swaps `rbx`
        // with itself, so that `rdx` keeps its 0. Under valgrind, `rdx` is set to the answer; requests without pointers in
        // their arguments write no memory of this program. Flags and memory count as clobbered.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            core::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") arguments.as_ptr(), inout("rdx") 0_u64 => answer, inout("rdi") 0_u64 => _, options(nostack)
            );
        }
        // SAFETY: the same, with `x12` turned by 3 + 13 + 51 + 61 = 128 bits and `x10` joined with itself; `x3` is the answer.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            core::arch::asm!(
                "ror x12, x12, #3", "ror x12, x12, #13", "ror x12, x12, #51", "ror x12, x12, #61", "orr x10, x10, x10",
                in("x4") arguments.as_ptr(), inout("x3") 0_u64 => answer, inout("x12") 0_u64 => _, options(nostack)
            );
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            let _ = arguments;
            answer = 0;
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn numbers_are_those_of_the_headers() {
        assert_eq!(Request::DumpStats as u64, 0x4354_0000);
        assert_eq!(Request::StartInstrumentation as u64, 0x4354_0004);
    }

    #[test]
    fn on_a_processor_nothing_answers() {
        if std::env::var_os("LD_PRELOAD").is_some() {
            let _ =
                writeln!(std::io::stderr(), "skipped: something is loaded before this program, perhaps by valgrind");
            return;
        }
        for request in [Request::RunningOnValgrind, Request::DumpStats, Request::ToggleCollect] {
            assert_eq!(request.make(), 0, "{request:?}");
        }
    }
}
