//! What `kemprof` and its Cortex-M4 firmware say to each other, defined once for both.
//!
//! The host sends one line of text, a [`Request`]: as the program's command line (semihosting SYS_GET_CMDLINE), or, since not
//! every debugger has one to give, in the image itself: the bytes of the symbol [`REQUEST_SYMBOL`] are its [`slot`], which
//! counts when it is not empty. The firmware sends one framed message of text, the answer, on semihosting's standard
//! output, and exits: with status 0 after an answer, with 1 after an error message.
//!
//! # Requests
//! Words with one space between them, in exactly this order. Whatever comes before the first word is skipped: by custom the
//! program's name comes first.
//!
//! ```text
//! kemprof/1 CLOCK profile INSTANCE OPERATION suite=XOF,PRF,HASH,DRNG sampling=SAMPLING seed=HEX trials=N iterations=N warmups=N
//! kemprof/1 CLOCK record INSTANCE suite=XOF,PRF,HASH,DRNG sampling=SAMPLING seed=HEX
//! kemprof/1 CLOCK record INSTANCE suite=XOF,PRF,HASH,DRNG sampling=SAMPLING draws=HEX
//! kemprof/1 CLOCK function suite=XOF,PRF,HASH,DRNG role=ROLE form=FORM in=BYTES prefix=BYTES lanes=N out=BYTES samples=N iterations=N
//! kemprof/1 CLOCK counter
//! kemprof/1 CLOCK stack
//! ```
//!
//! CLOCK is `zero-wait`, `default` or `full`. `draws` are the bytes that the scheme will draw, in order, for known answers
//! whose generator only the host has.
//!
//! # Answers
//! ```text
//! kemprof-answer/2
//! firmware 0.1.0
//! compiler rustc 1.95.0
//! board mps2-an386
//! build opt-level=3 -Ctarget-cpu=cortex-m4             the flags of the compiler beside the profile's may be none
//! code sm3=armv7em                                  one for each backend that it has
//! clock setting=zero-wait hz=25000000 wait-states=0
//! counter ok                                        or: counter unavailable REASON
//! request profile ml-kem-768 keygen ...             what is answered, without `kemprof/1`
//! ...                                               lines of the command: see [`Line`]
//! end lines=13 crc=0123abcd
//! ```
//!
//! Every line ends with a line feed and has at most [`MAX_LINE`] bytes of printable ASCII. `lines` counts all lines before
//! the last one, and `crc` is the CRC-32 (ISO-HDLC, as in Ethernet and zip) of their bytes. Numbers are decimal without
//! leading zeros; costs are the 64 bits of an IEEE 754 number, in hexadecimal; what a counter that does not count would have
//! given is `none`. In place of everything after `board`, or even after the first line, an `error` line may stand.
//!
//! The host's parser takes exactly that: whatever else it meets is an [`AnswerError`] that says where, never a short table.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
mod answer;
#[cfg(feature = "alloc")]
mod answer_error;
mod boards;
mod frame;
mod hex;
mod line;
#[cfg(feature = "alloc")]
mod lines;
mod node;
mod request;
mod slot;
mod suite;
mod words;

#[cfg(feature = "alloc")]
pub use answer::{
    Answer, CounterAnswer, FunctionAnswer, Head, ProfileAnswer, RecordAnswer, StackAnswer, Trial, decode,
};
#[cfg(feature = "alloc")]
pub use answer_error::AnswerError;
pub use boards::{BOARDS, BoardMemory};
pub use frame::{Frame, MAX_LINE};
pub use line::{ClockFacts, CounterLoop, Digests, Echo, ErrorKind, Line, Sample, StackUse, TrialKind};
pub use node::NodeLine;
pub use request::{
    Clock, Command, FunctionCall, MAX_REQUEST, MAX_SEED, MAX_TRIALS, Operation, Profile, Randomness, Record, Request,
    Subject,
};
pub use slot::{from_slot, slot};
pub use suite::Backends;
pub use words::{Excerpt, WordError};

/// The version of both directions: it changes whenever a word of either does.
pub const VERSION: &str = "1";
/// The word that requests begin with.
pub const REQUEST_MAGIC: &str = "kemprof/1";
/// The first line of answers.
pub const ANSWER_MAGIC: &str = "kemprof-answer/2";
/// The symbol of the image, [`MAX_REQUEST`] bytes of read-only data, that may hold the request.
pub const REQUEST_SYMBOL: &str = "KEMPROF_REQUEST";
