use super::Tree;
use super::cpuinfo::CpuInfo;
use serde::{Deserialize, Serialize};

/// The processor, and the core of it that figures come from.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Processor {
    /// Logical cores that are online.
    pub cores_online: Option<usize>,
    /// The logical core that the program runs on.
    pub core: usize,
    /// Whether it is kept there.
    pub pinned: bool,
    /// Whether the kernel keeps other programs off this core.
    pub isolated: bool,
    /// The kind of this core, where the processor has several.
    pub core_kind: Option<String>,
    /// Other logical cores on the same physical core, as far as the system knows. A virtual machine may not.
    pub siblings: Vec<usize>,
    /// Whether simultaneous multithreading is on, as far as the system knows.
    pub smt: Option<bool>,
    /// What chooses the frequency: `performance`, `powersave`, `schedutil`, ...
    pub governor: Option<String>,
    /// The core's frequency now, in kHz, as the kernel has it.
    pub frequency_khz: Option<u64>,
    /// The highest frequency of the core, in kHz.
    pub frequency_max_khz: Option<u64>,
    /// The frequency that the processor states in general, in MHz. In a virtual machine often that of its time stamp
    /// counter.
    pub stated_mhz: Option<f64>,
    /// Whether the core may run faster than its base frequency while it is cool: turbo, boost.
    pub boost: Option<bool>,
    /// The version of the microcode.
    pub microcode: Option<String>,
    /// Of the features that code of kemprof asks for, those that the processor has.
    #[serde(default)]
    pub features: Vec<String>,
}

/// Cores of one kind in a processor that has several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreKind {
    /// What it is called.
    pub name: String,
    /// Its logical cores, in ascending order.
    pub cores: Vec<usize>,
}

impl Processor {
    /// Reads what `tree` says of `core`.
    #[must_use]
    pub fn read(tree: &Tree, core: usize, pinned: bool) -> Self {
        let info = CpuInfo::read(tree);
        let of_core = |path: &str| format!("sys/devices/system/cpu/cpu{core}/{path}");
        let kinds = core_kinds(tree);
        let mut siblings = tree.list(&of_core("topology/thread_siblings_list")).unwrap_or_default();
        siblings.retain(|&other| other != core);
        Self {
            cores_online: tree.list("sys/devices/system/cpu/online").map(|cores| cores.len()),
            core,
            pinned,
            isolated: isolated_cores(tree).contains(&core),
            core_kind: kinds.into_iter().find(|kind| kind.cores.contains(&core)).map(|kind| kind.name),
            siblings,
            smt: tree.number::<u8>("sys/devices/system/cpu/smt/active").map(|active| active != 0),
            governor: tree.text(&of_core("cpufreq/scaling_governor")),
            frequency_khz: tree.number(&of_core("cpufreq/scaling_cur_freq")),
            frequency_max_khz: tree.number(&of_core("cpufreq/cpuinfo_max_freq")),
            stated_mhz: info.get(core, "cpu MHz").and_then(|mhz| mhz.parse().ok()),
            boost: boost(tree),
            microcode: info.get(core, "microcode").map(str::to_owned),
            features: features(),
        }
    }
}

/// The features that backends and vectorised arithmetic of core ask for, as far as the processor has them.
fn features() -> Vec<String> {
    macro_rules! present {
        ($has:ident: $($name:tt)*) => {
            [$(($name, std::arch::$has!($name))),*]
        };
    }
    #[cfg(target_arch = "x86_64")]
    let known = present!(is_x86_feature_detected: "sse2" "sse4.1" "popcnt" "avx2" "avx512f" "avx512vl");
    #[cfg(target_arch = "aarch64")]
    let known = present!(is_aarch64_feature_detected: "neon" "sha3" "sm4");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let known: [(&str, bool); 0] = [];
    known.into_iter().filter(|(_, has)| *has).map(|(name, _)| name.to_owned()).collect()
}

/// The processor's name, as `core` has it.
#[must_use]
pub(super) fn model(tree: &Tree, core: usize) -> Option<String> {
    CpuInfo::read(tree).model(core)
}

fn boost(tree: &Tree) -> Option<bool> {
    let intel = tree.number::<u8>(NO_TURBO).map(|disabled| disabled == 0);
    intel.or_else(|| tree.number::<u8>(BOOST).map(|enabled| enabled != 0))
}

/// Intel's switch, 1 for off.
pub(super) const NO_TURBO: &str = "sys/devices/system/cpu/intel_pstate/no_turbo";
/// Everyone else's, 1 for on.
pub(super) const BOOST: &str = "sys/devices/system/cpu/cpufreq/boost";

/// Cores that the kernel was told to keep free (`isolcpus`).
#[must_use]
pub fn isolated_cores(tree: &Tree) -> Vec<usize> {
    tree.list("sys/devices/system/cpu/isolated").unwrap_or_default()
}

