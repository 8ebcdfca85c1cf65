use super::{Answer, ElsewhereError, Files, Place, Request};
use crate::environment::Origin;
use crate::evidence;
use crate::files::{self, Wrote};
use std::fmt::Write as _;
use std::path::PathBuf;

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
            if *is_folder { files::check_folder(path) } else { files::check(path) }?;
        }
        let mut variables = vec![(Origin::VARIABLE, self.origin.to_text())];
        variables.extend_from_slice(environment);
        let folders: Vec<String> = (0..self.destinations.len()).map(folder).collect();
        let request = Request { arguments: &self.arguments, environment: &variables, folders: &folders };
        let Answer { output, status, files } =
            place.run(&request, &mut |text| errors(&self.as_the_user_knows_it(text)))?;
        self.check(&files)?;
        let earlier = self.write(files)?;
        let mut text = self.as_the_user_knows_it(&output);
        // Over there, every folder was new.
        if earlier > 0 && text.lines().any(|line| line.starts_with("wrote ")) {
            let _ = writeln!(text, "{earlier} files of an earlier run were replaced or removed");
        }
        Ok((text, status))
    }

    /// Writes what came back, and says how many files of an earlier run went for it.
    fn write(&self, files: Files) -> Result<usize, ElsewhereError> {
        let mut removed = 0;
        let files =
            files.into_iter().filter_map(|((folder, name), text)| Some((self.destination(&folder, &name)?, text)));
        let files: Vec<(PathBuf, String)> = files.collect();
        for (path, _) in files.iter().filter(|(path, _)| path.extension().is_some_and(|ending| ending == "json")) {
            removed += evidence::remove_drawn(&path.with_extension(""))?.len();
        }
        for (path, text) in files {
            removed += usize::from(files::write(&path, text.as_bytes())? == Wrote::Replaced);
        }
        Ok(removed)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// A place that answers as it is told, and remembers what it was asked.
    struct Scripted {
        answer: Answer,
        asked: Vec<String>,
    }

    impl Place for Scripted {
        fn run(&mut self, request: &Request<'_>, errors: &mut dyn FnMut(&str)) -> Result<Answer, ElsewhereError> {
            self.asked = request.arguments.to_vec();
            assert!(
                request.environment.iter().any(|(name, value)| *name == Origin::VARIABLE && value.contains("keygen"))
            );
            errors("warning: kemprof-handover-1/file\n");
            Ok(self.answer.clone())
        }
    }

    fn answer(output: &str, files: &[(&str, &str, &str)]) -> Scripted {
        let file = |&(folder, name, text): &(&str, &str, &str)| ((folder.to_owned(), name.to_owned()), text.to_owned());
        let files = files.iter().map(file).collect();
        Scripted { answer: Answer { output: output.to_owned(), status: 1, files }, asked: Vec::new() }
    }

    fn handover(words: &[&str], out: &Path, trace: &Path) -> Handover {
        let command: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let destination = |option, path: &Path, is_folder| Destination { option, path: path.to_owned(), is_folder };
        let destinations = vec![destination("--out", out, true), destination("--trace", trace, false)];
        let origin = Origin { command: command.clone(), ..Origin::default() };
        Handover::new(&command, "--target", destinations, origin)
    }

    #[test]
    fn the_command_line_goes_without_what_stays_here() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let (out, trace) = (folder.path().join("out"), folder.path().join("trace"));
        let ours = ["--out", "kemprof-handover-0", "--trace", "kemprof-handover-1/file"];
        for (words, kept, positional) in [
            (&["kemprof", "keygen", "x", "--target", "aarch64"][..], &["keygen", "x"][..], &[][..]),
            (
                &["kemprof", "-v", "keygen", "--target=aarch64", "--out=a b", "x", "--trace", "t", "--json"],
                &["-v", "keygen", "x", "--json"],
                &[],
            ),
            (
                &["kemprof", "keygen", "--out", "--target=y", "--hash", "a", "--", "--out"],
                &["keygen", "--hash", "a"],
                &["--", "--out"],
            ),
            (&["kemprof", "keygen", "x", "--outer", "--targets=1"], &["keygen", "x", "--outer", "--targets=1"], &[]),
        ] {
            let mut place = answer("", &[]);
            let _ = handover(words, &out, &trace).run(&mut place, &[], &mut |_| ()).expect("answers");
            assert_eq!(place.asked, [kept, &ours, positional].concat(), "{words:?}");
        }
    }

    #[test]
    fn files_and_words_come_to_where_the_user_wants_them() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let (out, trace) = (folder.path().join("new/out"), folder.path().join("trace"));
        let mut place = answer(
            "wrote kemprof-handover-0/a.svg and kemprof-handover-1/file\n",
            &[("kemprof-handover-0", "a.svg", "<svg/>"), ("kemprof-handover-1", "file", "[]")],
        );
        let mut said = String::new();
        let (text, status) = handover(&["kemprof", "keygen", "x"], &out, &trace)
            .run(&mut place, &[], &mut |line| said += line)
            .expect("answers");
        assert_eq!(text, format!("wrote {}/a.svg and {}\n", out.display(), trace.display()));
        assert_eq!((said, status), (format!("warning: {}\n", trace.display()), 1));
        let (text, _) =
            handover(&["kemprof", "keygen", "x"], &out, &trace).run(&mut place, &[], &mut |_| ()).expect("answers");
        assert!(text.ends_with("\n2 files of an earlier run were replaced or removed\n"), "{text}");
        let read = |path: &Path| std::fs::read_to_string(path).expect("was written");
        assert_eq!((read(&out.join("a.svg")), read(&trace)), ("<svg/>".to_owned(), "[]".to_owned()));
    }

    #[test]
    fn what_is_no_evidence_is_not_written_nor_anything_beside_it() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let (out, trace) = (folder.path().join("out"), folder.path().join("trace"));
        let files = [("kemprof-handover-0", "a.svg", "<svg/>"), ("kemprof-handover-0", "b.json", "{}")];
        let error = handover(&["kemprof", "keygen", "x"], &out, &trace)
            .run(&mut answer("", &files), &[], &mut |_| ())
            .expect_err("is no evidence");
        assert!(error.to_string().contains("b.json, which is no evidence"), "{error}");
        assert!(!out.exists(), "an empty folder is left");
    }
}
