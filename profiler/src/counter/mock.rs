use super::Schedule;
use kemprof_core::Counter;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A counter that reads out a script, for tests of everything that reads counters. When the script ends it keeps giving
/// the last value. Clones share the script, as clones of a real counter share the hardware.
#[derive(Clone)]
pub struct Mock(Rc<RefCell<Script>>);

struct Script {
    values: Box<dyn Iterator<Item = u64>>,
    value: u64,
    schedules: Box<dyn Iterator<Item = Schedule>>,
}

impl Mock {
    /// A counter that gives these values, one a reading: a list, or an endless iterator such as `(0..).step_by(10)`.
    pub fn new<I: IntoIterator<Item = u64>>(values: I) -> Self
    where
        I::IntoIter: 'static,
    {
        Self::multiplexed(values, [])
    }

    /// The same, and these schedules, one each time that one is asked for.
    pub fn multiplexed<I, S>(values: I, schedules: S) -> Self
    where
        I: IntoIterator<Item = u64>,
        I::IntoIter: 'static,
        S: IntoIterator<Item = Schedule>,
        S::IntoIter: 'static,
    {
        let (values, schedules) = (Box::new(values.into_iter()), Box::new(schedules.into_iter()));
        Self(Rc::new(RefCell::new(Script { values, value: 0, schedules })))
    }

    /// The next schedule of the script.
    pub fn schedule(&mut self) -> Option<Schedule> {
        self.0.borrow_mut().schedules.next()
    }
}

impl Counter for Mock {
    fn read(&mut self) -> u64 {
        let script = &mut *self.0.borrow_mut();
        script.value = script.values.next().unwrap_or(script.value);
        script.value
    }
}

impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mock").field("value", &self.0.borrow().value).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_script_and_its_end_stays() {
        let mut mock = Mock::new([3, 5]);
        let mut clone = mock.clone();
        assert_eq!([mock.read(), clone.read(), mock.read(), clone.read()], [3, 5, 5, 5]);
    }
}
