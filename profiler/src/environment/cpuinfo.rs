use super::Tree;

/// `/proc/cpuinfo`: the fields of each logical core.
#[derive(Clone, Debug, Default)]
pub(super) struct CpuInfo {
    blocks: Vec<Vec<(String, String)>>,
}

impl CpuInfo {
    pub(super) fn read(tree: &Tree) -> Self {
        let text = tree.text("proc/cpuinfo").unwrap_or_default();
        let fields = |block: &str| {
            let pairs = block.lines().filter_map(|line| line.split_once(':'));
            pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect()
        };
        Self { blocks: text.split("\n\n").map(fields).collect() }
    }

    /// The value of `key` for `core`; that of any core where `core` has none (some kernels put common fields in a block of
    /// their own).
    pub(super) fn get(&self, core: usize, key: &str) -> Option<&str> {
        let own = self.blocks.iter().find(|block| value(block, "processor").is_some_and(|n| n.parse() == Ok(core)));
        let found = own.and_then(|block| value(block, key));
        found.or_else(|| self.blocks.iter().find_map(|block| value(block, key)))
    }

    /// The processor's name: as x86 states it, or as Arm's implementer and part numbers tell.
    pub(super) fn model(&self, core: usize) -> Option<String> {
        if let Some(name) = self.get(core, "model name") {
            return Some(name.to_owned());
        }
        let implementer = self.get(core, "CPU implementer")?;
        let part = self.get(core, "CPU part")?;
        let name = arm_part(parse_hex(implementer)?, parse_hex(part)?);
        Some(name.map_or_else(|| format!("implementer {implementer}, part {part}"), str::to_owned))
    }
}

fn value<'a>(block: &'a [(String, String)], key: &str) -> Option<&'a str> {
    block.iter().find(|(name, value)| name == key && !value.is_empty()).map(|(_, value)| value.as_str())
}

fn parse_hex(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// Names of cores by the implementer and part number of MIDR_EL1 (Arm's technical reference manuals; Linux,
/// arch/arm64/include/asm/cputype.h).
fn arm_part(implementer: u16, part: u16) -> Option<&'static str> {
    Some(match (implementer, part) {
        // Of nobody: QEMU's own model with all that it emulates.
        (0x00, 0x051) => "QEMU max",
        (0x41, 0xd03) => "Arm Cortex-A53",
        (0x41, 0xd04) => "Arm Cortex-A35",
        (0x41, 0xd05) => "Arm Cortex-A55",
        (0x41, 0xd07) => "Arm Cortex-A57",
        (0x41, 0xd08) => "Arm Cortex-A72",
        (0x41, 0xd09) => "Arm Cortex-A73",
        (0x41, 0xd0a) => "Arm Cortex-A75",
        (0x41, 0xd0b) => "Arm Cortex-A76",
        (0x41, 0xd0c) => "Arm Neoverse N1",
        (0x41, 0xd0d) => "Arm Cortex-A77",
        (0x41, 0xd40) => "Arm Neoverse V1",
        (0x41, 0xd41) => "Arm Cortex-A78",
        (0x41, 0xd44) => "Arm Cortex-X1",
        (0x41, 0xd46) => "Arm Cortex-A510",
        (0x41, 0xd47) => "Arm Cortex-A710",
        (0x41, 0xd48) => "Arm Cortex-X2",
        (0x41, 0xd49) => "Arm Neoverse N2",
        (0x41, 0xd4d) => "Arm Cortex-A715",
        (0x41, 0xd4e) => "Arm Cortex-X3",
        (0x41, 0xd4f) => "Arm Neoverse V2",
        (0x41, 0xd80) => "Arm Cortex-A520",
        (0x41, 0xd81) => "Arm Cortex-A720",
        (0x41, 0xd82) => "Arm Cortex-X4",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::fixture::Fixture;

    #[test]
    fn a_core_of_a_hybrid_processor_has_its_own_name() {
        let fixture = Fixture::new(&[(
            "proc/cpuinfo",
            "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n\
             processor\t: 4\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\n\
             processor\t: 5\nCPU implementer\t: 0x61\nCPU part\t: 0x023\n\nHardware\t: a board\n",
        )]);
        let info = CpuInfo::read(&fixture.tree());
        assert_eq!(info.model(0).as_deref(), Some("Arm Cortex-A55"));
        assert_eq!(info.model(4).as_deref(), Some("Arm Cortex-A76"));
        assert_eq!(info.model(5).as_deref(), Some("implementer 0x61, part 0x023"));
        assert_eq!(info.get(4, "Hardware"), Some("a board"));
    }

    #[test]
    fn x86_states_its_name() {
        let fixture = Fixture::new(&[("proc/cpuinfo", "processor : 0\nmodel name\t: Some CPU @ 3.00GHz\n")]);
        assert_eq!(CpuInfo::read(&fixture.tree()).model(7).as_deref(), Some("Some CPU @ 3.00GHz"));
        assert_eq!(CpuInfo::read(&Fixture::new(&[]).tree()).model(0), None);
    }
}
