//! The machine at the other end of the debugger: where the request comes from and the answer goes, by semihosting.
#![expect(unsafe_code, reason = "semihosting is a call by address, and the request is put into the image by others")]

use core::fmt::{self, Write};
use cortex_m_semihosting::{debug, hio, nr, syscall1};
use kemprof_protocol::{Frame, Line, MAX_REQUEST, Request, WordError, from_slot};

/// Where a host that has no command line to give puts the request: see `kemprof_protocol::REQUEST_SYMBOL`.
#[unsafe(no_mangle)]
#[used]
static KEMPROF_REQUEST: [u8; MAX_REQUEST] = [0; MAX_REQUEST];

/// Why there is no request.
pub(crate) enum RequestError {
    /// Neither the image nor the debugger has one.
    None,
    /// It is not text.
    NoText,
    /// It cannot be understood.
    Word(WordError),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("there is no request, neither in the image nor on the debugger's command line"),
            Self::NoText => f.write_str("the request is not text"),
            Self::Word(error) => write!(f, "{error}"),
        }
    }
}

/// What the host wants.
#[inline(never)]
pub(crate) fn request() -> Result<Request, RequestError> {
    let mut line = [0; MAX_REQUEST];
    for (index, byte) in line.iter_mut().enumerate() {
        // SAFETY: the index is inside of the static. Whoever put a request there did so in the file before it was loaded,
        // which the compiler must not rule out.
        *byte = unsafe { (&raw const KEMPROF_REQUEST[index]).read_volatile() };
    }
    if from_slot(&line).is_none() {
        command_line(&mut line)?;
    }
    let text = from_slot(&line).ok_or(RequestError::None)?.map_err(|_| RequestError::NoText)?;
    text.parse().map_err(RequestError::Word)
}

/// SYS_GET_CMDLINE: a line that ends with a zero.
fn command_line(buffer: &mut [u8; MAX_REQUEST]) -> Result<(), RequestError> {
    let mut block = [buffer.as_mut_ptr().expose_provenance(), buffer.len()];
    // SAFETY: the block is what the call expects, a buffer and its length, of which the host fills no more than that.
    let failed = unsafe { syscall1(nr::GET_CMDLINE, (&raw mut block).expose_provenance()) };
    // A debugger that does not know the call leaves everything as it was.
    if failed == 0 { Ok(()) } else { Err(RequestError::None) }
}

/// Writes one answer: its first lines as `lines` gives them.
#[inline(never)]
pub(crate) fn answer(lines: impl FnOnce(&mut Answer) -> fmt::Result) -> fmt::Result {
    let out = hio::hstdout().map_err(|()| fmt::Error)?;
    let mut answer = Answer(Frame::begin(out)?);
    lines(&mut answer)?;
    answer.0.end()
}

/// The lines of an answer.
pub(crate) struct Answer(Frame<hio::HostStream>);

impl Answer {
    /// Writes a line.
    pub(crate) fn line(&mut self, line: &Line<'_>) -> fmt::Result {
        self.0.line(line)
    }

    /// Writes several.
    pub(crate) fn lines<'a>(&mut self, lines: impl IntoIterator<Item = Line<'a>>) -> fmt::Result {
        lines.into_iter().try_for_each(|line| self.line(&line))
    }
}

/// Ends the program.
pub(crate) fn exit(succeeded: bool) -> ! {
    loop {
        debug::exit(if succeeded { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    }
}

/// As much of a message as a line of an answer holds.
pub(crate) struct Message(arrayvec::ArrayString<400>);

impl Message {
    /// The message's beginning.
    pub(crate) fn of(message: impl fmt::Display) -> Self {
        let mut text = Cut(arrayvec::ArrayString::new());
        // What does not fit is left out.
        let _ = write!(text, "{message}");
        Self(text.0)
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

struct Cut(arrayvec::ArrayString<400>);

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| self.0.try_push(character)).map_err(|_| fmt::Error)
    }
}
