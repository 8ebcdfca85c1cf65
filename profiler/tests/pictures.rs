//! Pictures in a browser, where there is one: what a click on a frame does.

mod common;

use common::{folder, profile, utf8};
use kemprof::render::flamegraph;
use serde_json::Value;
use std::io::Write as _;
use std::process::Command;

/// Names under which a browser is installed that draws without a screen.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Clicks on a frame, on "Reset Zoom", and on "Search", and writes down each time what is shown. Inferno's script fits the picture to the
/// window after it was loaded.
const CLICKS: &str = r##"
addEventListener("load", () => setTimeout(() => {
  const groups = [...document.getElementById("frames").children];
  const part = (group, name) => group.querySelector(name);
  const label = (group) => part(group, "title").textContent.replace(/ \([^(]*\)$/, "");
  const shown = () => groups.filter((group) => !group.classList.contains("hide")).map((group) => ({
    label: label(group),
    width: parseFloat(part(group, "rect").getAttribute("width")),
    text: part(group, "text").textContent.trim(),
  }));
  const click = (target) => target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const find = (wanted) => groups.find((group) => label(group) === wanted);
  const seen = [shown()];
  click(part(find("sample_matrix"), "rect")); seen.push(shown());
  click(document.getElementById("unzoom")); seen.push(shown());
  part(find("ntt"), "rect").dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
  const details = document.getElementById("details").textContent;
  window.prompt = () => "^ntt";
  click(document.getElementById("search"));
  const marked = groups.filter((group) => part(group, "rect").getAttribute("fill") === "rgb(230,0,230)").map(label);
  const out = document.createElementNS("http://www.w3.org/2000/svg", "desc");
  out.textContent = "SEEN" + JSON.stringify({ seen, marked, details }) + "END";
  document.documentElement.append(out);
}, 100));
"##;

/// What the script writes down in the first browser that there is.
fn browse(svg: &str) -> Option<Value> {
    let work = folder();
    let page = work.path().join("picture.svg");
    let whole = svg.strip_suffix("</svg>").expect("is SVG");
    std::fs::write(&page, format!("{whole}<script><![CDATA[{CLICKS}]]></script></svg>")).expect("writable");
    let profile = format!("--user-data-dir={}", utf8(&work.path().join("profile")));
    let quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
    let output = BROWSERS.iter().find_map(|browser| {
        let mut command = Command::new(browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]).args(quiet);
        command.args(["--dump-dom", &profile]);
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
        let _ = writeln!(std::io::stderr(), "skipped: there is no browser that draws without a screen");
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
    // The frame, what it stands on and what stands on it are as wide as the picture, and the rest is gone.
    for label in ["all", "lwekem128 keygen", "sample_matrix"] {
        assert_eq!(frame(1, label)["width"].as_f64(), Some(100.0), "{label}");
    }
    assert!(labels(1).iter().any(|label| label.starts_with("pseudoXOF matrix")), "{:?}", labels(1));
    assert!(!labels(1).iter().any(|label| label.starts_with("ntt")), "{:?}", labels(1));
    assert_eq!(frame(1, "pseudoXOF matrix")["text"], frame(1, "pseudoXOF matrix")["label"]);
    // Everything is as it was.
    assert_eq!(labels(2), labels(0));
    assert_eq!(page["seen"][2], page["seen"][0]);
    assert_eq!(page["marked"], serde_json::json!(["ntt"]));
    // What is pointed at is said below, with all its tips.
    let details = page["details"].as_str().expect("text");
    assert!(details.starts_with("Frame: ntt (") && details.contains(" ticks an operation, "), "{details}");
    assert!(details.contains("entered "), "{details}");
}
