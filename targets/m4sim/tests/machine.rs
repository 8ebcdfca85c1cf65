//! The library as a user of it sees it, on images made here.

use m4sim::{Config, Event, FaultKind, Image, ImageError, Limits, Machine, Map, Watch};

/// A small ELF image: bytes at addresses, and functions.
struct Elf {
    segments: Vec<(u32, Vec<u8>)>,
    functions: Vec<(&'static str, u32, u32)>,
}

impl Elf {
    /// An image for MPS2: vectors at 0 (stack at 0x20001000, reset at 0x100) and code from 0x100 on.
    fn new(code: &[u16]) -> Self {
        let vectors = [0x2000_1000u32, 0x101].iter().flat_map(|w| w.to_le_bytes()).collect();
        Elf { segments: vec![(0, vectors), (0x100, halves(code))], functions: Vec::new() }
    }

    fn vector(self, number: u32, target: u32) -> Self {
        self.segment(4 * number, &(target | 1).to_le_bytes())
    }

    fn segment(mut self, address: u32, bytes: &[u8]) -> Self {
        self.segments.push((address, bytes.to_vec()));
        self
    }

    fn function(mut self, name: &'static str, address: u32, size: u32) -> Self {
        self.functions.push((name, address, size));
        self
    }

    /// ELF header, program headers, segments, symbols, strings, section headers (ELF for the Arm Architecture).
    fn bytes(&self) -> Vec<u8> {
        let (header, entry, section) = (52, 32, 40);
        let mut body: Vec<u8> = Vec::new();
        let mut programs = Vec::new();
        let start = header + entry * self.segments.len();
        for (address, bytes) in &self.segments {
            let at = (start + body.len()) as u32;
            let len = bytes.len() as u32;
            programs.extend([1, at, *address, *address, len, len, 5, 4].iter().flat_map(|w: &u32| w.to_le_bytes()));
            body.extend(bytes);
        }
        let mut strings = vec![0];
        let mut symbols = vec![0; 16];
        for (name, address, size) in &self.functions {
            symbols.extend([strings.len() as u32, address | 1, *size].iter().flat_map(|w| w.to_le_bytes()));
            symbols.extend([0x12, 0, 1, 0]); // global function of section 1
            strings.extend(name.bytes().chain([0]));
        }
        let symbols_at = (start + body.len()) as u32;
        body.extend(&symbols);
        let strings_at = (start + body.len()) as u32;
        body.extend(&strings);
        let sections_at = (start + body.len()) as u32;
        let sections: [[u32; 10]; 4] = [
            [0; 10],
            [0, 1, 6, 0, 0, 0x10000, 0, 0, 4, 0], // code
            [0, 2, 0, 0, symbols_at, symbols.len() as u32, 3, 1, 4, 16],
            [0, 3, 0, 0, strings_at, strings.len() as u32, 0, 0, 1, 0],
        ];
        let mut out = b"\x7FELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        out.extend([2u16, 40].iter().flat_map(|h| h.to_le_bytes()));
        out.extend([1, 0x101, header as u32, sections_at, 0x0500_0000].iter().flat_map(|w: &u32| w.to_le_bytes()));
        let counts = [header as u16, entry as u16, self.segments.len() as u16, section, sections.len() as u16, 3];
        out.extend(counts.iter().flat_map(|h| h.to_le_bytes()));
        out.extend(programs);
        out.extend(body);
        out.extend(sections.iter().flatten().flat_map(|w| w.to_le_bytes()));
        out
    }

