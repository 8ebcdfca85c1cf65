//! Runs a program on QEMU or on the simulator, and compares what came of it.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::tools::QEMU;

/// A guard against programs that hang; far beyond what any takes.
const LIMIT: Duration = Duration::from_secs(300);

/// What a run left: the program's output, the runner's own messages, and the exit status (none when killed).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) output: Vec<u8>,
    pub(crate) messages: String,
    pub(crate) status: Option<i32>,
}

impl Outcome {
    /// The output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }
}

/// Where QEMU takes a program's output from: it does not give both as one stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Console {
    Semihosting,
    Uart,
}

/// Runs `elf` on QEMU's model of the MPS2 board.
pub(crate) fn qemu(elf: &Path, arguments: &[&str], console: Console) -> Outcome {
    let mut semihosting = "enable=on,target=native,arg=program".to_owned();
    for argument in arguments {
        semihosting.push_str(",arg=");
        semihosting.push_str(argument);
    }
    let mut command = Command::new(QEMU.0);
    command.args([
        "-M",
        "mps2-an386",
        "-display",
        "none",
        "-monitor",
        "none",
        "-chardev",
        "stdio,id=console,signal=off",
    ]);
    if console == Console::Uart {
        command.args(["-serial", "chardev:console"]);
    } else {
        semihosting.push_str(",chardev=console");
        command.args(["-serial", "none"]);
    }
    run(command.args(["-semihosting-config", &semihosting, "-kernel"]).arg(elf))
}

/// Runs `elf` on the simulator, with `options` for it and `arguments` for the program.
pub(crate) fn m4sim(elf: &Path, options: &[&str], arguments: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_m4sim"));
    command.arg("run").args(options).arg(elf);
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    run(&mut command)
}

fn run(command: &mut Command) -> Outcome {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (mut stdout, mut stderr) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let output = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.read_to_end(&mut bytes);
        bytes
    });
    let messages = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stderr.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let end = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break status.code();
        }
        if Instant::now() > end {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Outcome {
        output: output.join().expect("the output's reader"),
        messages: messages.join().expect("the messages' reader"),
        status,
    }
}

/// How two runs of one program differ, in words: the first line that does, or the exit status. None when they agree.
pub(crate) fn difference(qemu: &Outcome, ours: &Outcome) -> Option<String> {
    let (theirs_text, ours_text) = (qemu.text(), ours.text());
    let mut lines = (theirs_text.lines(), ours_text.lines());
    for number in 1.. {
        match (lines.0.next(), lines.1.next()) {
            (None, None) => break,
            (left, right) if left == right => {}
            (left, right) => {
                return Some(format!(
                    "line {number}\n  qemu:  {left:?}\n  m4sim: {right:?}\n  m4sim's exit status {:?}, messages: {}",
                    ours.status, ours.messages
                ));
            }
        }
    }
    (qemu.status != ours.status)
        .then(|| format!("exit status: qemu {:?}, m4sim {:?} {}", qemu.status, ours.status, ours.messages))
}
