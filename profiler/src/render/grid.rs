//! Columns that align.

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
}

/// Between columns.
const GAP: &str = "  ";

impl Grid {
    /// An empty grid.
    #[must_use]
    pub fn new(columns: &[Align]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row of one style. Missing cells are empty.
    pub fn row<S: Into<String>>(&mut self, style: Style, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| (cell.into(), style)).collect());
    }

    /// Adds a cell of another style to the last row.
    pub fn cell(&mut self, style: Style, text: &str) {
        if let Some(row) = self.rows.last_mut() {
            row.push((text.to_owned(), style));
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
        let kept: Vec<bool> = (0..self.columns.len()).map(|column| !empty(column)).collect();
        let mut columns = kept.iter();
        self.columns.retain(|_| columns.next() == Some(&true));
        for row in &mut self.rows {
            let mut cells = kept.iter();
            row.retain(|_| cells.next() == Some(&true));
        }
        self
    }

    /// The grid as lines, each after `indent` and without trailing blanks, with ANSI styles.
    #[must_use]
    pub fn render(&self, indent: &str) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|(text, _)| text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
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
    fn columns_align_and_styles_do_not_count() {
        let mut grid = Grid::new(&[Align::Left, Align::Right, Align::Left]);
        grid.row(Style::new(), ["name", "calls", ""]);
        grid.row(Style::new(), ["pseudoXOF", "81", "█"]);
        grid.row(Style::new().bold(), ["µ", "101"]);
        let text = anstream::adapter::strip_str(&grid.render("  ")).to_string();
        assert_eq!(text, "  name       calls\n  pseudoXOF     81  █\n  µ            101\n");
    }
}
