use kemprof_protocol::Clock;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// What `--clock` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockOption {
    /// A rate in Hz, which turns cycles into time.
    Rate(u64),
    /// A setting of a board's clock tree.
    Setting(Clock),
}

/// Not what `--clock` takes.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{_0:?} is no clock; expected a rate (168MHz, 24000000, 32.5MHz) or a board's setting ({})", Clock::ALL.map(Clock::name).join(", "))]
pub struct ClockError(String);

/// Rates that a Cortex-M4 may have.
const RATES: std::ops::RangeInclusive<f64> = 1e3..=1e9;

impl FromStr for ClockOption {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, ClockError> {
        if let Some(setting) = Clock::ALL.into_iter().find(|setting| setting.name() == text) {
            return Ok(Self::Setting(setting));
        }
        let lower = text.to_ascii_lowercase();
        let units = [("mhz", 1e6), ("khz", 1e3), ("hz", 1.0)];
        let unit = units.into_iter().find_map(|(unit, hz)| Some((lower.strip_suffix(unit)?.trim_end(), hz)));
        let (number, hz) = unit.unwrap_or((&lower, 1.0));
        let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let rate = number.parse::<f64>().ok().filter(|_| plain).map(|number| number * hz);
        let rate = rate.filter(|rate| RATES.contains(rate) && rate.fract() == 0.0);
        rate.map(|rate| Self::Rate(rate as u64)).ok_or_else(|| ClockError(text.to_owned()))
    }
}

impl fmt::Display for ClockOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(hz) => f.pad(&crate::counter::rate(*hz)),
            Self::Setting(setting) => f.pad(setting.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_settings_are_read() {
        let read = |text: &str| text.parse::<ClockOption>();
        assert_eq!(read("168MHz"), Ok(ClockOption::Rate(168_000_000)));
        assert_eq!(read("32.5 mhz"), Ok(ClockOption::Rate(32_500_000)));
        assert_eq!(read("24000000"), Ok(ClockOption::Rate(24_000_000)));
        assert_eq!(read("24000kHz"), Ok(ClockOption::Rate(24_000_000)));
        assert_eq!(read("full"), Ok(ClockOption::Setting(Clock::Full)));
        for wrong in ["", "MHz", "fast", "-1MHz", "0", "1e9", "168GHz", "0.0000001MHz", "nan"] {
            let error = read(wrong).expect_err("is no clock").to_string();
            assert!(error.contains("168MHz") && error.contains("zero-wait"), "{error}");
        }
    }
}
