use crate::hex;
use crate::request::{FormWord, form, role};
use crate::words::{WordError, Words, number};
use core::fmt;
use kemprof_core::ProbeCost;
use kemprof_core::recorder::{CallKey, Key, NODES, Node};
use kemprof_core::{Phase, Symmetric};

/// A row of the recorder's table as a line has it: functions by name alone.
#[derive(Clone, Copy, Debug)]
pub struct NodeLine<'a> {
    node: Node,
    /// The function that ran and its permutation, for calls.
    function: Option<(&'a str, &'a str)>,
}

impl From<&Node> for NodeLine<'_> {
    fn from(node: &Node) -> Self {
        Self { node: *node, function: node.function.map(|function| (function.name, function.permutation)) }
    }
}

impl fmt::Display for NodeLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Node { calls, ticks, min, max, used_bits, permutations, interval_shares, call_shares, lanes, .. } =
            self.node;
        write!(f, "parent={} ", self.node.parent())?;
        match self.node.key {
            Key::Root => return f.write_str("root"),
            Key::Phase(phase) => write!(f, "phase={phase}")?,
            Key::Call(CallKey { role, form, in_bytes, out_bytes, .. }) => {
                let (function, permutation) = self.function.unwrap_or_default();
                write!(f, "call={role} form={} in={in_bytes} out={out_bytes} ", FormWord(form))?;
                write!(f, "function={function} permutation={permutation}")?;
            }
        }
        let ProbeCost { interval_inside, interval_outside, call_outside, lane_outside } = self.node.cost;
        write!(
            f,
            " calls={calls} ticks={ticks} min={min} max={max} used={used_bits} permutations={permutations} \
             intervals={interval_shares} shares={call_shares} lanes={lanes} inside={:08x} again={:08x} opening={:08x} lane={:08x}",
            interval_inside.to_bits(),
            interval_outside.to_bits(),
            call_outside.to_bits(),
            lane_outside.to_bits()
        )
    }
}

impl<'a> NodeLine<'a> {
    pub(crate) fn parse(words: &mut Words<'a>) -> Result<Self, WordError> {
        let row = |text: &str| number(text).filter(|row| *row < NODES);
        let parent = words.field("parent=", row)?;
        let (key, function) = match words.word("root, phase= or call=")? {
            "root" => return Ok(Self { node: Node::under(parent, Key::Root), function: None }),
            word => match word.split_once('=') {
                Some(("phase", name)) => (Key::Phase(named(phase(name), "a phase", name)?), None),
                Some(("call", name)) => {
                    let key = CallKey {
                        own: 0,
                        role: named(role(name), "a role", name)?,
                        form: words.field("form=", form)?,
                        in_bytes: words.number("in=")?,
                        out_bytes: words.number("out=")?,
                    };
                    (Key::Call(key), Some((words.field("function=", some)?, words.field("permutation=", some)?)))
                }
                _ => return Err(WordError::unexpected("root, phase= or call=", word)),
            },
        };
        let mut node = Node::under(parent, key);
        node.calls = words.number("calls=")?;
        node.ticks = words.number("ticks=")?;
        node.min = words.number("min=")?;
        node.max = words.number("max=")?;
        node.used_bits = words.number("used=")?;
        node.permutations = words.number("permutations=")?;
        node.interval_shares = words.number("intervals=")?;
        node.call_shares = words.number("shares=")?;
        node.lanes = words.number("lanes=")?;
        node.cost = ProbeCost {
            interval_inside: words.field("inside=", bits)?,
            interval_outside: words.field("again=", bits)?,
            call_outside: words.field("opening=", bits)?,
            lane_outside: words.field("lane=", bits)?,
        };
        Ok(Self { node, function })
    }

    /// The row itself, its function being that of `suite`; `None` when the line names another.
    #[must_use]
    pub fn node<S: Symmetric>(&self, suite: &S) -> Option<Node> {
        let mut node = self.node;
        if let Key::Call(CallKey { role, form, .. }) = node.key {
            let function = suite.function(form, role);
            node.function = (self.function == Some((function.name, function.permutation))).then_some(function);
            node.function?;
        }
        Some(node)
    }
}

fn phase(name: &str) -> Option<Phase> {
    Phase::ALL.iter().copied().find(|phase| phase.name() == name)
}

/// A finite number by its bits in hexadecimal.
fn bits(text: &str) -> Option<f32> {
    hex::array(text).map(|bytes| f32::from_bits(u32::from_be_bytes(bytes))).filter(|number| number.is_finite())
}

fn some(value: &str) -> Option<&str> {
    Some(value)
}

fn named<T>(found: Option<T>, expected: &'static str, name: &str) -> Result<T, WordError> {
    found.ok_or_else(|| WordError::unexpected(expected, name))
}
