use crate::common::{LOOP, firmware_of, folder, utf8};
use crate::support::{can_build, can_emulate, failure, firmware, kemprof};
use std::fs;
use std::path::Path;

fn with_image(image: &Path) -> assert_cmd::Command {
    let mut command = kemprof();
    command.args(["keygen", "ml-kem-512", "--hash", "shake", "--target", "cortex-m4", "--image", utf8(image)]);
    command
}

#[test]
fn what_is_no_image_for_this_processor_is_refused() {
    let folder = folder();
    let text = folder.path().join("text");
    fs::write(&text, "no ELF").expect("can be written");
    let line = failure(1, &mut with_image(&text));
    assert!(line.contains(utf8(&text)) && line.contains("not an ELF image"), "{line}");
    let this = std::env::current_exe().expect("runs");
    let line = failure(1, &mut with_image(&this));
    assert!(line.contains("cannot be used: ") && line.contains("machine"), "{line}");
    let line = failure(1, &mut with_image(&folder.path().join("missing")));
    assert!(line.contains("cannot read the image"), "{line}");
}

#[test]
fn other_programs_and_other_boards_are_told_apart() {
    if !can_build() {
        return;
    }
    let ours = firmware();
    let folder = folder();
    let out = folder.path().join("out");
    with_image(&ours).args(["--out", utf8(&out)]).assert().success();
    let line = failure(1, with_image(&ours).args(["--board", "stm32f4discovery"]));
    assert!(line.contains("mps2-an386") || line.contains("0x"), "{line}");
    let mut bytes = fs::read(&ours).expect("is there");
    let magic = b"kemprof-answer/2";
    let places: Vec<usize> = (0..bytes.len() - magic.len()).filter(|&at| bytes[at..].starts_with(magic)).collect();
    for place in places {
        bytes[place] = b'X';
    }
    let other = folder.path().join("other");
    fs::write(&other, bytes).expect("can be written");
    let line = failure(1, &mut with_image(&other));
    assert!(line.contains("is not kemprof's firmware"), "{line}");
}

/// SysTick counts down from its highest value, and the core sleeps until it has, again and again: a loop of many cycles, which the
/// simulator does not take long for.
const SLEEP: [u16; 12] = [
    0x4803, 0x4904, // ldr r0, =0xe000e010; ldr r1, =0x00ffffff
    0x6041, 0x6081, // str r1, [r0, #4]; str r1, [r0, #8]
    0x2107, 0x6001, // movs r1, #7; str r1, [r0]
    0xbf30, 0xe7fd, // wfi; b to it
    0xe010, 0xe000, 0xffff, 0x00ff,
];

#[test]
fn firmware_that_loops_is_stopped_and_what_to_do_is_said() {
    let folder = folder();
    let write = |name: &str, code: &[u16]| {
        let path = folder.path().join(name);
        fs::write(&path, firmware_of(code)).expect("can be written");
        path
    };
    let (spins, sleeps) = (write("spins", &LOOP), write("sleeps", &SLEEP));
    let out = folder.path().join("out");
    let said = |image: &Path, args: &[&str]| failure(1, with_image(image).args(args).args(["--out", utf8(&out)]));
    // The first run makes a record of known answers: three operations and what is beside them.
    let line = said(&sleeps, &[]);
    assert!(
        line.contains("did not end within 2000 M cycles (on m4sim)") && line.contains("--timeout SECONDS"),
        "{line}"
    );
    for image in [&spins, &sleeps] {
        let line = said(image, &["--timeout", "1"]);
        assert!(line.contains("within 1 s (on m4sim), as --timeout has it"), "{line}");
    }
    if can_emulate() {
        let line = said(&spins, &["--timeout", "1", "--runner", "qemu"]);
        assert!(line.contains("within 1 s (on qemu), as --timeout has it"), "{line}");
    }
    assert!(!out.exists());
    let line = failure(2, with_image(&spins).args(["--timeout", "0"]));
    assert!(line.contains("--timeout"), "{line}");
}
