//! The comparison as a picture: a bar for each variant, as long as its operation takes, of what it takes it for.

use super::row::{Panel, Row, Variant};
use crate::analysis::breakdown::Breakdown;
use crate::render::palette::{FAINT_INK, INK, PAPER, PHASE, RULE, Rgb, role};
use crate::render::svg::{Anchor, Font, Svg, width_of};
use crate::render::units;
use kemprof_core::Role;

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 24.0;
const TITLE: Font = Font { size: 19.0, bold: true, ink: INK };
const PANEL: Font = Font { size: 15.0, bold: true, ink: INK };
const LABEL: Font = Font { size: 13.0, bold: false, ink: INK };
const SMALL: Font = Font { size: 11.5, bold: false, ink: FAINT_INK };
/// From one bar to the next, and how much of it is bar.
const STEP: f64 = 34.0;
const BAR: f64 = 22.0;
/// Room behind the longest bar for what it took.
const BEHIND: f64 = 250.0;
/// Lines of the scale at the most.
const MARKS: f64 = 8.0;

/// The chart of all panels on one scale, as SVG checked to be well-formed. `None` where nothing was timed.
///
/// # Errors
/// When what was drawn is not XML.
pub fn svg(panels: &[Panel]) -> Result<Option<String>, roxmltree::Error> {
    let medians = panels.iter().flat_map(|panel| &panel.rows).map(|row| row.median);
    let Some(longest) = medians.collect::<Option<Vec<f64>>>().and_then(|all| all.into_iter().reduce(f64::max)) else {
        return Ok(None);
    };
    let instance = &panels[0].rows[0].instance;
    let mut chart = Chart::new(panels, longest);
    let title = format!("{instance}: what each hash would give");
    chart.svg.text((MARGIN, 36.0), Anchor::Start, TITLE, &title);
    let about = format!("{SUBTITLE}\n{}", panels[0].variants[0].evidence.place());
    chart.y = chart.svg.paragraph((MARGIN, 57.0), WIDTH - 2.0 * MARGIN, LABEL, &about);
    chart.legend(panels);
    for panel in panels {
        chart.panel(panel);
    }
    let height = chart.y + MARGIN;
    chart.svg.finish((WIDTH, height), &title).map(Some)
}

struct Chart {
    svg: Svg,
    /// Where bars begin.
    left: f64,
    /// Pixels of one tick.
    scale: f64,
    longest: f64,
    /// How far down the picture goes.
    y: f64,
}

impl Chart {
    fn new(panels: &[Panel], longest: f64) -> Self {
        let labels = panels.iter().flat_map(|panel| &panel.rows).flat_map(|row| {
            let remark = row.remark().map_or(0.0, |remark| width_of(remark, SMALL.size));
            [width_of(&row.variant, LABEL.size), remark]
        });
        let left = MARGIN + labels.fold(0.0, f64::max) + 10.0;
        Self { svg: Svg::default(), left, scale: (WIDTH - left - BEHIND) / longest, longest, y: 0.0 }
    }

    /// A swatch and a word for each colour.
    fn legend(&mut self, panels: &[Panel]) {
        let all = || panels.iter().flat_map(|panel| &panel.variants);
        let roles = Role::ALL.map(Role::name).into_iter().filter(|role| all().any(|variant| calls(variant, role)));
        let entries: Vec<_> = roles.map(|name| (name, role(name))).chain([(OWN, PHASE)]).collect();
        self.y = self.svg.legend((MARGIN, self.y - 4.0), WIDTH - 2.0 * MARGIN, &entries) + 13.0;
    }

    fn panel(&mut self, panel: &Panel) {
        let first = &panel.rows[0];
        self.y += 30.0;
        self.svg.text((MARGIN, self.y), Anchor::Start, PANEL, first.operation.name());
        self.y += 12.0;
        let top = self.y;
        let bottom = top + STEP * panel.rows.len() as f64;
        self.marks(top, bottom);
        for (variant, row) in panel.variants.iter().zip(&panel.rows) {
            self.bar(variant, row);
        }
        self.y = bottom + 16.0;
        for (mark, x) in self.scale_marks() {
            self.svg.text((x, self.y), Anchor::Middle, SMALL, &units::count(mark));
        }
        self.y += 17.0;
        let axis = format!("{} per operation, median without probes", first.counter.unit);
        self.svg.text((self.left, self.y), Anchor::Start, SMALL, &axis);
    }

