//! Semihosting: the services that a program asks for by BKPT 0xAB ("Semihosting for AArch32 and AArch64", Arm 2.0).

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use crate::console::Console;
use crate::core::Core;
use crate::error::{FaultKind, Step, Stop, fault};

/// Reason code of an orderly exit.
const APPLICATION_EXIT: u32 = 0x2_0026;
/// Answer of a call that failed.
const FAILED: u32 = u32::MAX;
/// What the file `:semihosting-features` holds: its magic, then SYS_EXIT_EXTENDED and separate standard error.
const FEATURES: &[u8] = b"SHFB\x03";
/// Errno of newlib for "no such file" and "bad file".
const ENOENT: u32 = 2;
const EBADF: u32 = 9;

/// An open file of the program.
#[derive(Debug)]
enum Handle {
    Stdin,
    Stdout,
    Stderr,
    Features(usize),
    File(File),
}

/// The host as the program sees it.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) console: Console,
    pub(crate) command_line: String,
    /// Input of the program; `None` reads the host's standard input.
    pub(crate) input: Option<VecDeque<u8>>,
    /// Directory whose files the program may use.
    pub(crate) files: Option<PathBuf>,
    /// Core clock in Hz.
    pub(crate) clock: u64,
    /// Base and limit of free memory.
    pub(crate) heap: (u32, u32),
    handles: Vec<Option<Handle>>,
    errno: u32,
}

impl Host {
    /// Output to the host's standard streams, or kept for [`Console::take`].
    pub(crate) fn new(clock: u64, keep_output: bool) -> Self {
        Host {
            console: Console::new(keep_output),
            command_line: String::new(),
            input: keep_output.then(VecDeque::new),
            files: None,
            clock,
            heap: (0, 0),
            handles: Vec::new(),
            errno: 0,
        }
    }

    fn read_input(&mut self, buffer: &mut [u8]) -> usize {
        match &mut self.input {
            Some(input) => input.read(buffer).unwrap_or(0),
            None => std::io::stdin().read(buffer).unwrap_or(0),
        }
    }

