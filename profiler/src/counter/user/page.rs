//! The page that the kernel shares with a program which counts an event, and the protocol of reading it.
//!
//! Kernel: `include/uapi/linux/perf_event.h`, `struct perf_event_mmap_page`. The page says with which hardware register the
//! event is counted now, if with any, and what the register's value has to be added to. The kernel changes it whenever it
//! moves the event, and a number that counts the changes tells a reader whether one came in between.

use thiserror::Error;

/// What one look at the page gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Fields {
    /// 1 + the number of the register that counts now; 0 for none.
    pub(super) index: u32,
    /// What the register's value is to be added to.
    pub(super) offset: i64,
    /// Whether programs may read the register (`cap_user_rdpmc`).
    pub(super) readable: bool,
    /// Bits of the register.
    pub(super) width: u16,
}

/// A page, of the kernel or of a test.
pub(super) trait Page {
    /// How often the page was changed, as far as this thread sees: what is read later is at least as new.
    fn sequence(&self) -> u32;

    /// The fields, which may be halfway changed.
    fn fields(&self) -> Fields;

    /// The same as [`sequence`](Self::sequence), but what was read before is at most as new.
    fn sequence_after(&self) -> u32;
}

/// Why the page gives no count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub(super) enum NoCount {
    /// Programs may not read the register.
    #[error("the kernel does not let programs read the register")]
    Forbidden,
    /// The event is not counted at the moment: others have its register, or the thread is on a core without one.
    #[error("no register counts at the moment")]
    NotCounting,
    /// The page speaks of a register that has no bits, or more than there are.
    #[error("a register of {0} bits")]
    Width(u16),
    /// It never held still.
    #[error("the page changed {0} times while it was read")]
    Unsteady(u32),
}

/// Looks before the reader gives up. The kernel changes the page when it moves the event, which takes longer than a reading; more
/// than one change in a row is a page that is not what it should be.
const LOOKS: u32 = 64;
/// Bits of the widest register.
const WIDEST: u16 = 64;

/// The count that `page` and the register make together; `register` reads the one of that number.
#[inline(always)]
pub(super) fn count(page: &impl Page, mut register: impl FnMut(u32) -> u64) -> Result<u64, NoCount> {
    for _ in 0..LOOKS {
        let before = page.sequence();
        let fields = page.fields();
        // Reading a register that is not ours may trap, so that it is only read where the page says so. Whether the page said it
        // in one piece is known afterwards; the kernel has the registers of its pages readable before it writes their numbers.
        let value = if fields.index > 0 && fields.readable { register(fields.index - 1) } else { 0 };
        if page.sequence_after() == before {
            return fields.add(value);
        }
    }
    Err(NoCount::Unsteady(LOOKS))
}

