use super::M4Settings;
use crate::cross::CrossError;
use crate::environment::{Finding, State};

/// Whether this machine can build the firmware of `--target cortex-m4`.
#[must_use]
pub fn examine() -> Finding {
    let what = "cortex-m4 firmware".to_owned();
    match M4Settings::default().product().toolchain() {
        Ok(toolchain) => Finding { what, state: State::Works, detail: format!("{toolchain} builds it"), fix: None },
        Err(error) => {
            let fix = matches!(error, CrossError::NoToolchain { .. }).then(|| "targets/setup".to_owned());
            Finding { what, state: State::Missing, detail: error.to_string(), fix }
        }
    }
}
