use super::output::print_error;
use crate::words::shown;
use clap::error::ErrorKind;
use std::fmt;
use std::process::ExitCode;

/// Why a command did not do what it was asked to, in one line.
#[derive(Debug)]
pub enum Failure {
    /// It was asked for something that does not exist or makes no sense. Exit code 2.
    Usage(String),
    /// It was asked for nothing: the help says what there is to ask for. Exit code 2.
    Help(String),
    /// It failed. Exit code 1.
    Failed(anyhow::Error),
}

/// What the standard library says of text that is no number.
const NOT_NUMBERS: [&str; 2] = ["invalid digit found in string", "cannot parse integer from empty string"];

/// A usage error.
pub fn usage(message: impl fmt::Display) -> Failure {
    Failure::Usage(message.to_string())
}

impl Failure {
    /// What the process should end with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) | Self::Help(_) => ExitCode::from(2),
            Self::Failed(_) => ExitCode::FAILURE,
        }
    }

    /// What failed of several things, each of which is said in a line of its own.
    ///
    /// # Errors
    /// Where anything did.
    pub(crate) fn of_each<E: Into<Self>>(failures: Vec<E>) -> Result<(), Self> {
        let mut failures: Vec<Self> = failures.into_iter().map(Into::into).collect();
        let Some(last) = failures.pop() else { return Ok(()) };
        failures.iter().for_each(Self::complain);
        Err(last)
    }

    /// Says on standard error why. Where even that is closed, the exit code has to say it.
    pub fn complain(&self) {
        match self {
            Self::Help(text) => print_error(text),
            Self::Usage(_) | Self::Failed(_) => print_error(&format!("kemprof: {}\n", shown(&self.to_string()))),
        }
    }

    /// What the parser of options says, on one line.
    pub(crate) fn from_clap(error: &clap::Error) -> Self {
        if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            return Self::Help(error.render().ansi().to_string());
        }
        let text = error.render().to_string();
        // The parser would also suggest commands that only kemprof itself runs.
        let hidden: Vec<String> = super::command()
            .get_subcommands()
            .filter(|command| command.is_hide_set())
            .map(|command| format!("'{}'", command.get_name()))
            .collect();
        let is_said = |part: &str| {
            let is_tip = part.starts_with("tip:") && hidden.iter().any(|name| part.contains(name));
            !is_tip && !part.starts_with("For more information")
        };
        let text = NOT_NUMBERS.iter().fold(text, |text, words| text.replace(words, "expected a whole number"));
        let paragraphs = text.split("\n\n").filter(|part| is_said(part.trim_start()));
        let one_line = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = paragraphs.map(one_line).collect::<Vec<_>>().join("; ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        Self::Usage(format!("{message} (try --help)"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Help(text) => f.write_str(text),
            Self::Failed(error) => {
                // Errors that quote their cause have said it already.
                let mut said = String::new();
                for cause in error.chain().map(ToString::to_string) {
                    if !said.contains(&cause) {
                        said = if said.is_empty() { cause } else { format!("{said}: {cause}") };
                    }
                }
                f.write_str(&said)
            }
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}
