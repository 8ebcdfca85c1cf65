use super::memory::kibibytes;
use super::{Origin, Tree};
use serde::{Deserialize, Serialize};
use std::env;

/// The system that the program runs in.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct System {
    /// The virtual machine's make (`KVM`, `Xen`, ...; `unknown` where only the processor says that there is one); none on
    /// real hardware.
    pub hypervisor: Option<String>,
    /// What runs the program's instructions in place of a processor: `qemu-user`, `valgrind`. Times then mean nothing.
    pub emulator: Option<String>,
    /// The board or product.
    pub product: Option<String>,
    /// `kernel.perf_event_paranoid`: 2 or less lets a program count its own events.
    pub perf_event_paranoid: Option<i32>,
    /// How many programs wanted to run, on average over the last 1, 5 and 15 minutes, at the start.
    pub load_average: Option<[f64; 3]>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
}

impl System {
    /// The system of this process, whose files are in `tree`.
    #[must_use]
    pub fn here(tree: &Tree) -> Self {
        let system = Self::read(tree, env::consts::ARCH, &env::var("LD_PRELOAD").unwrap_or_default());
        let by_register = || emulated_by_register(tree).then(|| QEMU_SYSTEM.to_owned());
        Self { emulator: Origin::declared().emulator.or(system.emulator).or_else(by_register), ..system }
    }

    /// Reads what `tree` says, for a program that was built for `arch` and finds `preload` in `LD_PRELOAD`.
    #[must_use]
    pub fn read(tree: &Tree, arch: &str, preload: &str) -> Self {
        Self {
            hypervisor: hypervisor(tree),
            emulator: emulator(tree, arch, preload),
            product: tree
                .text("sys/class/dmi/id/product_name")
                .or_else(|| tree.text("proc/device-tree/model"))
                .or_else(|| tree.text("sys/firmware/devicetree/base/model")),
            perf_event_paranoid: tree.number("proc/sys/kernel/perf_event_paranoid"),
            load_average: load_average(tree),
            memory_bytes: memory_bytes(tree),
        }
    }
}

/// What evidence calls QEMU in user mode.
pub const QEMU_USER: &str = "qemu-user";
/// What it calls QEMU with a kernel of its own.
pub const QEMU_SYSTEM: &str = "qemu-system";
/// What it calls valgrind.
pub const VALGRIND: &str = "valgrind";

/// The distribution's name, e.g. `Debian GNU/Linux 12 (bookworm)`.
#[must_use]
pub(super) fn os(tree: &Tree) -> Option<String> {
    let text = tree.text("etc/os-release").or_else(|| tree.text("usr/lib/os-release"))?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches(['"', '\'']).to_owned())
}

/// The kernel, e.g. `Linux 6.1.0-18-amd64`.
#[must_use]
pub(super) fn kernel(tree: &Tree) -> Option<String> {
    let release = tree.text("proc/sys/kernel/osrelease")?;
    Some(format!("{} {release}", tree.text("proc/sys/kernel/ostype").unwrap_or_else(|| "Linux".to_owned())))
}

fn load_average(tree: &Tree) -> Option<[f64; 3]> {
    let text = tree.text("proc/loadavg")?;
    let mut loads = text.split_whitespace().map(str::parse);
    Some([loads.next()?.ok()?, loads.next()?.ok()?, loads.next()?.ok()?])
}

fn memory_bytes(tree: &Tree) -> Option<u64> {
    kibibytes(&tree.field("proc/meminfo", "MemTotal")?)
}

/// Clock sources that only a guest of the named hypervisor has.
const PARAVIRTUAL_CLOCKS: [(&str, &str); 4] =
    [("kvm-clock", "KVM"), ("hyperv", "Hyper-V"), ("xen", "Xen"), ("vmware", "VMware")];
/// Products and vendors of firmware that only virtual machines have.
const VIRTUAL_PRODUCTS: [(&str, &str); 8] = [
    ("KVM", "KVM"),
    ("QEMU", "QEMU"),
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("HVM domU", "Xen"),
    ("Virtual Machine", "Hyper-V"),
];

