//! Pictures in a browser, where there is one: what a click on a frame does.

mod common;

use common::{folder, profile, utf8};
use kemprof::render::flamegraph;
use serde_json::Value;
use std::process::Command;

/// Names under which a browser is installed that draws without a screen.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Clicks on a frame, on a frame in it, and on "whole", and writes down each time what is shown.
const CLICKS: &str = r##"
const frames = [...document.querySelectorAll("#frames > g")];
const find = (label) => frames.find((group) => group.dataset.label.startsWith(label));
const shown = () => frames.filter((group) => group.style.display !== "none").map((group) => ({
  label: group.dataset.label,
  width: Number(group.querySelector("rect").getAttribute("width")),
  text: group.querySelector("text").textContent,
}));
const click = (target) => target.dispatchEvent(new Event("click"));
const seen = [shown()];
click(find("sample_matrix")); seen.push(shown());
click(document.getElementById("reset")); seen.push(shown());
window.prompt = () => "NTT";
click(document.getElementById("search"));
const marked = frames.filter((group) => group.querySelector("rect").style.fill !== "").map((group) => group.dataset.label);
const out = document.createElement("pre");
out.textContent = "SEEN" + JSON.stringify({ seen, marked }) + "END";
document.body.append(out);
"##;

/// What the script writes down in the first browser that there is.
fn browse(svg: &str) -> Option<Value> {
    let work = folder();
    let page = work.path().join("page.html");
    // In a page, a script is text as it is.
    let svg = svg.replace("<![CDATA[", "").replace("]]>", "");
    std::fs::write(&page, format!("<!doctype html><body>{svg}<script>{CLICKS}</script></body>")).expect("writable");
    let profile = format!("--user-data-dir={}", utf8(&work.path().join("profile")));
    let quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
    let output = BROWSERS.iter().find_map(|browser| {
        let mut command = Command::new(browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &profile]).args(quiet);
        command.arg(format!("file://{}", utf8(&page))).output().ok()
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, rest) = text.split_once(">SEEN")?;
    let json = rest.split_once("END<")?.0.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&");
    Some(serde_json::from_str(&json).expect("the script writes JSON"))
}

#[test]
fn a_click_widens_a_frame_and_another_shows_the_whole_again() {
    if common::emulated() {
        return;
    }
    let (records, _out) = profile("keygen", "lwekem128", &[]);
    let svg = flamegraph::svg(&records[0]).expect("is drawn");
    let Some(page) = browse(&svg) else {
        eprintln!("skipped: there is no browser that draws without a screen");
        return;
    };
    let labels = |index: usize| -> Vec<String> {
        let frames = page["seen"][index].as_array().expect("frames");
        frames.iter().map(|frame| frame["label"].as_str().expect("a label").to_owned()).collect()
    };
    let frame = |index: usize, label: &str| -> Value {
        let frames = page["seen"][index].as_array().expect("frames");
        let found = frames.iter().find(|frame| frame["label"].as_str().is_some_and(|text| text.starts_with(label)));
        found.unwrap_or_else(|| panic!("no {label:?} in {frames:?}")).clone()
    };
    let root = "lwekem128 keygen";
    let whole = frame(0, root)["width"].as_f64().expect("a width");
    // The frame, what it stands on and what stands on it are as wide as the picture, and the rest is gone.
    for label in [root, "sample_matrix"] {
        let width = frame(1, label)["width"].as_f64().expect("a width");
        assert!((width - whole).abs() < 0.01, "{label}: {width} of {whole}");
    }
    assert!(labels(1).iter().any(|label| label.starts_with("pseudoXOF matrix")), "{:?}", labels(1));
    assert!(!labels(1).iter().any(|label| label.starts_with("ntt")), "{:?}", labels(1));
    assert_eq!(frame(1, "pseudoXOF matrix")["text"], frame(1, "pseudoXOF matrix")["label"]);
    // Everything is as it was, what a script wrote as what was drawn without.
    assert_eq!(labels(2), labels(0));
    for label in labels(0) {
        let (before, after) = (frame(0, &label), frame(2, &label));
        assert_eq!(before["text"], after["text"]);
        let difference = before["width"].as_f64().expect("a width") - after["width"].as_f64().expect("a width");
        assert!(difference.abs() < 0.01, "{before} {after}");
    }
    assert_eq!(page["marked"], serde_json::json!(["ntt"]));
}
