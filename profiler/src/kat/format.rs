use super::nist;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// A text format of known answers: lines `NAME = VALUE`, one field each, in a fixed order for every record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The KAT file of the NGCC programme: ten records, each value after its length in bytes, an empty line after each
    /// record. All randomness comes from the DRNG of the suite.
    Ngcc,
    /// The responses of NIST's post-quantum project, of which "nistkat" is the first record: the values alone. All
    /// randomness comes from NIST's AES-256-CTR DRBG.
    NistKat,
}

/// A value of a record, given in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// What the record's generator is instantiated with.
    Seed,
    /// The encapsulation key.
    PublicKey,
    /// The decapsulation key.
    SecretKey,
    /// The ciphertext.
    Ciphertext,
    /// The shared secret.
    SharedSecret,
    /// The first 32 bytes that key generation draws.
    D,
    /// The second 32 bytes that key generation draws.
    Z,
    /// The 32 bytes that encapsulation draws.
    Message,
    /// A ciphertext that decapsulation rejects.
    RejectedCiphertext,
    /// What decapsulating it gives.
    RejectionSecret,
}

impl Value {
    /// The values of every published record, in their order.
    pub const ALL: [Self; 5] = [Self::Seed, Self::PublicKey, Self::SecretKey, Self::Ciphertext, Self::SharedSecret];

    /// Where it lies in what a record of NIST's format draws, if it is drawn.
    pub(super) const fn draw(self) -> Option<Range<usize>> {
        match self {
            Self::D => Some(0..32),
            Self::Z => Some(32..64),
            Self::Message => Some(64..96),
            _ => None,
        }
    }
}

/// A field of a record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Field {
    /// The number of the record, from 0.
    Count,
    /// The length in bytes of the value that follows.
    Length(Value),
    /// A value.
    Value(Value),
}

/// The fields of one record of a format, in order, with their names.
type Layout = &'static [(Field, &'static str)];

const NGCC: Layout = &[
    (Field::Count, "Count"),
    (Field::Length(Value::Seed), "Seed_Len"),
    (Field::Value(Value::Seed), "Seed"),
    (Field::Length(Value::PublicKey), "PK_Len"),
    (Field::Value(Value::PublicKey), "PK"),
    (Field::Length(Value::SecretKey), "SK_Len"),
    (Field::Value(Value::SecretKey), "SK"),
    (Field::Length(Value::Ciphertext), "CT_Len"),
    (Field::Value(Value::Ciphertext), "CT"),
    (Field::Length(Value::SharedSecret), "SS_Len"),
    (Field::Value(Value::SharedSecret), "SS"),
];

const NIST: Layout = &[
    (Field::Count, "count"),
    (Field::Value(Value::Seed), "seed"),
    (Field::Value(Value::PublicKey), "pk"),
    (Field::Value(Value::SecretKey), "sk"),
    (Field::Value(Value::Ciphertext), "ct"),
    (Field::Value(Value::SharedSecret), "ss"),
];

/// Values that records of NIST's format may have besides.
pub(super) const EXTRA: Layout = &[
    (Field::Value(Value::Z), "z"),
    (Field::Value(Value::D), "d"),
    (Field::Value(Value::Message), "msg"),
    (Field::Value(Value::RejectedCiphertext), "ct_n"),
    (Field::Value(Value::RejectionSecret), "ss_n"),
];

impl Format {
    /// Every format.
    pub const ALL: [Self; 2] = [Self::Ngcc, Self::NistKat];

    /// The name in manifests and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ngcc => "ngcc",
            Self::NistKat => "nistkat",
        }
    }

    /// The fields of a record, in order.
    pub(super) const fn layout(self) -> Layout {
        match self {
            Self::Ngcc => NGCC,
            Self::NistKat => NIST,
        }
    }

    /// The fields that a record may have, with those that published files do not have.
    pub(super) fn fields(self) -> impl Iterator<Item = &'static (Field, &'static str)> {
        let extra = match self {
            Self::Ngcc => &[],
            Self::NistKat => EXTRA,
        };
        self.layout().iter().chain(extra)
    }

    /// The name of a value; of one that the format does not have, nothing.
    #[must_use]
    pub fn value_name(self, value: Value) -> &'static str {
        self.fields().find(|(field, _)| *field == Field::Value(value)).map_or("", |(_, name)| name)
    }

    /// Bytes of a record's seed.
    #[must_use]
    pub const fn seed_bytes(self) -> usize {
        match self {
            Self::Ngcc => 64,
            Self::NistKat => nist::SEED,
        }
    }

    /// What the generator of the seeds is instantiated with.
    #[must_use]
    pub fn entropy(self) -> Vec<u8> {
        match self {
            Self::Ngcc => b"seed".repeat(16),
            Self::NistKat => nist::ENTROPY.to_vec(),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
