use crate::ANSWER_MAGIC;
use crate::line::Line;
use arrayvec::ArrayString;
use core::fmt::{self, Write};
use crc::{CRC_32_ISO_HDLC, Crc, Digest};

/// Bytes of a line of an answer at the most, its line feed included.
pub const MAX_LINE: usize = 512;

pub(crate) static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// Writes an answer: the first line, the lines that it is given, and the last line with their number and checksum.
pub struct Frame<W> {
    out: W,
    crc: Digest<'static, u32>,
    lines: u32,
}

impl<W: Write> Frame<W> {
    /// Writes the first line.
    ///
    /// # Errors
    /// When `out` does not take it.
    pub fn begin(out: W) -> Result<Self, fmt::Error> {
        let mut frame = Self { out, crc: CRC.digest(), lines: 0 };
        frame.write(format_args!("{ANSWER_MAGIC}"))?;
        Ok(frame)
    }

    /// Writes a line.
    ///
    /// # Errors
    /// When it is longer than [`MAX_LINE`], or `out` does not take it.
    pub fn line(&mut self, line: &Line<'_>) -> fmt::Result {
        self.write(format_args!("{line}"))
    }

    /// Writes the last line.
    ///
    /// # Errors
    /// When `out` does not take it.
    pub fn end(mut self) -> fmt::Result {
        let Self { crc, lines, .. } = self;
        writeln!(self.out, "{}", End { lines, crc: crc.finalize() })
    }

    /// One write of `out` for each line: writing is slow where a debugger stops the core for it.
    fn write(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        let mut line = ArrayString::<MAX_LINE>::new();
        line.write_fmt(text)?;
        line.try_push('\n').map_err(|_| fmt::Error)?;
        self.crc.update(line.as_bytes());
        self.lines += 1;
        self.out.write_str(&line)
    }
}

/// The last line of an answer.
pub(crate) struct End {
    pub(crate) lines: u32,
    pub(crate) crc: u32,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "end lines={} crc={:08x}", self.lines, self.crc)
    }
}
