//! Cycles per instruction address.

use std::collections::HashMap;

/// Halfwords of a page.
const PAGE: usize = 2048;

/// Executions and cycles of one address.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) times: u64,
    pub(super) cycles: u64,
}

/// Counts by address, in pages that are made when first used; the last page is remembered.
#[derive(Default)]
pub(super) struct Hot {
    pages: Vec<(u32, Vec<Count>)>,
    index: HashMap<u32, usize>,
    last: usize,
}

impl Hot {
    #[inline(always)]
    pub(super) fn add(&mut self, address: u32, cycles: u64) {
        let (page, at) = (address >> 12, (address as usize >> 1) % PAGE);
        if self.pages.get(self.last).is_none_or(|p| p.0 != page) {
            self.last = self.find(page);
        }
        let count = &mut self.pages[self.last].1[at];
        count.times += 1;
        count.cycles += cycles;
    }

    #[cold]
    fn find(&mut self, page: u32) -> usize {
        *self.index.entry(page).or_insert_with(|| {
            self.pages.push((page, vec![Count::default(); PAGE]));
            self.pages.len() - 1
        })
    }

    /// Every address that was executed.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Count)> {
        self.pages.iter().flat_map(|(page, counts)| {
            let address = move |at: usize| page << 12 | (at as u32) << 1;
            counts.iter().enumerate().filter(|(_, c)| c.times > 0).map(move |(at, c)| (address(at), *c))
        })
    }
}
