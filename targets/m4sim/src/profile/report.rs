//! Views of a profile: folded stacks and tables.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use super::Profile;
use super::calls::UNKNOWN;

/// A function's line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionRow {
    /// Name.
    pub name: String,
    /// Cycles in the function itself.
    pub own: u64,
    /// Cycles in the function and all it called; recursion counts once.
    pub total: u64,
    /// Times it was entered.
    pub calls: u64,
}

/// An instruction's line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotRow {
    /// Address.
    pub address: u32,
    /// Function and offset.
    pub place: String,
    /// Times executed.
    pub times: u64,
    /// Cycles.
    pub cycles: u64,
}

impl Profile {
    fn name(&self, symbol: usize) -> &str {
        if symbol == UNKNOWN { "[no symbol]" } else { &self.symbols.get(symbol).name }
    }

    /// Folded stacks: for each call path its functions from the outermost, separated by semicolons, and the cycles spent
    /// in the innermost itself. The cycles sum to [`Profile::total`]. Beyond 256 functions recursion adds none to a path.
    pub fn folded(&self) -> Vec<(String, u64)> {
        let spent = self.calls.nodes.iter().enumerate().filter(|(_, n)| n.cycles > 0);
        let line = |at: usize| {
            // A semicolon in a name would read as another frame.
            let mut names: Vec<String> =
                self.calls.path(at).map(|n| self.name(self.calls.nodes[n].symbol).replace(';', ":")).collect();
            names.reverse();
            names.join(";")
        };
        spent.map(|(at, node)| (line(at), node.cycles)).collect()
    }

    /// Writes [`Profile::folded`], a line for each path, as flame graph tools read it.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_folded(&self, out: &mut dyn Write) -> io::Result<()> {
        self.folded().iter().try_for_each(|(path, cycles)| writeln!(out, "{path} {cycles}"))
    }

    /// The functions, most cycles of their own first.
    pub fn functions(&self) -> Vec<FunctionRow> {
        let mut rows: HashMap<usize, FunctionRow> = HashMap::new();
        for (at, node) in self.calls.nodes.iter().enumerate().skip(1) {
            let new = || FunctionRow { name: self.name(node.symbol).to_owned(), own: 0, total: 0, calls: 0 };
            let row = rows.entry(node.symbol).or_insert_with(new);
            row.own += node.cycles;
            row.calls += node.calls;
            let on_path: HashSet<usize> = self.calls.path(at).map(|n| self.calls.nodes[n].symbol).collect();
            for symbol in on_path {
                let new = || FunctionRow { name: self.name(symbol).to_owned(), own: 0, total: 0, calls: 0 };
                rows.entry(symbol).or_insert_with(new).total += node.cycles;
            }
        }
        let mut rows: Vec<FunctionRow> = rows.into_values().collect();
        rows.sort_by(|a, b| (b.own, b.total, &a.name).cmp(&(a.own, a.total, &b.name)));
        rows
    }

    /// The `count` instructions with the most cycles.
    pub fn hottest(&self, count: usize) -> Vec<HotRow> {
        let mut all: Vec<_> = self.hot.iter().collect();
        all.sort_by_key(|&(address, c)| (std::cmp::Reverse(c.cycles), address));
        let row = |&(address, c): &(u32, super::hot::Count)| HotRow {
            address,
            place: self.symbols.describe(address),
            times: c.times,
            cycles: c.cycles,
        };
        all.iter().take(count).map(row).collect()
    }

    /// Writes the tables: functions, hottest instructions, memory.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_tables(&self, out: &mut dyn Write, count: usize) -> io::Result<()> {
        let total = self.total().max(1) as f64;
        let share = |cycles: u64| 100.0 * cycles as f64 / total;
        writeln!(out, "{:>14} {:>6} {:>14} {:>6} {:>10}  function", "own cycles", "%", "total cycles", "%", "calls")?;
        for row in self.functions().iter().take(count) {
            let (own, all) = (share(row.own), share(row.total));
            writeln!(out, "{:>14} {own:>6.2} {:>14} {all:>6.2} {:>10}  {}", row.own, row.total, row.calls, row.name)?;
        }
        writeln!(out, "\n{:>14} {:>6} {:>14} {:>10}  instruction", "cycles", "%", "times", "address")?;
        for row in self.hottest(count) {
            let cycles = share(row.cycles);
            writeln!(out, "{:>14} {cycles:>6.2} {:>14} {:>#10x}  {}", row.cycles, row.times, row.address, row.place)?;
        }
        let (loads, stores) = (self.loads(), self.stores());
        writeln!(out, "\npeak stack {} bytes   loads {loads}   stores {stores}", self.peak_stack())?;
        self.other_stacks().iter().try_for_each(|(name, bytes)| writeln!(out, "peak stack in {name} {bytes} bytes"))
    }
}