/// The kinds of cores, the fastest first; empty where all are alike.
///
/// Intel's hybrids have a performance monitoring unit for each kind; on Arm the kernel gives each core a capacity, 1024
/// for the fastest.
#[must_use]
pub fn core_kinds(tree: &Tree) -> Vec<CoreKind> {
    let intel = [("performance", "sys/devices/cpu_core/cpus"), ("efficiency", "sys/devices/cpu_atom/cpus")];
    let kinds: Vec<_> = intel
        .into_iter()
        .filter_map(|(name, path)| Some(CoreKind { name: name.to_owned(), cores: tree.list(path)? }))
        .collect();
    if kinds.len() > 1 {
        return kinds;
    }
    by_capacity(tree)
}

fn by_capacity(tree: &Tree) -> Vec<CoreKind> {
    let mut kinds: Vec<(u32, Vec<usize>)> = Vec::new();
    for core in tree.list("sys/devices/system/cpu/online").unwrap_or_default() {
        let Some(capacity) = tree.number(&format!("sys/devices/system/cpu/cpu{core}/cpu_capacity")) else { continue };
        match kinds.iter_mut().find(|(known, _)| *known == capacity) {
            Some((_, cores)) => cores.push(core),
            None => kinds.push((capacity, vec![core])),
        }
    }
    if kinds.len() < 2 {
        return Vec::new();
    }
    kinds.sort_by_key(|&(capacity, _)| std::cmp::Reverse(capacity));
    kinds.into_iter().map(|(capacity, cores)| CoreKind { name: format!("capacity {capacity}"), cores }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::fixture::Fixture;

    const CORE3: &str = "sys/devices/system/cpu/cpu3";

    #[test]
    fn a_desktop_says_all() {
        let fixture = Fixture::new(&[
            ("proc/cpuinfo", "processor : 3\nmodel name : X\ncpu MHz : 3400.5\nmicrocode : 0x42\n"),
            ("sys/devices/system/cpu/online", "0-7\n"),
            ("sys/devices/system/cpu/isolated", "2-3\n"),
            ("sys/devices/system/cpu/smt/active", "1\n"),
            (&format!("{CORE3}/topology/thread_siblings_list"), "3,7\n"),
            (&format!("{CORE3}/cpufreq/scaling_governor"), "powersave\n"),
            (&format!("{CORE3}/cpufreq/scaling_cur_freq"), "800000\n"),
            (&format!("{CORE3}/cpufreq/cpuinfo_max_freq"), "4900000\n"),
            (NO_TURBO, "0\n"),
        ]);
        let processor = Processor::read(&fixture.tree(), 3, true);
        let expected = Processor {
            cores_online: Some(8),
            core: 3,
            pinned: true,
            isolated: true,
            core_kind: None,
            siblings: vec![7],
            smt: Some(true),
            governor: Some("powersave".to_owned()),
            frequency_khz: Some(800_000),
            frequency_max_khz: Some(4_900_000),
            stated_mhz: Some(3400.5),
            boost: Some(true),
            microcode: Some("0x42".to_owned()),
            features: features(),
        };
        assert_eq!(processor, expected);
    }

    #[test]
    fn features_of_the_baseline_are_found() {
        let baseline = cfg!(target_arch = "x86_64").then_some("sse2");
        let baseline = baseline.or(cfg!(target_arch = "aarch64").then_some("neon"));
        assert!(baseline.is_none_or(|name| features().contains(&name.to_owned())), "{:?}", features());
    }

    #[test]
    fn a_machine_that_says_nothing_is_not_guessed_at() {
        let processor = Processor::read(&Fixture::new(&[]).tree(), 1, false);
        assert_eq!(processor, Processor { core: 1, features: features(), ..Processor::default() });
    }

    #[test]
    fn boost_is_read_from_either_switch() {
        let boost_of = |path, text| boost(&Fixture::new(&[(path, text)]).tree());
        assert_eq!(
            [boost_of(NO_TURBO, "1"), boost_of(NO_TURBO, "0"), boost_of(BOOST, "1"), boost_of(BOOST, "0")],
            [Some(false), Some(true), Some(true), Some(false)]
        );
    }

    #[test]
    fn kinds_of_cores_are_told_apart() {
        let intel = Fixture::new(&[("sys/devices/cpu_core/cpus", "0-3\n"), ("sys/devices/cpu_atom/cpus", "4-7\n")]);
        let processor = Processor::read(&intel.tree(), 5, false);
        assert_eq!(processor.core_kind.as_deref(), Some("efficiency"));

        let arm = Fixture::new(&[("sys/devices/system/cpu/online", "0-2\n")]);
        for (core, capacity) in ["446", "446", "1024"].into_iter().enumerate() {
            arm.put(&format!("sys/devices/system/cpu/cpu{core}/cpu_capacity"), capacity);
        }
        let kinds = core_kinds(&arm.tree());
        assert_eq!((kinds[0].name.as_str(), kinds[0].cores.as_slice()), ("capacity 1024", [2].as_slice()));
        assert_eq!(kinds[1].cores, [0, 1]);

        arm.put("sys/devices/system/cpu/cpu2/cpu_capacity", "446");
        assert_eq!(core_kinds(&arm.tree()), []);
    }
}