    /// A path below the directory that the program may use.
    fn path(&self, name: &str) -> Option<PathBuf> {
        let below = Path::new(name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        below.then(|| self.files.as_ref().map(|dir| dir.join(name))).flatten()
    }

    /// `mode` indexes the modes of `fopen`: r, r+, w, w+, a, a+, each with b at odd numbers.
    fn open(&mut self, name: &str, mode: u32) -> Option<Handle> {
        match name {
            ":tt" => Some(match mode {
                0..4 => Handle::Stdin,
                4..8 => Handle::Stdout,
                _ => Handle::Stderr,
            }),
            ":semihosting-features" if mode < 2 => Some(Handle::Features(0)),
            _ => {
                let path = self.path(name)?;
                let plus = mode & 2 != 0;
                let mut options = File::options();
                match mode / 4 {
                    0 => options.read(true).write(plus),
                    1 => options.write(true).read(plus).create(true).truncate(true),
                    _ => options.append(true).read(plus).create(true),
                };
                options.open(path).ok().map(Handle::File)
            }
        }
    }

    /// Handles are numbered from 1.
    fn insert(&mut self, handle: Handle) -> u32 {
        let free = self.handles.iter().position(Option::is_none).unwrap_or_else(|| {
            self.handles.push(None);
            self.handles.len() - 1
        });
        self.handles[free] = Some(handle);
        free as u32 + 1
    }

    fn handle(&mut self, number: u32) -> Option<&mut Handle> {
        self.handles.get_mut((number as usize).wrapping_sub(1))?.as_mut()
    }

    fn fail(&mut self, errno: u32) -> u32 {
        self.errno = errno;
        FAILED
    }

    /// Bytes not written.
    fn write(&mut self, number: u32, bytes: &[u8]) -> u32 {
        enum To {
            Out,
            Err,
            Done(bool),
        }
        let to = match self.handle(number) {
            Some(Handle::Stdout) => To::Out,
            Some(Handle::Stderr) => To::Err,
            Some(Handle::File(file)) => To::Done(file.write_all(bytes).is_ok()),
            _ => To::Done(false),
        };
        match to {
            To::Out => self.console.write(bytes),
            To::Err => self.console.write_error(bytes),
            To::Done(true) => {}
            To::Done(false) => {
                self.errno = EBADF;
                return bytes.len() as u32;
            }
        }
        0
    }

    /// Bytes read into `buffer`.
    fn read(&mut self, number: u32, buffer: &mut [u8]) -> usize {
        match self.handle(number) {
            Some(Handle::Stdin) => self.read_input(buffer),
            Some(Handle::File(file)) => file.read(buffer).unwrap_or(0),
            Some(Handle::Features(at)) => {
                let rest = &FEATURES[(*at).min(FEATURES.len())..];
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                *at += count;
                count
            }
            _ => 0,
        }
    }

    fn seek(&mut self, number: u32, to: u32) -> u32 {
        let done = match self.handle(number) {
            Some(Handle::Features(at)) => {
                *at = to as usize;
                true
            }
            Some(Handle::File(file)) => file.seek(SeekFrom::Start(to.into())).is_ok(),
            _ => false,
        };
        if done { 0 } else { self.fail(EBADF) }
    }

    fn length(&mut self, number: u32) -> u32 {
        let length = match self.handle(number) {
            Some(Handle::Features(_)) => Some(FEATURES.len() as u64),
            Some(Handle::File(file)) => file.metadata().ok().map(|m| m.len()),
            _ => None,
        };
        length.and_then(|n| u32::try_from(n).ok()).unwrap_or_else(|| self.fail(EBADF))
    }
}

/// Serves the call in R0 with its argument in R1; the answer goes to R0.
pub(crate) fn call(c: &mut Core) -> Step {
    let (number, arg) = (c.r[0], c.r[1]);
    c.r[0] = match number {
        0x01 => open(c, arg)?,
        0x02 => close(c, arg)?,
        0x03 => {
            let byte = c.load8(arg)? as u8;
            c.host.console.write(&[byte]);
            number
        }
        0x04 => {
            let bytes = string(c, arg)?;
            c.host.console.write(&bytes);
            number
        }
        0x05 => {
            let [handle, at, len] = arguments(c, arg)?;
            let bytes = memory(c, at, len)?;
            c.host.write(handle, &bytes)
        }
        0x06 => read(c, arg)?,
        0x07 => {
            let mut byte = [0];
            if c.host.read_input(&mut byte) == 1 { byte[0].into() } else { FAILED }
        }
        0x08 => u32::from((c.load32(arg)? as i32) < 0),
        0x09 => {
            let handle = c.load32(arg)?;
            let terminal = matches!(c.host.handle(handle), Some(Handle::Stdin | Handle::Stdout | Handle::Stderr));
            u32::from(terminal)
        }
        0x0A => {
            let [handle, to] = arguments(c, arg)?;
            c.host.seek(handle, to)
        }
        0x0C => {
            let handle = c.load32(arg)?;
            c.host.length(handle)
        }
        0x0E => remove(c, arg)?,
        0x0F => rename(c, arg)?,
        // Centiseconds, seconds and ticks of the simulated clock, so that runs repeat.
        0x10 => (c.cycles / (c.host.clock / 100)) as u32,
        0x11 => (c.cycles / c.host.clock) as u32,
        0x13 => c.host.errno,
        0x15 => command_line(c, arg)?,
        0x16 => heap_info(c, arg)?,
        0x18 => return exit(if arg == APPLICATION_EXIT { 0 } else { 1 }),
        0x20 => {
            let [reason, status] = arguments(c, arg)?;
            return exit(if reason == APPLICATION_EXIT { status as i32 } else { 1 });
        }
        0x30 => {
            let cycles = c.cycles;
            c.store32(arg, cycles as u32)?;
            c.store32(arg.wrapping_add(4), (cycles >> 32) as u32)?;
            0
        }
        0x31 => c.host.clock as u32,
        other => return fault(FaultKind::Semihosting(other)),
    };
    Ok(())
}

fn exit(status: i32) -> Step {
    Err(Box::new(Stop::Exit(status)))
}

/// Words of an argument block.
fn arguments<const N: usize>(c: &mut Core, at: u32) -> Step<[u32; N]> {
    let mut words = [0; N];
    for (i, word) in (0..).zip(&mut words) {
        *word = c.load32(at.wrapping_add(4 * i))?;
    }
    Ok(words)
}

/// Bytes up to a NUL.
fn string(c: &mut Core, mut at: u32) -> Step<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        match c.load8(at)? as u8 {
            0 => return Ok(bytes),
            byte => bytes.push(byte),
        }
        at = at.wrapping_add(1);
    }
}

