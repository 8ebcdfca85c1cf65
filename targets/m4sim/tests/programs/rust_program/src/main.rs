//! A bare-metal Rust program of the usual kind (`cortex-m-rt`, semihosting): traits, sorting, formatting, wide integers,
//! floats, a SysTick handler, and a panic whose message is the last line.
#![no_std]
#![no_main]

use core::fmt::Write;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::{entry, exception};
use cortex_m_semihosting::{debug, hio, hprintln};

static TICKS: AtomicU32 = AtomicU32::new(0);

#[exception]
fn SysTick() {
    TICKS.fetch_add(1, Ordering::Relaxed);
}

trait Shape {
    fn area(&self) -> f32;
    fn name(&self) -> &'static str;
}

struct Circle(f32);
struct Rectangle(f32, f32);

impl Shape for Circle {
    fn area(&self) -> f32 {
        self.0 * self.0 * core::f32::consts::PI
    }
    fn name(&self) -> &'static str {
        "circle"
    }
}

impl Shape for Rectangle {
    fn area(&self) -> f32 {
        self.0 * self.1
    }
    fn name(&self) -> &'static str {
        "rectangle"
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0.rotate_left(29) ^ (self.0 >> 11)
    }
}

fn integers(random: &mut Random) -> u64 {
    let mut sum = 0_u64;
    for _ in 0..400 {
        let (a, b) = (random.next(), random.next() >> (random.next() % 60));
        let wide = u128::from(a) * u128::from(b | 1);
        sum = sum.wrapping_mul(31).wrapping_add((wide >> 64) as u64 ^ (wide % 1_000_000_007) as u64);
        sum ^= a.checked_div(b).unwrap_or(9).rotate_right(7) ^ u64::from(a.leading_zeros() + b.count_ones());
        sum = sum.wrapping_add((a as i64).wrapping_rem((b as i64) | 1) as u64);
        sum ^= u64::from((a as u16).saturating_sub(b as u16)) ^ u64::from((a as u32).swap_bytes().reverse_bits());
    }
    sum
}

#[entry]
fn main() -> ! {
    let mut random = Random(2024);
    hprintln!("integers {:016x}", integers(&mut random));

    let mut values = [0_u32; 500];
    values.fill_with(|| random.next() as u32);
    values.sort_unstable();
    let found = (0..200).filter(|_| values.binary_search(&(random.next() as u32)).is_ok()).count();
    hprintln!("sorted {} {} {} {}", values[0], values[250], values[499], found);
    values.sort_unstable_by_key(|value| value.reverse_bits());
    hprintln!("again {:?}", &values[..4]);

    let shapes: [&dyn Shape; 3] = [&Circle(1.5), &Rectangle(2.0, 0.3), &Circle(1e-20)];
    for shape in shapes {
        hprintln!("{} {:?} {:.3} {:e}", shape.name(), shape.area(), shape.area(), shape.area());
    }
    for text in ["1.25", "-3e7", "1e39", "bad", "0.1"] {
        hprintln!("{} -> {:?} {:?}", text, text.parse::<f32>(), text.parse::<f64>());
    }
    let words = "the quick brown fox jumps over the lazy dog";
    let longest = words.split(' ').max_by_key(|word| word.len());
    hprintln!("{:?} {:>8}|{:<8}|{:^8}|", longest, "right", "left", "mid");

    if let Some(mut core) = cortex_m::Peripherals::take() {
        core.SYST.set_clock_source(SystClkSource::Core);
        core.SYST.set_reload(1000);
        core.SYST.clear_current();
        core.SYST.enable_counter();
        core.SYST.enable_interrupt();
        while TICKS.load(Ordering::Relaxed) < 10 {}
        core.SYST.disable_interrupt();
        hprintln!("ten ticks");
    }
    let index = values.len() + found;
    hprintln!("{}", values[index]);
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    if let Ok(mut out) = hio::hstdout() {
        let _ = writeln!(out, "{}", info.message());
    }
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}
