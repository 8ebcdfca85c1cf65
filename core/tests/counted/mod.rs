//! This program under valgrind's callgrind, and what callgrind counts: for the program itself, and of its functions.

use kemprof_core::Counter;
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{Read, Seek, Write as _};
use std::process::Command;
use std::rc::Rc;

// The profiler's own: what is asked of valgrind, and what it answers.
#[allow(dead_code, reason = "the profiler asks for more")]
#[path = "../../../profiler/src/counter/callgrind/request.rs"]
mod request;
#[path = "../../../profiler/src/counter/callgrind/totals.rs"]
mod totals;

use request::Request;

/// In the environment of the program under callgrind: what it is to run.
pub(crate) const CASE: &str = "KEMPROF_TEST_CASE";
/// The file that callgrind writes to.
const OUTPUT: &str = "KEMPROF_TEST_OUTPUT";

/// Instructions so far, as the profiler's counter of this name has them.
#[derive(Clone)]
pub(crate) struct Callgrind(Rc<RefCell<Output>>);

struct Output {
    file: File,
    text: Vec<u8>,
    count: u64,
}

impl Callgrind {
    pub(crate) fn open() -> Self {
        // The first makes the file.
        Request::DumpStats.make();
        let path = std::env::var_os(OUTPUT).expect("it runs under valgrind");
        let file = File::options().read(true).write(true).open(path).expect("callgrind wrote");
        Self(Rc::new(RefCell::new(Output { file, text: Vec::new(), count: 0 })))
    }

    #[inline(never)]
    fn ask(&mut self) -> u64 {
        Request::DumpStats.make();
        let Output { file, text, count } = &mut *self.0.borrow_mut();
        text.clear();
        file.read_to_end(text).expect("callgrind wrote");
        file.set_len(0).expect("is a file");
        file.rewind().expect("is a file");
        *count += totals::instructions(text).expect("a whole part");
        *count
    }
}

impl Counter for Callgrind {
    #[inline(always)]
    fn read(&mut self) -> u64 {
        Request::ToggleCollect.make();
        let count = self.ask();
        Request::ToggleCollect.make();
        count
    }

    fn is_exact(&self) -> bool {
        true
    }
}

/// Runs the ignored test `case` of this program under callgrind, which counts `within` a function alone if there is one: what it
/// printed, and what callgrind wrote. `None` where there is no
/// valgrind for this program, and none is required.
pub(crate) fn under_callgrind(case: &str, within: Option<&str>) -> Option<(String, String)> {
    if cfg!(not(target_arch = "x86_64"))
        || !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success())
    {
        assert!(
            cfg!(not(target_arch = "x86_64")) || std::env::var_os("KEMPROF_REQUIRE_CROSS").is_none(),
            "there is no valgrind"
        );
        let _ = writeln!(std::io::stderr(), "skipped: there is no valgrind for this program");
        return None;
    }
    let name = format!("callgrind-{}-{}", std::process::id(), case.replace(' ', "-"));
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let output = Command::new("valgrind")
        .args(["-q", "--tool=callgrind", "--combine-dumps=yes", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", path.display()))
        .args(within.map(|function| format!("--toggle-collect={function}")))
        .arg(std::env::current_exe().expect("is a file"))
        .args(["--ignored", "--exact", "case", "--nocapture", "--test-threads=1"])
        .env(CASE, case)
        .env(OUTPUT, &path)
        .output()
        .expect("valgrind runs");
    let profile = fs::read_to_string(&path).unwrap_or_default();
    let _ = fs::remove_file(&path);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{case}: {said}{}", String::from_utf8_lossy(&output.stderr));
    Some((said, profile))
}

/// Instructions of all calls of the functions that are `chosen`, with all that they call ("Callgrind Format Specification": a line
/// `cfn=` names the function that is called, a line `calls=` follows, and the next one ends in the cost of these calls).
pub(crate) fn inclusive(profile: &str, chosen: impl Fn(&str) -> bool) -> u64 {
    let (mut called, mut sum) = ("", 0);
    let mut lines = profile.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("cfn=") {
            called = name;
        } else if line.starts_with("calls=") {
            let cost = lines.next().and_then(|line| line.rsplit(' ').next()).and_then(|cost| cost.parse::<u64>().ok());
            sum += if chosen(called) { cost.expect("a cost") } else { 0 };
        }
    }
    sum
}