    fn machine(&self) -> Machine {
        let image = Image::from_elf(&self.bytes()).expect("an image");
        Machine::new(&image, Config { keep_output: true, ..Config::default() }).expect("a machine")
    }
}

fn halves(code: &[u16]) -> Vec<u8> {
    code.iter().flat_map(|h| h.to_le_bytes()).collect()
}

/// movs r0, #0x18; ldr r1, =0x20026; bkpt 0xab; literal.
const EXIT: [u16; 6] = [0x2018, 0x4901, 0xBEAB, 0xBF00, 0x0026, 0x0002];

#[test]
fn runs_to_the_exit_and_counts() {
    let mut machine = Elf::new(&EXIT).machine();
    assert_eq!(machine.run(Limits::default()).expect("runs"), Event::Exit { status: 0 });
    let counters = machine.counters();
    assert_eq!((counters.cycles, counters.instructions, counters.refills), (3, 2, 0));
}

#[test]
fn limits_and_hooks_stop_and_go_on() {
    // nop; nop; b to itself
    let elf = Elf::new(&[0xBF00, 0xBF00, 0xE7FE]).function("reset", 0x100, 4).function("spin", 0x104, 2);
    let mut machine = elf.machine();
    assert_eq!(machine.hook_symbol("spin"), Some(0x104));
    assert_eq!(machine.hook_symbol("nothing"), None);
    for cycles in [2, 5, 8] {
        assert_eq!(machine.run(Limits::default()).expect("runs"), Event::Hook { address: 0x104 });
        assert_eq!(machine.counters().cycles, cycles, "the hooked branch costs 1 + P each time");
    }
    machine.unhook(0x104);
    let limits = Limits { cycles: Some(1000), time: None };
    assert_eq!(machine.run(limits).expect("runs"), Event::CycleLimit);
    let counters = machine.counters();
    assert!((1000..1003).contains(&counters.cycles), "{counters:?}");
    assert_eq!(counters.cycles_with_refill(1), counters.cycles - counters.refills);
    assert_eq!(counters.cycles_with_refill(3), counters.cycles + counters.refills);
}

#[test]
fn command_line_and_output() {
    // Code: r0 = 0x15 (SYS_GET_CMDLINE), r1 = 0x20000000; bkpt; r0 = 4 (SYS_WRITE0), r1 = the buffer; bkpt; exit.
    let mut code = vec![0x2015, 0x4904, 0xBEAB, 0x2004, 0x4903, 0xBEAB, 0x2018, 0x4903, 0xBEAB, 0xBF00];
    code.extend([0x0000, 0x2000, 0x0100, 0x2000, 0x0026, 0x0002]);
    let elf = Elf::new(&code).segment(0x2000_0000, &[0, 1, 0, 0x20, 64, 0, 0, 0]);
    let mut machine = elf.machine();
    machine.set_command_line("prog 1 two");
    assert_eq!(machine.run(Limits::default()).expect("runs"), Event::Exit { status: 0 });
    assert_eq!(machine.take_output().stdout, b"prog 1 two");
    assert_eq!(machine.memory(0x2000_0004, 4), Some(&[10, 0, 0, 0][..]), "length");
}

#[test]
fn faults_name_the_place() {
    let elf = Elf::new(&[0xBF00, 0xEE31, 0x0B02]).function("main", 0x100, 6);
    let fault = elf.machine().run(Limits::default()).expect_err("double-precision arithmetic");
    assert_eq!((fault.pc, fault.symbol.as_str(), fault.opcode.as_str()), (0x102, "main+0x2", "ee31 0b02"));
    assert!(matches!(fault.kind, FaultKind::Unknown { .. }));
    assert_eq!(fault.registers.r[13], 0x2000_1000);
    assert!(fault.to_string().contains("unknown opcode ee31 0b02"), "{fault}");
}

#[test]
fn bad_images_are_refused() {
    assert!(matches!(Image::from_elf(b"hello"), Err(ImageError::NotElf(_))));
    let mut other = Elf::new(&EXIT).bytes();
    other[18] = 62; // x86-64
    assert!(matches!(Image::from_elf(&other), Err(ImageError::WrongMachine { .. })));
    let mut object = Elf::new(&EXIT).bytes();
    object[16] = 1;
    assert!(matches!(Image::from_elf(&object), Err(ImageError::NotExecutable(_))));
    for len in [0, 20, 52, 60, 100] {
        assert!(Image::from_elf(&Elf::new(&EXIT).bytes()[..len]).is_err(), "cut to {len} bytes");
    }
    let config = Config { map: Map::Stm32F4, ..Config::default() };
    let image = Image::from_elf(&Elf::new(&EXIT).bytes()).expect("an image");
    assert!(matches!(Machine::new(&image, config), Err(ImageError::OutsideMemory { start: 0, .. })));
    let no_vectors = Elf { segments: vec![(0x100, halves(&EXIT))], functions: Vec::new() };
    let image = Image::from_elf(&no_vectors.bytes()).expect("an image");
    assert!(matches!(Machine::new(&image, Config::default()), Err(ImageError::NoVectors { .. })));
}

#[test]
fn what_is_wrong_with_a_vector_table_is_said() {
    for (sp, reset, reason) in [
        (0, 0, "linked for another board"),
        (0, 0x101, "stack pointer is 0"),
        (0x2000_1002, 0x101, "no multiple of 4"),
        (0x2000_1000, 0, "reset vector is 0"),
        (0x2000_1000, 0x100, "Arm state"),
        (0x2000_1000, 0x6000_0001, "no memory is"),
    ] {
        let vectors = [sp, reset].iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
        let elf = Elf { segments: vec![(0, vectors), (0x100, halves(&EXIT))], functions: Vec::new() };
        let image = Image::from_elf(&elf.bytes()).expect("an image");
        let error = Machine::new(&image, Config::default()).err().expect("no vector table").to_string();
        assert!(error.contains(reason) && error.contains(&format!("{sp:#010x}")), "{error}");
    }
}

/// A profile of a run to its end.
fn profile(elf: &Elf) -> (Vec<(String, u64)>, u64) {
    let mut machine = elf.machine();
    let watch = Watch::nothing().with_profile(machine.symbols());
    machine.watch(watch);
    machine.run(Limits { cycles: Some(10_000), time: None }).expect("runs");
    let watch = machine.take_watch().expect("watched");
    let profile = watch.profile().expect("profiled");
    assert_eq!(profile.total(), machine.counters().cycles, "self times sum to the total");
    (profile.folded(), machine.counters().cycles)
}

#[test]
fn profile_follows_calls_tail_calls_and_returns() {
    // reset: bl outer; exit. outer: push {lr}; bl leaf; pop {lr}; b tail. leaf: bx lr. tail: bx lr.
    let mut code = vec![0xF000, 0xF80E];
    code.extend(EXIT);
    code.resize(0x10, 0xBF00);
    code.extend([0xB500, 0xF000, 0xF805, 0xF85D, 0xEB04, 0xF000, 0xB805, 0xBF00]);
    code.extend([0x4770, 0xBF00, 0xBF00, 0xBF00, 0x4770]);
    let elf = Elf::new(&code)
        .function("reset", 0x100, 0x20)
        .function("outer", 0x120, 0x10)
        .function("leaf", 0x130, 2)
        .function("tail", 0x138, 2);
    let (folded, _) = profile(&elf);
    let expected = [
        ("reset", 1 + 2 + 3), // bl, and what the exit needs
        ("reset;outer", 2 + 3 + 2 + 3),
        ("reset;outer;leaf", 3),
        ("reset;tail", 3),
    ];
    assert_eq!(folded, expected.map(|(path, cycles)| (path.to_owned(), cycles)));
}

#[test]
fn profile_follows_jumps_back_into_callers() {
    // reset: bl outer; nop; nop; exit at 0x108. outer: push {lr}; bl inner. inner: add sp, #4; movw r0, #0x109; bx r0.
    let mut code = vec![0xF000, 0xF80E, 0xBF00, 0xBF00];
    code.extend(EXIT);
    code.resize(0x10, 0xBF00);
    code.extend([0xB500, 0xF000, 0xF805, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0xBF00]);
    code.extend([0xB001, 0xF240, 0x1009, 0x4700]);
    let elf = Elf::new(&code).function("reset", 0x100, 0x20).function("outer", 0x120, 0x10).function("inner", 0x130, 8);
    let (folded, _) = profile(&elf);
    let expected = [("reset", 3 + 3), ("reset;outer", 2 + 3), ("reset;outer;inner", 1 + 1 + 3)];
    assert_eq!(folded, expected.map(|(path, cycles)| (path.to_owned(), cycles)));
}

#[test]
fn sleep_goes_on_after_a_limit() {
    // SysTick with a reload of 9999 and its interrupt, set by the segment's words; wfi; b back to the wfi.
    // ldr r1, =SYST_CSR; ldr r0, =9999; str r0, [r1, #4]; movs r0, #7; str r0, [r1]; wfi; b .-2
    let code = [0x4904, 0x4805, 0x6048, 0x2007, 0x6008, 0xBF30, 0xE7FD, 0xBF00, 0xBF00, 0xBF00];
    let mut code = code.to_vec();
    code.extend([0xE010, 0xE000, 0x270F, 0x0000]);
    let elf = Elf::new(&code).vector(15, 0x140).segment(0x140, &halves(&[0x4770]));
    let mut machine = elf.machine();
    machine.hook(0x140);
    for cycles in [100, 5000] {
        let event = machine.run(Limits { cycles: Some(cycles), time: None }).expect("runs");
        assert_eq!((event, machine.counters().cycles), (Event::CycleLimit, cycles));
    }
    assert_eq!(machine.run(Limits::default()).expect("runs"), Event::Hook { address: 0x140 });
    let enabled = 2 + 1 + 1 + 1; // before the store that enables it: two paired loads, a store, a move
    assert_eq!(machine.counters().cycles, enabled + 10_000 + 12);
}

#[test]
fn profile_has_interrupts_below_what_they_interrupted() {
    // reset: pends PendSV through ICSR, then exits. The handler is at 0x140: bx lr.
    // ldr r1, =1 << 28; ldr r0, =ICSR; str r1, [r0]; nop; b over the literals.
    let mut code = vec![0x4902, 0x4803, 0x6001, 0xBF00, 0xE004, 0xBF00, 0x0000, 0x1000, 0xED04, 0xE000];
    code.extend(EXIT);
    code.resize(0x20, 0xBF00);
    code.push(0x4770);
    let elf = Elf::new(&code).vector(14, 0x140).function("reset", 0x100, 0x40).function("pendsv", 0x140, 2);
    let (folded, total) = profile(&elf);
    let handler = folded.iter().find(|(path, _)| path == "reset;pendsv").expect("the handler is a call");
    assert_eq!(handler.1, 12 + 1 + 2, "entry and its one branch");
    assert!(total > 12 + 3 + 12, "and the return is charged to the interrupted function");
}

#[test]
fn exceptions_cost_what_the_model_says() {
    // The handlers of interrupts 0 and 1 are bx lr. Both are pended at once through ISPR0.
    // movs r0, #3; ldr r1, =ISER0; str r0, [r1]; ldr r1, =ISPR0; str r0, [r1]; b to itself
    let code = [0x2003, 0x4902, 0x6008, 0x4902, 0x6008, 0xE7FE, 0xE100, 0xE000, 0xE200, 0xE000];
    let elf = Elf::new(&code).segment(0x140, &halves(&[0x4770])).vector(16, 0x140).vector(17, 0x140);
    let mut machine = elf.machine();
    machine.hook(0x140);
    machine.hook(0x10A);
    let mut at = Vec::new();
    for _ in 0..3 {
        let event = machine.run(Limits::default()).expect("runs");
        at.push((event, machine.counters().cycles));
    }
    let start = 1 + 2 + 1 + 2 + 1;
    let hook = |address| Event::Hook { address };
    assert_eq!(
        at,
        [(hook(0x140), start + 12), (hook(0x140), start + 12 + 3 + 6), (hook(0x10A), start + 12 + 3 + 6 + 3 + 12)],
        "entry, branch and tail-chain, branch and return"
    );
    assert_eq!(machine.registers().r[13], 0x2000_1000, "the stack is as before");
}
