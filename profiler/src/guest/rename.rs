//! Calls are caught in the assembly that the compiler gives: the definition of a watched function becomes `__real_NAME`, and every other
//! mention of it, in any file, `__wrap_NAME`. That holds for static functions, calls inside one file, and pointers to functions alike.

/// What was found of a function in one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Found {
    /// It is defined there.
    pub(super) defined: bool,
    /// A copy of it is defined there with other parameters, which calls go to instead.
    pub(super) cloned: bool,
    /// The compiler put it into one of its callers.
    pub(super) inlined: bool,
}

impl Found {
    /// What was found in two files.
    pub(super) const fn or(self, other: Self) -> Self {
        Self {
            defined: self.defined | other.defined,
            cloned: self.cloned | other.cloned,
            inlined: self.inlined | other.inlined,
        }
    }
}

/// Whether a line of gcc's report (`-fopt-info-inline-optimized`) says that a function was put into its caller:
/// `file.c:5:66: optimized:  Inlining name/0 into caller/1.`
pub(super) fn is_inlined(symbol: &str, line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| !matches!(*word, "Inlining" | "Inlined" | "inlined"));
    words.nth(1).is_some_and(|name| name.split('/').next() == Some(symbol))
}

/// Renames `symbols` in assembly text, and says what was found of each.
pub(super) fn rename(assembly: &str, symbols: &[&str]) -> (String, Vec<Found>) {
    let mut found = vec![Found::default(); symbols.len()];
    for line in assembly.lines() {
        let Some(label) =
            line.split(':').next().filter(|label| label.len() < line.len() && label.bytes().all(is_symbol))
        else {
            continue;
        };
        for (symbol, found) in symbols.iter().zip(&mut found) {
            found.defined |= label == *symbol;
            found.cloned |=
                label.strip_prefix(symbol).is_some_and(|rest| CLONES.iter().any(|clone| rest.starts_with(clone)));
        }
    }
    let defined: Vec<&str> =
        symbols.iter().zip(&found).filter(|(_, found)| found.defined).map(|(symbol, _)| *symbol).collect();
    let mut out = String::with_capacity(assembly.len() + 1024);
    for symbol in &defined {
        // A static function has to be found from the wrapper's file.
        out += &format!("\t.globl\t__real_{symbol}\n");
    }
    for line in assembly.split_inclusive('\n') {
        let defines = is_definition(line);
        let mut rest = line;
        while let Some(start) = rest.bytes().position(is_symbol) {
            let length = rest[start..].bytes().position(|byte| !is_symbol(byte)).unwrap_or(rest.len() - start);
            let word = &rest[start..start + length];
            out += &rest[..start];
            if symbols.contains(&word) {
                out += if defines && defined.contains(&word) { "__real_" } else { "__wrap_" };
            }
            out += word;
            rest = &rest[start + length..];
        }
        out += rest;
    }
    (out, found)
}

/// Suffixes of copies with other parameters, or of a part.
const CLONES: [&str; 4] = [".constprop.", ".isra.", ".part.", ".cold"];

const fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// Whether a line is about the symbol itself, not about a use of it.
fn is_definition(line: &str) -> bool {
    let line = line.trim_start();
    let directives =
        [".type", ".size", ".globl", ".global", ".local", ".hidden", ".weak", ".thumb_func", ".func", ".endfunc"];
    let word = line.split_whitespace().next().unwrap_or_default();
    word.ends_with(':') || directives.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\t.globl\tpubxof\n\t.type\tpubxof, @function\npubxof:\n\tcall\thelper\n\tcall\tother@PLT\n\tjmp\thelper2\n\
                        \t.size\tpubxof, .-pubxof\nhelper:\n\tleaq\tpubxof(%rip), %rax\n\tcall\tkeep.constprop.0\nkeep.constprop.0:\n";

    #[test]
    fn definitions_and_uses_part() {
        let (text, found) = rename(TEXT, &["pubxof", "helper", "other", "keep"]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.contains(&"__real_pubxof:") && lines.contains(&"__real_helper:"), "{text}");
        assert!(lines.contains(&"\tcall\t__wrap_helper") && lines.contains(&"\tcall\t__wrap_other@PLT"), "{text}");
        assert!(lines.contains(&"\t.type\t__real_pubxof, @function"), "{text}");
        assert!(lines.contains(&"\t.size\t__real_pubxof, .-__real_pubxof"), "{text}");
        assert!(lines.contains(&"\tleaq\t__wrap_pubxof(%rip), %rax") && lines.contains(&"\tjmp\thelper2"), "{text}");
        assert!(lines.contains(&"\t.globl\t__real_helper"), "{text}");
        let defined: Vec<bool> = found.iter().map(|found| found.defined).collect();
        assert_eq!((defined, found[3].cloned), (vec![true, true, false, false], true));
    }

    #[test]
    fn what_was_put_into_its_callers_is_read_from_the_report() {
        let line = "toy.c:5:66: optimized:  Inlining helper/0 into f/1.";
        assert!(is_inlined("helper", line) && !is_inlined("f", line) && !is_inlined("help", line));
        assert!(is_inlined("helper", "toy.c:5:66: optimized:   Inlined helper/24 into f/1 which now has time 8"));
        assert!(!is_inlined("helper", "toy.c:5:6: warning: helper is not used"));
    }

    #[test]
    fn what_is_not_watched_stays() {
        assert_eq!(rename(TEXT, &[]).0, TEXT);
    }
}
