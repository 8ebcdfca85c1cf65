//! What callgrind writes of each function (valgrind's manual, "Callgrind Format Specification"), as far as it is needed here: names
//! and positions written out, as [`Valgrind::follow_this_program`](super::Valgrind::follow_this_program) asks for.

/// What a function took itself on a line of the sources, called on one path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// Symbols of the functions, the outermost first.
    pub path: Vec<String>,
    /// The file; `???` where it is not known.
    pub file: String,
    /// The line in it, from 1; 0 where it is not known.
    pub line: u32,
    /// Instructions.
    pub instructions: u64,
}

/// The parts of callgrind's output in their order; `None` where it is not of the expected form.
#[must_use]
pub fn parts(text: &str) -> Option<Vec<Vec<Cost>>> {
    let mut parts: Vec<Vec<Cost>> = Vec::new();
    let (mut file, mut path) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("part:") {
            parts.push(Vec::new());
        } else if let Some((key, value)) = line.split_once('=') {
            match key {
                "fn" => path = callers(value),
                "fl" | "fi" | "fe" => value.clone_into(&mut file),
                // What a call took with all that it called stands on the next line: here only what functions take themselves counts.
                "calls" => drop(lines.next()?),
                _ => {}
            }
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let mut numbers = line.split_ascii_whitespace();
            let at = numbers.next()?.parse().ok()?;
            // Nothing is counted where nothing is written.
            let instructions = numbers.next().map_or(Some(0), |number| number.parse().ok())?;
            parts.last_mut()?.push(Cost { path: path.clone(), file: file.clone(), line: at, instructions });
        }
    }
    Some(parts)
}

/// The path of `function'caller'caller of that`, without the numbers that tell recursions apart.
fn callers(name: &str) -> Vec<String> {
    let names = name.split('\'').filter(|name| !name.bytes().all(|byte| byte.is_ascii_digit()));
    names.map(str::to_owned).rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
version: 1
creator: callgrind-3.19.0
part: 1

positions: line
events: Ir
summary: 19

ob=/usr/bin/kemprof
fl=/src/main.rs
fn=main
1 19

totals: 19

part: 2

fl=/src/main.rs
fn=keygen'main
10 5
cfi=/src/hash.rs
cfn=hash'keygen'main
calls=2 1
11 700
fi=/src/lib.rs
12 6

fl=/src/hash.rs
fn=hash'2'keygen'main
1 350
0
totals: 711
";

    #[test]
    fn what_functions_take_themselves_is_read_part_by_part() {
        let cost = |path: &[&str], file: &str, line, instructions| {
            let path = path.iter().map(|&name| name.to_owned()).collect();
            Cost { path, file: file.to_owned(), line, instructions }
        };
        let expected = vec![
            vec![cost(&["main"], "/src/main.rs", 1, 19)],
            vec![
                cost(&["main", "keygen"], "/src/main.rs", 10, 5),
                cost(&["main", "keygen"], "/src/lib.rs", 12, 6),
                cost(&["main", "keygen", "hash"], "/src/hash.rs", 1, 350),
                cost(&["main", "keygen", "hash"], "/src/hash.rs", 0, 0),
            ],
        ];
        assert_eq!(parts(TEXT), Some(expected));
    }

    #[test]
    fn what_is_of_another_form_is_refused() {
        for text in ["1 2\n", "part: 1\nfn=a\n1 two\n", "part: 1\nfn=a\n1-2 3\n", "part: 1\ncalls=1 1\n"] {
            assert_eq!(parts(text), None, "{text:?}");
        }
        assert_eq!(parts(""), Some(Vec::new()));
    }
}
