#![allow(unsafe_code, reason = "the kernel's page is memory that the kernel writes to")]

use super::page::{Fields, Page};
use perf_event_open_sys::bindings::{
    PERF_COUNT_HW_CPU_CYCLES, PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING, PERF_TYPE_HARDWARE,
    perf_event_attr, perf_event_mmap_page,
};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{Ordering, fence};

/// `config1` of an event on AArch64 (Linux, Documentation/arch/arm64/perf.rst): bit 0 asks for 64 bits, bit 1 for access from
/// user mode. Elsewhere events have no such bits.
const LONG_AND_READABLE: u64 = if cfg!(target_arch = "aarch64") { 0b11 } else { 0 };

/// An open event of the calling thread, with the page in which the kernel says how to read it. Nothing here allocates, so that it
/// can be tried in a child process.
#[derive(Debug)]
pub(super) struct Mapping {
    page: NonNull<perf_event_mmap_page>,
    length: usize,
    event: File,
}

/// What a system call says of an event: its count, and in ns how long it was enabled and how long it counted.
pub(super) type Kernel = [u64; 3];

impl Mapping {
    /// Counts core cycles in user mode.
    pub(super) fn cycles() -> io::Result<Self> {
        Self::open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES.into(), LONG_AND_READABLE)
    }

    /// Opens any event.
    pub(super) fn open(kind: u32, config: u64, config1: u64) -> io::Result<Self> {
        let mut attributes = perf_event_attr {
            size: size_of::<perf_event_attr>() as u32,
            type_: kind,
            config,
            read_format: (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING).into(),
            ..Default::default()
        };
        attributes.__bindgen_anon_3.config1 = config1;
        attributes.set_exclude_kernel(1);
        attributes.set_exclude_hv(1);
        // SAFETY: `attributes` is whole and outlives the call; pid 0 and cpu -1 are this thread on every core.
        let descriptor = unsafe { perf_event_open_sys::perf_event_open(&mut attributes, 0, -1, -1, 0) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and no one else's.
        let event = unsafe { File::from_raw_fd(descriptor) };
        // SAFETY: asks for a number.
        let length = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let page =
            unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_READ, libc::MAP_SHARED, event.as_raw_fd(), 0) };
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let page = NonNull::new(page.cast()).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
        Ok(Self { page, length, event })
    }

    /// Asks the kernel.
    pub(super) fn ask(&self) -> io::Result<Kernel> {
        let mut answer = [0; 3 * size_of::<u64>()];
        (&self.event).read_exact(&mut answer)?;
        let number = |index: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&answer[8 * index..][..8]);
            u64::from_ne_bytes(bytes)
        };
        Ok([number(0), number(1), number(2)])
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: made by `mmap` with this length, and no reference into it is left. A failure would leave it mapped.
        unsafe {
            libc::munmap(self.page.as_ptr().cast(), self.length);
        }
    }
}

/// Reads a field of the page, which the kernel may be writing.
macro_rules! field {
    ($self:ident, $($path:tt)+) => {
        // SAFETY: the page is mapped as long as `self` lives, and aligned as pages are; a field that the kernel is writing is
        // read as some value, which the sequence then tells not to use.
        unsafe { ptr::read_volatile(&raw const (*$self.page.as_ptr()).$($path)+) }
    };
}

impl Page for Mapping {
    #[inline(always)]
    fn sequence(&self) -> u32 {
        let sequence = field!(self, lock);
        // The kernel writes on the core that this thread is on, so that order in the program is enough, but cores may differ
        // from one look to the next.
        fence(Ordering::Acquire);
        sequence
    }

    #[inline(always)]
    fn fields(&self) -> Fields {
        /// `cap_user_rdpmc`: bit 0 is of older kernels, 1 says that the others mean something.
        const USER_READ: u64 = 1 << 2;
        Fields {
            index: field!(self, index),
            offset: field!(self, offset),
            readable: field!(self, __bindgen_anon_1.capabilities) & USER_READ != 0,
            width: field!(self, pmc_width),
        }
    }

    #[inline(always)]
    fn sequence_after(&self) -> u32 {
        fence(Ordering::Acquire);
        field!(self, lock)
    }
}
