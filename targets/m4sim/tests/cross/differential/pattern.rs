//! Instructions as patterns of bits, and how one is filled with a random choice that the architecture predicts.

use super::random::Random;

/// A form of an instruction: 16 or 32 bits, written as `0`, `1`, `.` (any) or a letter of a field (spaces are ignored).
///
/// The fields `d`, `n`, `m`, `a`, `t` and `u` are registers, never sp or pc (in 3 bits: any of the low ones). Every other
/// letter may take any value. `holds` says which choices are predictable.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) bits: &'static str,
    pub(crate) holds: fn(&Fields) -> bool,
    /// Whether it may stand in an IT block.
    pub(crate) in_it: bool,
}

/// The values that a row's fields were given.
pub(crate) struct Fields(Vec<(char, u32)>);

impl Fields {
    /// The value of the field `letter`.
    ///
    /// # Panics
    /// When the row has no such field.
    pub(crate) fn get(&self, letter: char) -> u32 {
        self.find(letter).unwrap_or_else(|| panic!("no field {letter}"))
    }

    pub(crate) fn find(&self, letter: char) -> Option<u32> {
        self.0.iter().find(|(name, _)| *name == letter).map(|(_, value)| *value)
    }

    /// Whether one of the registers that may be written is `register`.
    fn writes(&self, register: u32) -> bool {
        ['d', 't', 'u'].iter().any(|&letter| self.find(letter) == Some(register))
    }
}

/// A row without conditions.
pub(crate) const fn row(name: &'static str, bits: &'static str) -> Row {
    Row { name, bits, holds: |_| true, in_it: true }
}

impl Row {
    /// The same with a condition.
    pub(crate) const fn when(self, holds: fn(&Fields) -> bool) -> Self {
        Self { holds, ..self }
    }

    /// The same, not for IT blocks.
    pub(crate) const fn not_in_it(self) -> Self {
        Self { in_it: false, ..self }
    }

    /// Appends a random instance to `code`, none that writes `spared`.
    pub(crate) fn emit(&self, random: &mut Random, spared: Option<u32>, code: &mut Vec<u16>) {
        let instance = self.instance(random, spared);
        push(code, instance.word, instance.bits);
    }

    /// A random instance.
    pub(crate) fn instance(&self, random: &mut Random, spared: Option<u32>) -> Instance {
        let pattern: Vec<char> = self.bits.chars().filter(|letter| *letter != ' ').collect();
        assert!(matches!(pattern.len(), 16 | 32), "{}: {} bits", self.name, pattern.len());
        loop {
            let (word, fields) = fill(&pattern, random);
            if (self.holds)(&fields) && spared.is_none_or(|register| !fields.writes(register)) {
                return Instance { word, bits: pattern.len(), fields };
            }
        }
    }
}

/// A row with its fields filled.
pub(crate) struct Instance {
    pub(crate) word: u32,
    pub(crate) bits: usize,
    pub(crate) fields: Fields,
}

/// Appends an instruction of 16 or 32 bits.
pub(crate) fn push(code: &mut Vec<u16>, word: u32, bits: usize) {
    if bits == 32 {
        code.push((word >> 16) as u16);
    }
    code.push(word as u16);
}

fn fill(pattern: &[char], random: &mut Random) -> (u32, Fields) {
    let mut fields: Vec<(char, u32)> = Vec::new();
    for &letter in pattern.iter().filter(|letter| letter.is_ascii_alphabetic()) {
        if fields.iter().any(|(name, _)| *name == letter) {
            continue;
        }
        let width = pattern.iter().filter(|other| **other == letter).count();
        let value = match (letter, width) {
            ('d' | 'n' | 'm' | 'a' | 't' | 'u', 4) => random.register(),
            _ => random.word() & (u32::MAX >> (32 - width)),
        };
        fields.push((letter, value));
    }
    let mut word = 0;
    let mut left = fields.clone();
    for &letter in pattern.iter().rev() {
        // From the right: each field gives its lowest bit first.
        let bit = match letter {
            '0' => 0,
            '1' => 1,
            '.' => random.word() >> 31,
            _ => {
                let field = left.iter_mut().find(|(name, _)| *name == letter).expect("collected above");
                let bit = field.1 & 1;
                field.1 >>= 1;
                bit
            }
        };
        word = (word >> 1) | (bit << 31);
    }
    (word >> (32 - pattern.len()), Fields(fields))
}