impl Fields {
    #[inline(always)]
    fn add(self, value: u64) -> Result<u64, NoCount> {
        if !self.readable {
            return Err(NoCount::Forbidden);
        }
        if self.index == 0 {
            return Err(NoCount::NotCounting);
        }
        if self.width == 0 || self.width > WIDEST {
            return Err(NoCount::Width(self.width));
        }
        // The register holds a signed number: the kernel begins it below 0, so that it interrupts when it overflows.
        let unused = WIDEST - self.width;
        let signed = (value << unused) as i64 >> unused;
        Ok(self.offset.wrapping_add(signed) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A page that is changed, with the number of changes, before so many looks at its fields.
    struct Mock {
        fields: Cell<Fields>,
        next: Fields,
        changes: Cell<u32>,
        sequence: Cell<u32>,
    }

    impl Mock {
        fn new(fields: Fields) -> Self {
            Self { fields: Cell::new(fields), next: fields, changes: Cell::new(0), sequence: Cell::new(7) }
        }

        fn changing(fields: Fields, next: Fields, changes: u32) -> Self {
            Self { next, changes: Cell::new(changes), ..Self::new(fields) }
        }
    }

    impl Page for Mock {
        fn sequence(&self) -> u32 {
            self.sequence.get()
        }

        fn fields(&self) -> Fields {
            let fields = self.fields.get();
            if let Some(left) = self.changes.get().checked_sub(1) {
                self.changes.set(left);
                self.sequence.set(self.sequence.get().wrapping_add(1));
                self.fields.set(self.next);
            }
            fields
        }

        fn sequence_after(&self) -> u32 {
            self.sequence.get()
        }
    }

    const COUNTING: Fields = Fields { index: 2, offset: 1000, readable: true, width: 48 };

    #[test]
    fn the_register_of_the_index_is_added_to_the_offset() {
        let mut asked = Vec::new();
        let counted = count(&Mock::new(COUNTING), |register| {
            asked.push(register);
            23
        });
        assert_eq!((counted, asked), (Ok(1023), vec![1]), "index 2 is register 1");
        // AArch64's cycle counter: number 31, index 32.
        let cycles = Fields { index: 32, width: 64, ..COUNTING };
        assert_eq!(count(&Mock::new(cycles), u64::from), Ok(1031));
    }

    #[test]
    fn registers_are_signed_numbers_of_their_width() {
        for width in [40, 48, 64] {
            let page = Mock::new(Fields { width, ..COUNTING });
            let top = 1_u64 << (width - 1);
            let mask = u64::MAX >> (64 - width);
            assert_eq!(count(&page, |_| top - 1), Ok(1000 + top - 1), "the largest of {width} bits");
            assert_eq!(count(&page, |_| mask), Ok(999), "all ones are -1 in {width} bits");
            assert_eq!(count(&page, |_| top), Ok(1000_u64.wrapping_sub(top)), "the smallest of {width} bits");
            // What lies above the register's bits does not count.
            assert_eq!(count(&page, |_| !mask | 5), Ok(1005));
        }
    }

    #[test]
    fn an_offset_below_zero_is_made_up_for_by_the_register() {
        let page = Mock::new(Fields { offset: -500, ..COUNTING });
        assert_eq!(count(&page, |_| 800), Ok(300));
    }

    #[test]
    fn without_a_register_nothing_is_read() {
        let never = |_| panic!("a register was read");
        assert_eq!(count(&Mock::new(Fields { index: 0, ..COUNTING }), never), Err(NoCount::NotCounting));
        assert_eq!(count(&Mock::new(Fields { readable: false, ..COUNTING }), never), Err(NoCount::Forbidden));
        assert_eq!(count(&Mock::new(Fields::default()), never), Err(NoCount::Forbidden));
    }

    #[test]
    fn widths_that_no_register_has_are_refused() {
        for width in [0, 65] {
            assert_eq!(count(&Mock::new(Fields { width, ..COUNTING }), |_| 1), Err(NoCount::Width(width)));
        }
    }

    #[test]
    fn a_page_that_changes_in_between_is_read_again() {
        let moved = Fields { index: 5, offset: 70_000, ..COUNTING };
        for changes in 1..4 {
            let page = Mock::changing(COUNTING, moved, changes);
            let mut asked = Vec::new();
            let counted = count(&page, |register| {
                asked.push(register);
                u64::from(register)
            });
            assert_eq!(counted, Ok(70_004), "old and new are never mixed");
            assert_eq!((asked[0], asked.len() as u32), (1, changes + 1));
        }
        let stopped = Mock::changing(COUNTING, Fields { index: 0, ..COUNTING }, 1);
        assert_eq!(count(&stopped, |_| 1), Err(NoCount::NotCounting));
    }

    #[test]
    fn a_page_that_never_holds_still_is_given_up() {
        let page = Mock::changing(COUNTING, COUNTING, u32::MAX);
        assert_eq!(count(&page, |_| 1), Err(NoCount::Unsteady(LOOKS)));
    }

    #[test]
    fn the_number_of_changes_may_wrap() {
        let page = Mock::changing(COUNTING, COUNTING, 1);
        page.sequence.set(u32::MAX);
        assert_eq!(count(&page, |_| 1), Ok(1001));
    }
}
