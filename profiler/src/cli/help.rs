//! The command line with what `--help` shows of it: options in groups, closing texts in the terminal's width.

use super::Cli;
use crate::render::layout::{self, wrap_line};
use clap::{Arg, Command, CommandFactory};

/// Options by what they are about. Others stand under "Options".
const GROUPS: [(&str, &[&str]); 3] = [
    (
        "What to run",
        &[
            "hash", "xof", "prf", "drng", "sampling", "seed", "op", "backend", "instance", "function", "length", "all",
            "check", "acvp",
        ],
    ),
    ("How to measure", &["trials", "iterations", "warmups", "counter", "events", "cpu", "processes", "quick"]),
    ("Output", &["out", "json", "profile", "trace", "write", "count"]),
];

/// Columns of help where it goes to no terminal, and at most: longer lines are hard to read.
const WIDEST: usize = 100;

/// The command line.
#[must_use]
pub fn command() -> Command {
    let width = layout::width().map_or(WIDEST, |width| width.min(WIDEST));
    prepared(Cli::command().term_width(width), width)
}

fn prepared(mut command: Command, width: usize) -> Command {
    if let Some(text) = command.get_after_help().map(ToString::to_string) {
        command = command.after_help(reflowed(&text, width));
    }
    command.mut_args(grouped).mut_subcommands(|command| prepared(command, width))
}

fn grouped(arg: Arg) -> Arg {
    let group = GROUPS.iter().find(|(_, ids)| !arg.is_positional() && ids.contains(&arg.get_id().as_str()));
    match group {
        Some((heading, _)) => arg.help_heading(*heading),
        None => arg,
    }
}

/// A text whose paragraphs and entries (`  word   what it means`) are each put into lines of `width` once, wherever they were
/// broken before.
fn reflowed(text: &str, width: usize) -> String {
    let mut paragraphs: Vec<(String, usize)> = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let continues = paragraphs.last().is_some_and(|(before, hanging)| {
            let ended = before.is_empty() || before.ends_with(':') || line.is_empty();
            !ended && (indent == *hanging && (*hanging == 0 || indent > 2))
        });
        match paragraphs.last_mut() {
            Some((before, _)) if continues => {
                before.push(' ');
                before.push_str(line.trim_start());
            }
            _ => paragraphs.push((line.to_owned(), hanging(line, indent))),
        }
    }
    let lines: Vec<String> = paragraphs.iter().map(|(line, hanging)| wrap_line(line, width, *hanging)).collect();
    lines.join("\n")
}

/// The column in which an entry's meaning stands: after two blanks that follow its word; of other lines, where they begin.
fn hanging(line: &str, indent: usize) -> usize {
    let entry = line[indent..].find("  ").filter(|_| indent > 0);
    entry.map_or(indent, |gap| {
        let meaning = &line[indent + gap..];
        line[..indent + gap].chars().count() + meaning.len() - meaning.trim_start().len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_texts_are_broken_once() {
        let text = "A line that was\nbroken.\n\nExamples:\n  key   a meaning that\n        goes on\n  other";
        assert_eq!(reflowed(text, 80), "A line that was broken.\n\nExamples:\n  key   a meaning that goes on\n  other");
        assert_eq!(
            reflowed(text, 20),
            "A line that was\nbroken.\n\nExamples:\n  key   a meaning\n        that goes on\n  other"
        );
    }

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }
}
