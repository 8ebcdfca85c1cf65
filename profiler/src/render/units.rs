//! Numbers as people read them.

/// A count with three significant digits and a decimal prefix: `544`, `26.1 k`, `2.41 M`.
#[must_use]
pub fn count(value: f64) -> String {
    let magnitude = value.abs();
    let (scaled, prefix) = match magnitude {
        m if m < 999.5 => (value, ""),
        m if m < 999.5e3 => (value / 1e3, " k"),
        m if m < 999.5e6 => (value / 1e6, " M"),
        _ => (value / 1e9, " G"),
    };
    format!("{}{prefix}", three_digits(scaled, prefix.is_empty()))
}

/// A duration in seconds: `986 µs`, `1.23 ms`.
#[must_use]
pub fn seconds(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if v < 999.5e-9 => (value * 1e9, "ns"),
        v if v < 999.5e-6 => (value * 1e6, "µs"),
        v if v < 999.5e-3 => (value * 1e3, "ms"),
        _ => (value, "s"),
    };
    format!("{} {unit}", three_digits(scaled, false))
}

/// A fraction in percent: `94.1 %`.
#[must_use]
pub fn percent(fraction: f64) -> String {
    // Rounding must not leave a minus before nothing.
    let rounded = (fraction * 1000.0).round() / 10.0;
    format!("{:.1} %", rounded + 0.0)
}

/// A change in percent: `+3.2 %`, `-66.7 %`, `0.0 %`.
#[must_use]
pub fn change(fraction: f64) -> String {
    let shown = percent(fraction);
    if shown.starts_with('-') || shown == "0.0 %" { shown } else { format!("+{shown}") }
}

/// A ratio of times with three significant digits: `5.02 ×`, `17.3 ×`.
#[must_use]
pub fn times(ratio: f64) -> String {
    format!("{} ×", three_digits(ratio, false))
}

/// A mean number of calls: `81` where every operation makes as many, `2.4` where they differ.
#[must_use]
pub fn calls(value: f64) -> String {
    if (value - value.round()).abs() < 1e-9 { format!("{value:.0}") } else { format!("{value:.1}") }
}

fn three_digits(value: f64, whole_above_ten: bool) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        "0".to_owned()
    } else if magnitude < 9.995 && !(whole_above_ten && value.fract() == 0.0) {
        format!("{value:.2}")
    } else if magnitude < 99.95 && !(whole_above_ten && value.fract() == 0.0) {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_three_digits_and_a_prefix() {
        let shown = [0.0, 7.0, 5.25, 54.4, 544.0, 999.4, 999.6, 26_112.0, 2_412_000.0, 3.2e9].map(count);
        assert_eq!(shown, ["0", "7", "5.25", "54.4", "544", "999", "1.00 k", "26.1 k", "2.41 M", "3.20 G"]);
    }

    #[test]
    fn durations_pick_their_unit() {
        assert_eq!([9.86e-4, 1.5, 2.5e-8, 0.0125].map(seconds), ["986 µs", "1.50 s", "25.0 ns", "12.5 ms"]);
    }

    #[test]
    fn changes_have_a_sign_unless_they_are_none() {
        let shown = [0.032, -0.6667, 0.0, 0.0004, 0.0006, -0.0004, 12.0].map(change);
        assert_eq!(shown, ["+3.2 %", "-66.7 %", "0.0 %", "0.0 %", "+0.1 %", "0.0 %", "+1200.0 %"]);
    }

    #[test]
    fn ratios_have_three_digits() {
        assert_eq!([1.0, 5.024, 17.26, 0.5, 123.4].map(times), ["1.00 ×", "5.02 ×", "17.3 ×", "0.50 ×", "123 ×"]);
    }

    #[test]
    fn percentages_and_calls() {
        assert_eq!([0.9406, 1.0, 0.0, -0.00001].map(percent), ["94.1 %", "100.0 %", "0.0 %", "0.0 %"]);
        assert_eq!([81.0, 2.42, 1.999].map(calls), ["81", "2.4", "2.0"]);
    }
}