fn memory(c: &mut Core, at: u32, len: u32) -> Step<Vec<u8>> {
    (0..len).map(|i| Ok(c.load8(at.wrapping_add(i))? as u8)).collect()
}

fn name(c: &mut Core, at: u32, len: u32) -> Step<String> {
    Ok(String::from_utf8_lossy(&memory(c, at, len)?).into_owned())
}

fn open(c: &mut Core, arg: u32) -> Step<u32> {
    let [at, mode, len] = arguments(c, arg)?;
    let name = name(c, at, len)?;
    Ok(match c.host.open(&name, mode) {
        Some(handle) => c.host.insert(handle),
        None => c.host.fail(ENOENT),
    })
}

fn close(c: &mut Core, arg: u32) -> Step<u32> {
    let number = c.load32(arg)? as usize;
    let place = c.host.handles.get_mut(number.wrapping_sub(1));
    Ok(match place.and_then(Option::take) {
        Some(_) => 0,
        None => c.host.fail(EBADF),
    })
}

/// The answer is the number of bytes not read.
fn read(c: &mut Core, arg: u32) -> Step<u32> {
    let [handle, at, len] = arguments(c, arg)?;
    let mut buffer = vec![0; len.min(1 << 20) as usize];
    let count = c.host.read(handle, &mut buffer);
    for (i, &byte) in (0..).zip(&buffer[..count]) {
        c.store8(at.wrapping_add(i), byte.into())?;
    }
    Ok(len - count as u32)
}

fn remove(c: &mut Core, arg: u32) -> Step<u32> {
    let [at, len] = arguments(c, arg)?;
    let name = name(c, at, len)?;
    let done = c.host.path(&name).is_some_and(|path| std::fs::remove_file(path).is_ok());
    Ok(if done { 0 } else { c.host.fail(ENOENT) })
}

fn rename(c: &mut Core, arg: u32) -> Step<u32> {
    let [from, from_len, to, to_len] = arguments(c, arg)?;
    let (from, to) = (name(c, from, from_len)?, name(c, to, to_len)?);
    let paths = c.host.path(&from).zip(c.host.path(&to));
    let done = paths.is_some_and(|(from, to)| std::fs::rename(from, to).is_ok());
    Ok(if done { 0 } else { c.host.fail(ENOENT) })
}

/// Copies the command line to the program's buffer; fails when it is too small.
fn command_line(c: &mut Core, arg: u32) -> Step<u32> {
    let [at, size] = arguments(c, arg)?;
    let mut bytes = c.host.command_line.clone().into_bytes();
    let len = bytes.len() as u32;
    if len >= size {
        return Ok(FAILED);
    }
    bytes.push(0);
    for (i, byte) in (0..).zip(bytes) {
        c.store8(at.wrapping_add(i), byte.into())?;
    }
    c.store32(arg.wrapping_add(4), len)?;
    Ok(0)
}

/// Heap base and limit, stack base and limit: free RAM behind the image, shared by both.
fn heap_info(c: &mut Core, arg: u32) -> Step<u32> {
    let block = c.load32(arg)?;
    let (base, limit) = c.host.heap;
    for (i, word) in (0..).zip([base, limit, limit, base]) {
        c.store32(block.wrapping_add(4 * i), word)?;
    }
    Ok(0)
}
