//! JSON that people read: indented, but an array of numbers is one line, however many trials there are.

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};

/// The value as JSON text, without a final newline.
///
/// # Errors
/// When a map has keys that are no text, or a value refuses to be serialised.
pub fn pretty<T: Serialize>(value: &T) -> serde_json::Result<String> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, Lines::default()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The usual indented form, in which numbers that follow a bracket or a number stay on its line.
#[derive(Default)]
struct Lines<'a> {
    usual: PrettyFormatter<'a>,
    /// Whether an array's next value is about to come, and whether it is the first.
    next: Option<bool>,
    /// Whether the value before it was a number.
    after_number: bool,
}

impl Lines<'_> {
    /// Before a number of an array.
    fn number<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.after_number = true;
        if self.next.take() == Some(false) { writer.write_all(b", ") } else { Ok(()) }
    }

    /// Before any other value of an array.
    fn other<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.after_number = false;
        self.next.take().map_or(Ok(()), |first| self.usual.begin_array_value(writer, first))
    }
}

/// Methods of a formatter that write one value, after what comes before it.
macro_rules! values {
    ($($before:ident: $($method:ident($($value:ident: $type:ty)?)),*;)*) => {
        $($(fn $method<W: ?Sized + Write>(&mut self, writer: &mut W $(, $value: $type)?) -> io::Result<()> {
            self.$before(writer)?;
            self.usual.$method(writer $(, $value)?)
        })*)*
    };
}

impl Formatter for Lines<'_> {
    values! {
        number: write_i32(value: i32), write_i64(value: i64), write_u32(value: u32), write_u64(value: u64), write_f64(value: f64);
        other: write_null(), write_bool(value: bool), begin_string(), begin_object(), begin_array();
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, _writer: &mut W, first: bool) -> io::Result<()> {
        self.next = Some(first);
        Ok(())
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.usual.end_array_value(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if !std::mem::take(&mut self.after_number) {
            return self.usual.end_array(writer);
        }
        // The usual end goes to a line of its own.
        let mut end = Vec::new();
        self.usual.end_array(&mut end)?;
        writer.write_all(end.trim_ascii_start())
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.usual.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.usual.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.usual.end_object_value(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.after_number = false;
        self.usual.end_object(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn numbers_of_an_array_are_one_line_and_all_else_is_indented() {
        let value = json!({ "a": [1, -2, 3.5], "b": [], "c": [{ "d": [4] }, "e", [5, 6]], "f": 7, "g": [null, true] });
        let text = pretty(&value).expect("JSON");
        assert_eq!(
            text,
            r#"{
  "a": [1, -2, 3.5],
  "b": [],
  "c": [
    {
      "d": [4]
    },
    "e",
    [5, 6]
  ],
  "f": 7,
  "g": [
    null,
    true
  ]
}"#
        );
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), value);
        // Numbers and others in one array are the same JSON all the same.
        let mixed = json!([1, "x", 2, [], {}, 3]);
        assert_eq!(serde_json::from_str::<Value>(&pretty(&mixed).expect("JSON")).expect("JSON"), mixed);
    }
}
