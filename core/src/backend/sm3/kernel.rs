//! Compressions of many lanes, written once.
//!
//! A module for an instruction set defines its register type `R`, how many registers hold a word of every lane (`GROUPS`), how
//! many independent chains hide each other's latency (`CHAINS`), operations on one register (`op`), and `digests`. These macros
//! make compressions of them.

/// Applies an operation to each of `P` registers.
macro_rules! each {
    ($first:ident $(, $other:ident)* => $result:expr) => {{
        let mut results = $first;
        for p in 0..P {
            let $first = $first[p];
            $(let $other = $other[p];)*
            results[p] = $result;
        }
        results
    }};
}
pub(super) use each;

/// Lifts the operations on one register to several.
macro_rules! vector_operations {
    ($(#[$feature:meta])*) => {
        macro_rules! rotl {
            ($a:expr, 8) => {
                rotl8($a)
            };
            ($a:expr, $left:literal) => {
                rotl::<$left, { 32 - $left }, _>($a)
            };
        }

        $(#[$feature])*
        #[inline]
        fn splat<const P: usize>(word: u32) -> [R; P] {
            [op::splat(word); P]
        }

        $(#[$feature])*
        #[inline]
        fn add<const P: usize>(a: [R; P], b: [R; P]) -> [R; P] {
            each!(a, b => op::add(a, b))
        }

        $(#[$feature])*
        #[inline]
        fn xor<const P: usize>(a: [R; P], b: [R; P]) -> [R; P] {
            each!(a, b => op::xor(a, b))
        }

        $(#[$feature])*
        #[inline]
        fn rotl<const LEFT: i32, const RIGHT: i32, const P: usize>(a: [R; P]) -> [R; P] {
            each!(a => op::rotl::<LEFT, RIGHT>(a))
        }

        $(#[$feature])*
        #[inline]
        fn rotl8<const P: usize>(a: [R; P]) -> [R; P] {
            each!(a => op::rotl8(a))
        }

        $(#[$feature])*
        #[inline]
        fn parity<const P: usize>(a: [R; P], b: [R; P], c: [R; P]) -> [R; P] {
            each!(a, b, c => op::parity(a, b, c))
        }

        $(#[$feature])*
        #[inline]
        fn majority<const P: usize>(a: [R; P], b: [R; P], c: [R; P]) -> [R; P] {
            each!(a, b, c => op::majority(a, b, c))
        }

        $(#[$feature])*
        #[inline]
        fn choice<const P: usize>(e: [R; P], f: [R; P], g: [R; P]) -> [R; P] {
            each!(e, f, g => op::choice(e, f, g))
        }

        /// P0 of GB/T 32905-2016, section 4.4: a turn by 17 is one by 9 and by a byte.
        $(#[$feature])*
        #[inline]
        fn p0<const P: usize>(a: [R; P]) -> [R; P] {
            let turned = rotl!(a, 9);
            parity(a, turned, rotl!(turned, 8))
        }

        /// P1 of the same section: a turn by 23 is one by 15 and by a byte.
        $(#[$feature])*
        #[inline]
        fn p1<const P: usize>(a: [R; P]) -> [R; P] {
            let turned = rotl!(a, 15);
            parity(a, turned, rotl!(turned, 8))
        }

        /// A word of every lane in registers.
        #[inline(always)]
        fn load(lanes: &Lanes) -> [R; GROUPS] {
            bytemuck::cast(*lanes)
        }

        /// The words of the lanes in one register.
        #[inline(always)]
        fn load_group(lanes: &Lanes, group: usize) -> R {
            bytemuck::cast(lanes.as_chunks::<WIDTH>().0[group])
        }

        #[inline(always)]
        fn store(registers: [R; GROUPS]) -> Lanes {
            bytemuck::cast(registers)
        }
    };
}
pub(super) use vector_operations;

/// Makes `counters` of a module's operations.
macro_rules! counter_kernel {
    ($(#[$feature:meta])*) => {
        use super::lanes::{Digest, Expanded, LANES, Lanes, Row, Start};
        use super::round::{CONSTANTS, PARITY_ROUNDS, ROUNDS, four_rounds, round};
        use core::ops::Range;

        /// Lanes of a register.
        const WIDTH: usize = LANES / GROUPS;

        /// The chaining values of chains that are each in a group of messages and a column of counters.
        $(#[$feature])*
        fn compress_chains<const P: usize>(
            start: &Start,
            messages: &[Row; ROUNDS],
            counters: &[Row; ROUNDS],
            places: [(usize, usize); P],
        ) -> [[R; P]; 8] {
            let mut registers = [splat(0); 8];
            for (register, &word) in registers.iter_mut().zip(&start.registers) {
                *register = splat(word);
            }
            macro_rules! word {
                ($j:expr, $k:literal) => {{
                    let mut words = splat::<P>(0);
                    for p in 0..P {
                        let (group, column) = places[p];
                        let message = load_group(&messages[$j].0[$k], group);
                        [words[p]] = xor([message], splat(counters[$j].0[$k][column]));
                    }
                    words
                }};
            }
            macro_rules! words {
                ($j:expr) => {
                    [word!($j, 0), word!($j, 1)]
                };
            }
            macro_rules! constant {
                ($j:expr) => {
                    splat(CONSTANTS[$j])
                };
            }
            for j in (start.rounds..PARITY_ROUNDS).step_by(4) {
                four_rounds!(true, registers, j, words, constant);
            }
            for j in (PARITY_ROUNDS..ROUNDS).step_by(4) {
                four_rounds!(false, registers, j, words, constant);
            }
            for (register, &word) in registers.iter_mut().zip(&start.chaining) {
                *register = xor(*register, splat(word));
            }
            registers
        }

        /// As many chains from `chains.start` on as go into `P` registers at once; see [`counters`].
        $(#[$feature])*
        fn compress_spans<const P: usize>(
            start: &Start,
            messages: &[Row; ROUNDS],
            counters: &[Row; ROUNDS],
            groups: usize,
            chains: &mut Range<usize>,
            sink: &mut impl FnMut(usize, usize, &[Digest]),
        ) {
            while chains.len() >= P {
                let mut places = [(0, 0); P];
                for (place, chain) in places.iter_mut().zip(chains.by_ref()) {
                    *place = (chain % groups, chain / groups);
                }
                let state = compress_chains(start, messages, counters, places);
                for (p, (group, column)) in places.into_iter().enumerate() {
                    sink(WIDTH * group, column, &digests(&state, p));
                }
            }
        }

        /// Gives `sink` the digests of the first `lanes` messages for each of the first `count` counters: some lanes at a time,
        /// with the first of them and the counter's number.
        $(#[$feature])*
        pub(super) fn counters(
            start: &Start,
            messages: &Expanded,
            lanes: usize,
            counters: &Expanded,
            count: usize,
            mut sink: impl FnMut(usize, usize, &[Digest]),
        ) {
            let messages = messages.as_slice().try_into().expect("expanded to all rounds");
            let counters = counters.as_slice().try_into().expect("expanded to all rounds");
            let groups = lanes.div_ceil(WIDTH);
            let mut chains = 0..groups * count;
            compress_spans::<CHAINS>(start, messages, counters, groups, &mut chains, &mut sink);
            compress_spans::<2>(start, messages, counters, groups, &mut chains, &mut sink);
            compress_spans::<1>(start, messages, counters, groups, &mut chains, &mut sink);
        }
    };
}
pub(super) use counter_kernel;

/// Makes `expand` and `compress_lanes` of a module's operations.
macro_rules! lane_kernel {
    ($(#[$feature:meta])*) => {
        use super::lanes::{LaneState, LaneWords};
        use crate::backend::ngcc::DIGEST;
        use super::round::sixteen_rounds;

        /// The next word of the message expansion (GB/T 32905-2016, section 5.3.2) from those 16, 13, 9, 6 and 3 before it.
        $(#[$feature])*
        #[inline]
        fn expand_word<const P: usize>(w16: [R; P], w13: [R; P], w9: [R; P], w6: [R; P], w3: [R; P]) -> [R; P] {
            xor(p1(xor(xor(w16, w9), rotl!(w3, 15))), xor(rotl!(w13, 7), w6))
        }

        /// Expands a block of each lane.
        $(#[$feature])*
        pub(super) fn expand(blocks: &LaneWords, expanded: &mut Expanded) {
            expanded.clear();
            let mut window = blocks.each_ref().map(load);
            for sixteen in 0..ROUNDS / 16 {
                macro_rules! row {
                    ($i:literal) => {
                        let mut row = [load(&[0; LANES]); 2];
                        for group in 0..GROUPS {
                            macro_rules! word {
                                ($place:expr) => {
                                    [window[$place % 16][group]]
                                };
                            }
                            if $i >= 12 || sixteen > 0 {
                                let [w16, w13, w9] = [word!($i + 4), word!($i + 7), word!($i + 11)];
                                let [w6, w3] = [word!($i + 14), word!($i + 1)];
                                [window[($i + 4) % 16][group]] = expand_word(w16, w13, w9, w6, w3);
                            }
                            [row[0][group]] = word!($i);
                            [row[1][group]] = xor(word!($i), word!($i + 4));
                        }
                        expanded.push(Row(bytemuck::cast(row)));
                    };
                }
                row!(0);
                row!(1);
                row!(2);
                row!(3);
                row!(4);
                row!(5);
                row!(6);
                row!(7);
                row!(8);
                row!(9);
                row!(10);
                row!(11);
                row!(12);
                row!(13);
                row!(14);
                row!(15);
            }
        }

        /// Compresses a block of each lane.
        $(#[$feature])*
        pub(super) fn compress_lanes(state: &mut LaneState, blocks: &LaneWords) {
            let mut registers = state.each_ref().map(load);
            let mut window = blocks.each_ref().map(load);
            for (sixteen, constants) in CONSTANTS.as_chunks::<16>().0.iter().enumerate() {
                macro_rules! constant {
                    ($i:expr) => {
                        splat(constants[$i])
                    };
                }
                if sixteen == 0 {
                    sixteen_rounds!(true, registers, window, constant);
                } else {
                    sixteen_rounds!(false, registers, window, constant);
                }
            }
            for (word, register) in state.iter_mut().zip(registers) {
                *word = store(xor(load(word), register));
            }
        }

        /// The digests that the chaining values are.
        $(#[$feature])*
        pub(super) fn lane_digests(state: &LaneState) -> [Digest; LANES] {
            let rows = state.each_ref().map(load);
            let mut lanes = [[0; DIGEST]; LANES];
            for (group, lanes) in lanes.as_chunks_mut().0.iter_mut().enumerate() {
                *lanes = digests(&rows, group);
            }
            lanes
        }
    };
}
pub(super) use lane_kernel;
