use crate::common::{folder, utf8};
use crate::support::{can_build, failure, firmware, kemprof};
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
    let magic = b"kemprof-answer/1";
    let places: Vec<usize> = (0..bytes.len() - magic.len()).filter(|&at| bytes[at..].starts_with(magic)).collect();
    for place in places {
        bytes[place] = b'X';
    }
    let other = folder.path().join("other");
    fs::write(&other, bytes).expect("can be written");
    let line = failure(1, &mut with_image(&other));
    assert!(line.contains("is not kemprof's firmware"), "{line}");
}
