//! Every board that can be simulated, at every setting of its clock.

use crate::image::{Board, run_on};
use crate::scheme::{digests, published};
use kemprof_core::Sampling;
use kemprof_protocol::{Answer, Clock, Command, Randomness, Record};
use m4sim::Config;

#[test]
fn every_setting_comes_up_and_says_what_it_is() {
    let boards = [
        (Board::Mps2An386, [(25, 0), (25, 0), (25, 0)]),
        (Board::NucleoF446ze, [(24, 0), (16, 0), (180, 5)]),
        (Board::Stm32F4Discovery, [(24, 0), (16, 0), (168, 5)]),
    ];
    for (board, speeds) in boards {
        for (clock, (megahertz, wait_states)) in Clock::ALL.into_iter().zip(speeds) {
            let Some(answer) = run_on(board, clock, &Command::Counter, Config::default()) else { return };
            let Ok(Answer::Counter(head, _)) = answer else { panic!("{board:?} {clock:?}: {answer:?}") };
            assert_eq!((head.board.as_str(), head.clock.setting), (board.name(), clock));
            assert_eq!((head.clock.hz, head.clock.wait_states), (megahertz * 1_000_000, wait_states));
        }
    }
}

/// The largest instance, in the memory of the smallest board.
#[test]
fn the_largest_instance_fits_the_smallest_board() {
    let subject = published("lwekem512", Sampling::Lazy);
    let record = Record { subject, randomness: Randomness::Seed([1; 64].into_iter().collect()) };
    let answer = run_on(Board::NucleoF446ze, Clock::Full, &Command::Record(record.clone()), Config::default());
    let Some(answer) = answer else { return };
    let Ok(Answer::Record(_, made)) = answer else { panic!("{answer:?}") };
    assert_eq!(made.digests, digests(&record));
}
