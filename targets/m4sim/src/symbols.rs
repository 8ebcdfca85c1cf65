//! Names of addresses: of code, and of the data objects that stacks may lie in.

/// A function or a label of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// First address.
    pub address: u32,
    /// Address after the last; up to the next symbol where the file gives no size.
    pub end: u32,
    /// Name, demangled.
    pub name: String,
}

/// The symbols of an image, by address.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    sorted: Vec<Symbol>,
    /// Data objects with a size, by address.
    objects: Vec<Symbol>,
}

/// Index of the symbol of a sorted list that contains an address.
fn containing(sorted: &[Symbol], address: u32) -> Option<usize> {
    let at = sorted.partition_point(|s| s.address <= address).checked_sub(1)?;
    (address < sorted[at].end).then_some(at)
}

/// Symbols in the order of their addresses. Of several names for an address the first one stays.
fn sorted(mut raw: Vec<(u32, u32, String)>) -> Vec<Symbol> {
    raw.sort_by_key(|&(address, size, _)| (address, std::cmp::Reverse(size)));
    raw.dedup_by_key(|entry| entry.0);
    let nexts: Vec<u32> = raw.iter().skip(1).map(|entry| entry.0).chain([u32::MAX]).collect();
    let symbol = |((address, size, name), next): ((u32, u32, String), u32)| {
        let end = if size == 0 { next } else { address.saturating_add(size).min(next) };
        Symbol { address, end, name: format!("{:#}", rustc_demangle::demangle(&name)) }
    };
    raw.into_iter().zip(nexts).map(symbol).collect()
}

impl Symbols {
    /// From (address, size, name) of code, and of data objects.
    pub(crate) fn new(code: Vec<(u32, u32, String)>, mut objects: Vec<(u32, u32, String)>) -> Self {
        objects.retain(|&(_, size, _)| size > 0);
        Symbols { sorted: sorted(code), objects: sorted(objects) }
    }

    /// All symbols of code in the order of their addresses.
    pub fn iter(&self) -> impl Iterator<Item = &Symbol> {
        self.sorted.iter()
    }

    /// Index of the symbol that contains an address.
    pub(crate) fn index(&self, address: u32) -> Option<usize> {
        containing(&self.sorted, address)
    }

    /// Index of the data object that contains an address.
    pub(crate) fn object(&self, address: u32) -> Option<usize> {
        containing(&self.objects, address)
    }

    /// Name of a data object by its index.
    pub(crate) fn object_name(&self, index: usize) -> &str {
        &self.objects[index].name
    }

    /// The symbol that contains an address.
    pub fn at(&self, address: u32) -> Option<&Symbol> {
        self.index(address).map(|at| &self.sorted[at])
    }

    /// Symbol by its index.
    pub(crate) fn get(&self, index: usize) -> &Symbol {
        &self.sorted[index]
    }

    /// Address of a name.
    pub fn address(&self, name: &str) -> Option<u32> {
        self.sorted.iter().find(|s| s.name == name).map(|s| s.address)
    }

    /// `name+0x12`, or `no symbol`.
    pub fn describe(&self, address: u32) -> String {
        match self.at(address) {
            Some(s) if s.address == address => s.name.clone(),
            Some(s) => format!("{}+{:#x}", s.name, address - s.address),
            None => "no symbol".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_by_address_and_name() {
        let names = [(0x100, 0x10, "f"), (0x120, 0, "g"), (0x200, 4, "h"), (0x100, 0, "alias")];
        let symbols = Symbols::new(names.map(|(a, s, n)| (a, s, n.to_owned())).to_vec(), Vec::new());
        assert_eq!(symbols.describe(0x100), "f");
        assert_eq!(symbols.describe(0x10e), "f+0xe");
        assert_eq!(symbols.describe(0x110), "no symbol");
        assert_eq!(symbols.describe(0x1fe), "g+0xde", "no size: up to the next");
        assert_eq!(symbols.describe(0x99), "no symbol");
        assert_eq!((symbols.address("h"), symbols.address("x")), (Some(0x200), None));
    }
}
