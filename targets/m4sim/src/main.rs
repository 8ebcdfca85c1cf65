//! The command `m4sim`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let bytes = std::fs::read(&args[1]).unwrap();
    let image = m4sim::Image::from_elf(&bytes).unwrap();
    let mut machine = m4sim::Machine::new(&image, m4sim::Config::default()).unwrap();
    let mut line = vec![args[1].clone()];
    line.extend(args.iter().skip(3).cloned());
    machine.set_command_line(&line.join(" "));
    match machine.run(m4sim::Limits::default()) {
        Ok(m4sim::Event::Exit { status }) => ExitCode::from(status as u8),
        Ok(other) => {
            eprintln!("{other:?}");
            ExitCode::from(1)
        }
        Err(fault) => {
            eprintln!("{fault}\n{}", fault.registers);
            ExitCode::from(1)
        }
    }
}
