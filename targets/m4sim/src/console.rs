//! What the program writes: standard output with the UART, and standard error.

use std::io::Write;

/// Where a stream of the program goes.
#[derive(Debug)]
enum Sink {
    Stdout,
    Stderr,
    Kept(Vec<u8>),
}

/// Output of the program: standard output (with the UART) and standard error.
#[derive(Debug)]
pub(crate) struct Console {
    out: Sink,
    err: Sink,
    /// The first error that a stream met.
    error: Option<(&'static str, std::io::Error)>,
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Sink::Stdout => std::io::stdout().write_all(bytes),
            Sink::Stderr => std::io::stderr().write_all(bytes),
            Sink::Kept(kept) => kept.write_all(bytes),
        }
    }

    fn take(&mut self) -> Vec<u8> {
        match self {
            Sink::Kept(kept) => std::mem::take(kept),
            _ => Vec::new(),
        }
    }
}

impl Console {
    /// Output to the host's standard streams, or kept for [`Console::take`].
    pub(crate) fn new(keep: bool) -> Self {
        let (out, err) =
            if keep { (Sink::Kept(Vec::new()), Sink::Kept(Vec::new())) } else { (Sink::Stdout, Sink::Stderr) };
        Console { out, err, error: None }
    }

    /// Standard output.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let result = self.out.write(bytes);
        self.note("standard output", result);
    }

    /// Standard error.
    pub(crate) fn write_error(&mut self, bytes: &[u8]) {
        let result = self.err.write(bytes);
        self.note("standard error", result);
    }

    /// Keeps the first error. A reader that went away has what it wanted.
    fn note(&mut self, stream: &'static str, result: std::io::Result<()>) {
        if let Err(error) = result
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            self.error.get_or_insert((stream, error));
        }
    }

    /// Takes the first error, and the stream that it was of.
    pub(crate) fn take_error(&mut self) -> Option<(&'static str, std::io::Error)> {
        self.error.take()
    }

    /// Takes what was kept of standard output and standard error.
    pub(crate) fn take(&mut self) -> (Vec<u8>, Vec<u8>) {
        (self.out.take(), self.err.take())
    }

    /// Passes buffered output on.
    pub(crate) fn flush(&mut self) {
        if matches!(self.out, Sink::Stdout) {
            self.note("standard output", std::io::stdout().flush());
        }
    }
}
