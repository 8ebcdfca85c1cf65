//! A record's time in its least pieces, for everything that regroups it.

use crate::evidence::{CallRow, Evidence};

/// What cannot be told apart further: the calls of one row in one phase, or a phase's own time.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The phase, outermost first.
    pub path: &'a [String],
    /// The symmetric calls; `None` for the phase's own time.
    pub call: Option<&'a CallRow>,
    /// Times that the calls or the phase ran, in all operations.
    pub calls: u64,
    /// Ticks of all operations; `None` without a counter.
    pub ticks: Option<i64>,
}

/// The pieces of a record, phase by phase. They add up to its profiled ticks.
#[must_use]
pub fn pieces(evidence: &Evidence) -> Vec<Piece<'_>> {
    let phases = evidence.phases.iter().map(|phase| Piece {
        path: &phase.path,
        call: None,
        calls: phase.calls,
        ticks: phase.self_ticks,
    });
    let calls = evidence.calls.iter().flat_map(|call| {
        call.paths.iter().map(move |part| Piece {
            path: &part.path,
            call: Some(call),
            calls: part.calls,
            ticks: part.ticks,
        })
    });
    phases.chain(calls).collect()
}

/// What a tick of a piece stands for in one operation without probes: shares are of the profiled run, and the time to quote is
/// the median without probes. `None` without a counter.
#[must_use]
pub fn scale(evidence: &Evidence) -> Option<f64> {
    let profiled = evidence.profiled.ticks.filter(|&ticks| ticks > 0)? as f64;
    Some(evidence.derived.median.unwrap_or(profiled / evidence.profiled.operations as f64) / profiled)
}

/// The part of a choice of backends (`xof`, `prf`, `hash`, `drng`) that serves a role.
#[must_use]
pub fn part_of_role(role: &str) -> &'static str {
    match role {
        "matrix" => "xof",
        "noise" => "prf",
        "entropy" => "drng",
        _ => "hash",
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn the_pieces_add_up_to_the_profiled_ticks_and_scaled_to_the_median() {
        let evidence = sample::evidence();
        let ticks: i64 = pieces(&evidence).iter().filter_map(|piece| piece.ticks).sum();
        assert_eq!(u64::try_from(ticks).ok(), evidence.profiled.ticks);
        let scaled = ticks as f64 * scale(&evidence).expect("has ticks");
        assert!((scaled - evidence.derived.median.expect("has trials")).abs() < 1e-9, "{scaled}");
    }

    #[test]
    fn without_ticks_there_is_no_scale() {
        assert_eq!(scale(&sample::without_ticks()), None);
    }

    #[test]
    fn every_role_has_its_part() {
        let parts = kemprof_core::Role::ALL.map(|role| part_of_role(role.name()));
        assert_eq!(parts, ["xof", "prf", "hash", "hash", "hash", "hash", "drng"]);
    }
}
