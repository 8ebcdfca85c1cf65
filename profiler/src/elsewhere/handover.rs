use super::{Answer, ElsewhereError, Files, Place, Request};
use crate::environment::Origin;
use crate::evidence;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A path that a command line writes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Destination {
    /// The option that names it: `--out`.
    pub option: &'static str,
    /// Where to.
    pub path: PathBuf,
    /// Whether it is a folder of files, not a file.
    pub is_folder: bool,
}

/// A command line on its way elsewhere.
#[derive(Clone, Debug)]
pub struct Handover {
    origin: Origin,
    /// Options and their values that stay here, taken out; those that name destinations, replaced.
    arguments: Vec<String>,
    destinations: Vec<Destination>,
}

/// What the names of folders begin with that stand for destinations. No path of a user's is likely to hold it.
const STAND_IN: &str = "kemprof-handover-";
/// The name of a file there whose destination names it itself.
const FILE: &str = "file";

impl Handover {
    /// The command line `command`, its program first, without option `place`; what it writes to `destinations` is brought there.
    /// `origin` is for the record. The command line has been understood: an option that is there has its value.
    #[must_use]
    pub fn new(command: &[String], place: &str, destinations: Vec<Destination>, origin: Origin) -> Self {
        let taken: Vec<&str> =
            std::iter::once(place).chain(destinations.iter().map(|destination| destination.option)).collect();
        let words = command.get(1..).unwrap_or_default();
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let (options, positional) = words.split_at(end);
        let mut arguments = Vec::new();
        let mut options = options.iter();
        while let Some(word) = options.next() {
            let named = |option: &&str| word.strip_prefix(*option).is_some_and(|rest| rest.starts_with('='));
            if taken.contains(&word.as_str()) {
                options.next();
            } else if !taken.iter().any(named) {
                arguments.push(word.clone());
            }
        }
        for (index, destination) in destinations.iter().enumerate() {
            arguments.extend([destination.option.to_owned(), stand_in(index, destination)]);
        }
        arguments.extend_from_slice(positional);
        Self { origin, arguments, destinations }
    }

    /// Runs the command line in `place`. What it says on standard error is given to `errors` as it comes; what it says on standard
    /// output is returned with its exit status, once its files are written.
    ///
    /// # Errors
    /// When it does not run to an end of its own, or its files cannot be written.
    pub fn run(
        &self,
        place: &mut dyn Place,
        environment: &[(&'static str, String)],
        errors: &mut dyn FnMut(&str),
    ) -> Result<(String, u8), ElsewhereError> {
        // Not after minutes of trials.
        for Destination { path, is_folder, .. } in &self.destinations {
            let folder = if *is_folder { path.as_path() } else { parent(path) };
            evidence::check_folder(folder)?;
        }
        let mut variables = vec![(Origin::VARIABLE, self.origin.to_text())];
        variables.extend_from_slice(environment);
        let folders: Vec<String> = (0..self.destinations.len()).map(folder).collect();
        let request = Request { arguments: &self.arguments, environment: &variables, folders: &folders };
        let Answer { output, status, files } =
            place.run(&request, &mut |text| errors(&self.as_the_user_knows_it(text)))?;
        self.check(&files)?;
        for ((folder, name), text) in files {
            if let Some(path) = self.destination(&folder, &name) {
                evidence::write_text(&path, &text)?;
            }
        }
        Ok((self.as_the_user_knows_it(&output), status))
    }

    /// Where a file that came back belongs.
    fn destination(&self, folder_name: &str, name: &str) -> Option<PathBuf> {
        let index = (0..self.destinations.len()).find(|&index| folder(index) == folder_name)?;
        let Destination { path, is_folder, .. } = &self.destinations[index];
        Some(if *is_folder { path.join(name) } else { path.clone() })
    }

    /// Evidence that came back is evidence.
    fn check(&self, files: &Files) -> Result<(), ElsewhereError> {
        for ((folder, name), text) in files {
            let evidence = self.destination(folder, name).is_some() && name.ends_with(".json");
            if evidence && let Err(error) = evidence::from_json(text) {
                let what = format!("{name}, which is no evidence: {error}");
                return Err(ElsewhereError::Garbled { place: self.origin.place(), what });
            }
        }
        Ok(())
    }

    /// A text with the user's paths in it in place of those over there.
    fn as_the_user_knows_it(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (index, destination) in self.destinations.iter().enumerate() {
            text = text.replace(&stand_in(index, destination), &destination.path.display().to_string());
        }
        text
    }
}

fn folder(index: usize) -> String {
    format!("{STAND_IN}{index}")
}

fn stand_in(index: usize, destination: &Destination) -> String {
    let mut path = folder(index);
    if !destination.is_folder {
        let _ = write!(path, "/{FILE}");
    }
    path
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