    fn scale_marks(&self) -> Vec<(f64, f64)> {
        marks(self.longest).into_iter().map(|mark| (mark, self.left + mark * self.scale)).collect()
    }

    fn marks(&mut self, top: f64, bottom: f64) {
        for (_, x) in self.scale_marks() {
            self.svg.line((x, top), (x, bottom), RULE);
        }
    }

    fn bar(&mut self, variant: &Variant, row: &Row) {
        let middle = self.y + STEP / 2.0;
        let at = self.left - 10.0;
        match row.remark() {
            None => self.svg.text((at, middle + 4.5), Anchor::End, LABEL, &row.variant),
            Some(remark) => {
                self.svg.text((at, middle - 1.0), Anchor::End, LABEL, &row.variant);
                self.svg.text((at, middle + 12.0), Anchor::End, SMALL, remark);
            }
        }
        let mut x = self.left;
        let mut before = 0.0;
        for (name, color, share) in segments(variant) {
            let ticks = share * row.median.unwrap_or_default();
            let tip = format!("{name}: {} {} ({})", units::count(ticks), row.counter.unit, units::percent(share));
            let width = ticks * self.scale;
            self.svg.rectangle((x, middle - BAR / 2.0), (width, BAR), color, &tip);
            // An edge, where it does not hide what it parts.
            if width.min(before) > 3.0 {
                self.svg.line((x, middle - BAR / 2.0), (x, middle + BAR / 2.0), PAPER);
            }
            (x, before) = (x + width, width);
        }
        let time =
            row.seconds_per_operation.map_or_else(|| units::count(row.median.unwrap_or_default()), units::seconds);
        let speedup = row.speedup_measured.map(|speedup| format!(" · {}", units::times(speedup))).unwrap_or_default();
        let share =
            row.symmetric_share.map(|share| format!(" · {} symmetric", units::percent(share))).unwrap_or_default();
        self.svg.text((x + 8.0, middle + 4.5), Anchor::Start, LABEL, &format!("{time}{speedup}{share}"));
        self.y += STEP;
    }
}

/// What lengths, colours and numbers are.
const SUBTITLE: &str = "Time of one operation, by what symmetric functions serve in it; ×: times faster than the first, as measured; symmetric: the \
     share of all symmetric functions, the generator included.";
/// The scheme without its symmetric functions.
const OWN: &str = "the scheme itself";

fn calls(variant: &Variant, role: &str) -> bool {
    variant.evidence.calls.iter().any(|call| call.role == role)
}

/// What a bar is made of: name, colour and share, by role, then the scheme's own phases together.
fn segments(variant: &Variant) -> Vec<(&'static str, Rgb, f64)> {
    let Some(parts) = Breakdown::of(&variant.evidence) else { return Vec::new() };
    let of_role = |name: &'static str| {
        let groups = parts.calls.iter().filter(|group| group.role == name);
        (name, role(name), groups.map(|group| group.share).sum())
    };
    let own = (OWN, PHASE, parts.phases.iter().map(|phase| phase.share).sum());
    Role::ALL.map(Role::name).map(of_role).into_iter().chain([own]).filter(|(_, _, share)| *share > 0.0).collect()
}

/// Where the lines of a scale up to `longest` stand: round numbers from 0 on.
fn marks(longest: f64) -> Vec<f64> {
    let least = longest / MARKS;
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * power);
    (0..=(longest / step).floor() as u32).map(|index| f64::from(index) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_round_marks_and_not_too_many() {
        assert_eq!(marks(2.4e6), [0.0, 5e5, 1e6, 1.5e6, 2e6]);
        assert_eq!(marks(7.9), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        for longest in [1.0, 9.99, 80.0, 123_456.0, 4.2e9] {
            let marks = marks(longest);
            assert!((3..=9).contains(&marks.len()) && marks[marks.len() - 1] <= longest, "{longest}: {marks:?}");
        }
    }
}
