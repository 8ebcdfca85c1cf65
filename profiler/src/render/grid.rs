//! Columns that align.

use super::layout::{self, FIXED_BLANK, wrap_line};
use crate::words::shown;
use anstyle::Style;

/// How a column's cells stand in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// At the left edge.
    Left,
    /// At the right edge.
    Right,
}

/// Rows of cells in aligned columns. A cell's style does not count towards its width.
#[derive(Clone, Debug)]
pub struct Grid {
    columns: Vec<Align>,
    rows: Vec<Vec<(String, Style)>>,
    /// Headings of columns that are left out where there is no room, the first of them first.
    gives_way: &'static [&'static str],
}

/// Columns that the last column keeps for its text at least.
const LEAST_TEXT: usize = 20;

/// Between columns.
const GAP: &str = "  ";

impl Grid {
    /// An empty grid.
    #[must_use]
    pub fn new(columns: &[Align]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new(), gives_way: &[] }
    }

    /// The same, but where the width does not do, columns of these headings are left out, one after the other.
    #[must_use]
    pub fn giving_way(self, gives_way: &'static [&'static str]) -> Self {
        Self { gives_way, ..self }
    }

    /// Adds a row of one style. Missing cells are empty.
    pub fn row<S: Into<String>>(&mut self, style: Style, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| (shown(&cell.into()), style)).collect());
    }

    /// Adds a cell of another style to the last row.
    pub fn cell(&mut self, style: Style, text: &str) {
        if let Some(row) = self.rows.last_mut() {
            row.push((shown(text), style));
        }
    }

    /// Gives the cell added last in the last row another style.
    pub fn restyle_last(&mut self, style: Style) {
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            cell.1 = style;
        }
    }

    /// The grid without the columns that have no figure: whose cells below the heading are empty, or `none`.
    #[must_use]
    pub fn without_empty(mut self, none: &str) -> Self {
        let empty = |column: usize| {
            let mut cells = self.rows.iter().skip(1).filter_map(|row| row.get(column));
            cells.all(|(text, _)| text.is_empty() || text == none)
        };
        let empty: Vec<usize> = (0..self.columns.len()).filter(|&column| empty(column)).collect();
        empty.into_iter().rev().for_each(|column| self.remove(column));
        self
    }

    fn remove(&mut self, column: usize) {
        self.columns.remove(column);
        self.rows.iter_mut().filter(|row| row.len() > column).for_each(|row| drop(row.remove(column)));
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|(text, _)| text.chars().count()).max().unwrap_or(0)
        };
        (0..self.columns.len()).map(width).collect()
    }

    /// The grid as lines, each after `indent` and without trailing blanks, with ANSI styles, in the width that there is.
    #[must_use]
    pub fn render(&self, indent: &str) -> String {
        match layout::width() {
            None => self.lines(indent),
            Some(width) => self.fitted(indent, width).lines(indent).replace(' ', &FIXED_BLANK.to_string()),
        }
    }

    /// The grid in so many columns: some are left out, then the text of the last is broken at blanks.
    fn fitted(&self, indent: &str, width: usize) -> Self {
        let mut grid = self.clone();
        let taken =
            |grid: &Self| indent.len() + grid.widths().iter().map(|width| width + GAP.len()).sum::<usize>() - GAP.len();
        for heading in self.gives_way {
            if taken(&grid) <= width {
                break;
            }
            let named = |row: &Vec<(String, Style)>| row.iter().rposition(|(text, _)| text == heading);
            if let Some(column) = grid.rows.first().and_then(named) {
                grid.remove(column);
            }
        }
        if taken(&grid) > width && grid.columns.last() == Some(&Align::Left) {
            let text = grid.widths().last().copied().unwrap_or(0);
            grid.broken((width + text).saturating_sub(taken(&grid)).max(LEAST_TEXT));
        }
        grid
    }

    /// Breaks the cells of the last column: what does not go into `width` stands in rows below.
    fn broken(&mut self, width: usize) {
        let last = self.columns.len() - 1;
        for row in std::mem::take(&mut self.rows) {
            let Some((text, style)) = row.get(last).filter(|(text, _)| !text.is_empty()).cloned() else {
                self.rows.push(row);
                continue;
            };
            let indent = text.len() - text.trim_start().len();
            let text = wrap_line(&text, width, indent);
            for (index, line) in text.lines().enumerate() {
                let mut cells = if index == 0 { row.clone() } else { vec![(String::new(), Style::new()); last + 1] };
                cells[last] = (line.to_owned(), style);
                self.rows.push(cells);
            }
        }
    }

    fn lines(&self, indent: &str) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for row in &self.rows {
            let last = row.iter().rposition(|(text, _)| !text.is_empty()).map_or(0, |last| last + 1);
            out.push_str(indent);
            for (column, (text, style)) in row.iter().enumerate().take(last) {
                let pad = " ".repeat(widths[column] - text.chars().count());
                let gap = if column == 0 { "" } else { GAP };
                let (before, after) = match self.columns[column] {
                    Align::Left => ("", if column + 1 == last { "" } else { pad.as_str() }),
                    Align::Right => (pad.as_str(), ""),
                };
                out.push_str(&format!("{gap}{before}{style}{text}{style:#}{after}"));
            }
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_a_figure_are_left_out() {
        let mut grid = Grid::new(&[Align::Left, Align::Right, Align::Right, Align::Right]);
        grid.row(Style::new(), ["what", "ticks", "calls", "share"]);
        grid.row(Style::new(), ["ntt", "-", "3"]);
        grid.row(Style::new(), ["encode", "", "4", "-"]);
        assert_eq!(grid.without_empty("-").render(""), "what    calls\nntt         3\nencode      4\n");
    }

    #[test]
    fn a_grid_fits_its_width_and_numbers_stay_whole() {
        use Align::{Left, Right};
        let mut grid = Grid::new(&[Left, Right, Right, Left]).giving_way(&["", "calls"]);
        grid.row(Style::new(), ["what", "ticks", "calls", ""]);
        grid.row(Style::new(), ["ntt", "1.47 M", "3", "████████"]);
        let at = |width| grid.fitted("  ", width).lines("  ");
        assert_eq!(at(40), grid.lines("  "));
        assert_eq!(at(24), "  what   ticks  calls\n  ntt   1.47 M      3\n");
        assert_eq!(at(18), "  what   ticks\n  ntt   1.47 M\n");
        let mut grid = Grid::new(&[Left, Left]);
        grid.row(Style::new(), ["one", "a text that is rather long and goes on"]);
        grid.row(Style::new(), ["two", "short"]);
        assert_eq!(
            grid.fitted("", 25).lines(""),
            "one  a text that is\n     rather long and goes\n     on\ntwo  short\n"
        );
    }

    #[test]
    fn columns_align_and_styles_do_not_count() {
        let mut grid = Grid::new(&[Align::Left, Align::Right, Align::Left]);
        grid.row(Style::new(), ["name", "calls", ""]);
        grid.row(Style::new(), ["pseudoXOF", "81", "█"]);
        grid.row(Style::new().bold(), ["µ", "101"]);
        let text = anstream::adapter::strip_str(&grid.render("  ")).to_string();
        assert_eq!(text, "  name       calls\n  pseudoXOF     81  █\n  µ            101\n");
    }
}
