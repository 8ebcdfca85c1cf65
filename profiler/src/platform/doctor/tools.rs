//! Programs that measure more, or elsewhere.

use super::{Finding, State};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A program that some way of measuring needs.
struct Tool {
    /// Its names, of which any will do.
    names: &'static [&'static str],
    /// What needs it.
    purpose: &'static str,
    /// The command that installs it.
    fix: &'static str,
}

const TOOLS: [Tool; 8] = [
    Tool {
        names: &["cargo"],
        purpose: "--target cortex-m4 and aarch64: builds what runs there (targets/setup installs Rust's libraries for them)",
        fix: "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh",
    },
    Tool {
        names: &["valgrind"],
        purpose: "--counter callgrind: exact instructions, where no hardware counts",
        fix: "sudo apt-get install valgrind",
    },
    Tool {
        names: &["qemu-aarch64-static", "qemu-aarch64"],
        purpose: "--target aarch64: runs it here",
        fix: "sudo apt-get install qemu-user-static",
    },
    Tool {
        names: &["aarch64-linux-gnu-gcc"],
        purpose: "--target aarch64: links it",
        fix: "sudo apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
    },
    Tool {
        names: &["arm-none-eabi-gcc"],
        purpose: "tests of the simulated Cortex-M4: compiles their programs",
        fix: "sudo apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi",
    },
    Tool {
        names: &["qemu-system-arm"],
        purpose: "--target cortex-m4 --runner qemu: known answers without cycles",
        fix: "sudo apt-get install qemu-system-arm",
    },
    Tool {
        names: &["probe-rs"],
        purpose: "--target cortex-m4 --runner probe-rs: a board",
        fix: "cargo install probe-rs-tools --locked",
    },
    Tool { names: &["ssh"], purpose: "--target ssh:HOST: another machine", fix: "sudo apt-get install openssh-client" },
];

/// Which of the programs are in the folders of `path`, the variable `PATH`.
pub(super) fn tools(path: Option<&OsStr>) -> Vec<Finding> {
    let finding = |tool: &Tool| {
        let found = tool.names.iter().find(|name| is_program(name, path));
        let what = format!("program {}", found.unwrap_or(&tool.names[0]));
        match found {
            Some(_) => Finding { what, state: State::Works, detail: tool.purpose.to_owned(), fix: None },
            None => Finding {
                what,
                state: State::Missing,
                detail: format!("not installed; {}", tool.purpose),
                fix: Some(tool.fix.to_owned()),
            },
        }
    };
    TOOLS.iter().map(finding).collect()
}

/// The command that installs a program of this name.
#[must_use]
pub fn installs(name: &str) -> Option<&'static str> {
    TOOLS.iter().find(|tool| tool.names.contains(&name)).map(|tool| tool.fix)
}

fn is_program(name: &str, path: Option<&OsStr>) -> bool {
    let Some(path) = path else { return false };
    env::split_paths(path).any(|folder| {
        let file = fs::metadata(folder.join(name));
        file.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_path_and_missing_ones_come_with_a_command() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        for (name, mode) in [("qemu-aarch64", 0o755), ("ssh", 0o644)] {
            let file = folder.path().join(name);
            fs::write(&file, "").expect("writable");
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("ours");
        }
        let path = env::join_paths(["/nonexistent".as_ref(), folder.path()]).expect("no colons");
        let found = tools(Some(&path));
        let state = |what: &str| {
            let finding = found.iter().find(|finding| finding.what == what);
            finding.map(|finding| (finding.state, finding.fix.as_deref()))
        };
        assert_eq!(state("program qemu-aarch64"), Some((State::Works, None)));
        assert_eq!(state("program ssh"), Some((State::Missing, Some("sudo apt-get install openssh-client"))));
        assert_eq!(state("program valgrind"), Some((State::Missing, Some("sudo apt-get install valgrind"))));
        assert!(tools(None).iter().all(|finding| finding.state == State::Missing));
    }
}