fn hypervisor(tree: &Tree) -> Option<String> {
    if let Some(kind) = tree.text("sys/hypervisor/type") {
        return Some(kind);
    }
    if let Some(compatible) = tree.text("proc/device-tree/hypervisor/compatible") {
        return Some(compatible);
    }
    let flagged = tree.has_cpu_flag("hypervisor");
    let name = |known: &[(&str, &str)], text: &str| {
        known.iter().find(|(sign, _)| text.contains(sign)).map(|&(_, name)| name.to_owned())
    };
    let product = tree.text("sys/class/dmi/id/product_name").unwrap_or_default();
    // Amazon's bare metal instances have its products, too; they end in `.metal` and lack the flag.
    let product = if product.ends_with(".metal") { String::new() } else { product };
    let vendor = tree.text("sys/class/dmi/id/sys_vendor").unwrap_or_default();
    let clocks = tree.text("sys/devices/system/clocksource/clocksource0/available_clocksource").unwrap_or_default();
    let named = name(&VIRTUAL_PRODUCTS, &product)
        .or_else(|| name(&VIRTUAL_PRODUCTS, &vendor).filter(|_| !product.is_empty()))
        .or_else(|| name(&PARAVIRTUAL_CLOCKS, &clocks));
    named.or_else(|| flagged.then(|| "unknown".to_owned()))
}

/// Whether the machine is QEMU's `virt`, be its processor emulated or, under KVM, the real one. An emulated one that is not modelled on
/// any real one has implementer 0, which Arm gives to nobody (MIDR_EL1, Arm Architecture Reference Manual, D19.2).
fn is_virt_machine(tree: &Tree) -> bool {
    let compatible = tree.text("proc/device-tree/compatible");
    compatible.is_some_and(|compatible| compatible.contains("linux,dummy-virt"))
}

/// Whether a register tells of an emulator: the timer of a processor that QEMU models on a real one runs at a rate of QEMU's own.
#[cfg(target_arch = "aarch64")]
fn emulated_by_register(tree: &Tree) -> bool {
    /// Of every processor model before QEMU 9 (`GTIMER_SCALE` is 16 ns), and of older models since. No hardware is known to have it.
    const QEMU_TIMER_HZ: u64 = 1_000_000_000 / 16;
    is_virt_machine(tree) && super::timer_hz() == QEMU_TIMER_HZ
}

/// Whether a register tells of an emulator: the processor says that QEMU's code generator is its hypervisor.
#[cfg(target_arch = "x86_64")]
fn emulated_by_register(_tree: &Tree) -> bool {
    use std::arch::x86_64::__cpuid;
    /// The leaf with a hypervisor's signature, and QEMU's where no hypervisor runs the code (its `target/i386/cpu.c`).
    const LEAF: u32 = 0x4000_0000;
    const SIGNATURE: [&[u8; 4]; 3] = [b"TCGT", b"CGTC", b"GTCG"];
    let leaf = __cpuid(LEAF);
    [leaf.ebx, leaf.ecx, leaf.edx].map(u32::to_le_bytes) == SIGNATURE.map(|part| *part)
}

#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
fn emulated_by_register(_tree: &Tree) -> bool {
    false
}

fn emulator(tree: &Tree, arch: &str, preload: &str) -> Option<String> {
    if preload.contains("vgpreload") {
        return Some(VALGRIND.to_owned());
    }
    // To the kernel the process is the emulator, which passes this file on as it is. It may be of the machine's own architecture.
    if tree.text("proc/self/comm").is_some_and(|name| name.starts_with("qemu-")) {
        return Some(QEMU_USER.to_owned());
    }
    if is_virt_machine(tree) && tree.field("proc/cpuinfo", "CPU implementer").is_some_and(|code| code == "0x00") {
        return Some(QEMU_SYSTEM.to_owned());
    }
    // The kernel says what it was built for, whatever an emulator in user mode tells of the processor; before Linux 6.1 it
    // does not, but there only x86 has flags.
    let kernel = tree.text("proc/sys/kernel/arch");
    let kernel = kernel.or_else(|| tree.field("proc/cpuinfo", "flags").map(|_| "x86_64".to_owned()))?;
    // A program for the 32-bit sibling runs on the processor itself.
    let native = kernel == arch || matches!((kernel.as_str(), arch), ("x86_64", "x86") | ("aarch64", "arm"));
    (!native).then(|| QEMU_USER.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::fixture::Fixture;

    fn system(files: &[(&str, &str)], arch: &str) -> System {
        System::read(&Fixture::new(files).tree(), arch, "")
    }

    const CLOCKS: &str = "sys/devices/system/clocksource/clocksource0/available_clocksource";
    const PRODUCT: &str = "sys/class/dmi/id/product_name";
    const VENDOR: &str = "sys/class/dmi/id/sys_vendor";

    #[test]
    fn a_machine_says_what_it_is() {
        let files = [
            ("proc/loadavg", "0.82 0.70 0.34 1/97 17135\n"),
            ("proc/meminfo", "MemTotal:       24684092 kB\nMemFree: 1 kB\n"),
            ("proc/sys/kernel/perf_event_paranoid", "-1\n"),
            (PRODUCT, "Some Server\n"),
        ];
        let expected = System {
            hypervisor: None,
            emulator: None,
            product: Some("Some Server".to_owned()),
            perf_event_paranoid: Some(-1),
            load_average: Some([0.82, 0.70, 0.34]),
            memory_bytes: Some(24_684_092 * 1024),
        };
        assert_eq!(system(&files, "x86_64"), expected);
        assert_eq!(system(&[], "x86_64"), System::default());
    }

    #[test]
    fn os_and_kernel_have_names() {
        let fixture = Fixture::new(&[
            ("etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            ("proc/sys/kernel/ostype", "Linux\n"),
            ("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"),
        ]);
        assert_eq!(os(&fixture.tree()).as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(kernel(&fixture.tree()).as_deref(), Some("Linux 6.1.0-18-amd64"));
        assert_eq!(kernel(&Fixture::new(&[]).tree()), None);
    }

    #[test]
    fn hypervisors_give_themselves_away() {
        let flag = ("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n");
        let hypervisor = |files: &[(&str, &str)]| system(files, "x86_64").hypervisor;
        assert_eq!(hypervisor(&[flag, (CLOCKS, "tsc kvm-clock acpi_pm")]).as_deref(), Some("KVM"));
        assert_eq!(hypervisor(&[flag]).as_deref(), Some("unknown"));
        assert_eq!(hypervisor(&[("sys/hypervisor/type", "xen\n")]).as_deref(), Some("xen"));
        assert_eq!(
            hypervisor(&[("proc/device-tree/hypervisor/compatible", "linux,kvm\0")]).as_deref(),
            Some("linux,kvm")
        );
        let amazon = [(VENDOR, "Amazon EC2"), (PRODUCT, "m7g.large")];
        assert_eq!(hypervisor(&amazon).as_deref(), Some("Amazon EC2"));
        assert_eq!(hypervisor(&[(VENDOR, "Amazon EC2"), (PRODUCT, "m7g.metal")]), None);
        assert_eq!(hypervisor(&[(PRODUCT, "Virtual Machine")]).as_deref(), Some("Hyper-V"));
        assert_eq!(hypervisor(&[(CLOCKS, "tsc hpet acpi_pm"), (PRODUCT, "Precision 3660")]), None);
    }

    #[test]
    fn a_machine_of_qemus_gives_itself_away() {
        let virt = ("proc/device-tree/compatible", "linux,dummy-virt\0");
        let processor = |implementer: &'static str| ("proc/cpuinfo", implementer);
        let native = ("proc/sys/kernel/arch", "aarch64\n");
        let of = |files: &[(&str, &str)]| system(files, "aarch64").emulator;
        let nobody = processor("CPU implementer\t: 0x00\n");
        assert_eq!(of(&[virt, nobody, native]).as_deref(), Some("qemu-system"));
        // Under KVM the same machine has a real processor, and real ones of nobody are elsewhere.
        assert_eq!(of(&[virt, processor("CPU implementer\t: 0x41\n"), native]), None);
        assert_eq!(of(&[nobody, native]), None);
    }

    #[test]
    fn emulators_give_themselves_away() {
        let kernel = ("proc/sys/kernel/arch", "x86_64\n");
        assert_eq!(system(&[kernel], "aarch64").emulator.as_deref(), Some("qemu-user"));
        assert_eq!(system(&[kernel], "x86_64").emulator, None);
        assert_eq!(system(&[("proc/sys/kernel/arch", "aarch64")], "aarch64").emulator, None);
        assert_eq!(system(&[("proc/sys/kernel/arch", "aarch64")], "arm").emulator, None);
        let older = ("proc/cpuinfo", "processor : 0\nflags : fpu\n");
        assert_eq!(system(&[older], "aarch64").emulator.as_deref(), Some("qemu-user"));
        let arm = ("proc/cpuinfo", "processor : 0\nFeatures : asimd\n");
        assert_eq!(system(&[arm], "aarch64").emulator, None);
        let own = [kernel, ("proc/self/comm", "qemu-x86_64-sta\n")];
        assert_eq!(system(&own, "x86_64").emulator.as_deref(), Some("qemu-user"));
        assert_eq!(system(&[kernel, ("proc/self/comm", "kemprof\n")], "x86_64").emulator, None);
        let valgrind =
            System::read(&Fixture::new(&[kernel]).tree(), "x86_64", "/usr/libexec/valgrind/vgpreload_core.so");
        assert_eq!(valgrind.emulator.as_deref(), Some("valgrind"));
    }
}
