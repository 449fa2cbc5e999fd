//! Where the time of a start goes: `cargo bench --bench startup`.
//! Each phase is measured in a fresh session, the whole in fresh processes; the best of many counts,
//! because a start can only be slowed down by what else the machine does.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use attn::lesson::{Catalogue, Target};
use attn::session::{Session, SessionOptions, with_large_stack};

const ROUNDS: usize = 30;

/// The phases of `attn run scores`, in order.
const PHASES: [&str; 4] = ["find the step", "start the interpreter", "import torch", "run inputs to scores"];

fn main() -> io::Result<()> {
    // `cargo test --benches` only asks whether it runs.
    let rounds = if std::env::args().any(|arg| arg == "--bench") { ROUNDS } else { 1 };
    let mut best = [Duration::MAX; PHASES.len()];
    for _ in 0..rounds {
        for (best, took) in best.iter_mut().zip(with_large_stack(phases)) {
            *best = took.min(*best);
        }
    }
    let mut out = io::stdout().lock();
    let line = |out: &mut dyn Write, name: &str, took: Duration| {
        writeln!(out, "{name:<28} {:>7.2} ms", took.as_secs_f64() * 1e3)
    };
    line(&mut out, "a process that does nothing", process(&["--version"], rounds)?)?;
    for (name, took) in PHASES.iter().zip(best) {
        line(&mut out, name, took)?;
    }
    line(&mut out, "attn run scores, as a whole", process(&["run", "scores"], rounds)?)
}

fn phases() -> [Duration; PHASES.len()] {
    let mut clock = Instant::now();
    let mut lap = || std::mem::replace(&mut clock, Instant::now()).elapsed();
    let catalogue = Catalogue::new();
    let Ok(Target::Step(step, lesson)) = catalogue.find("scores") else { panic!("there is a step scores") };
    let before = catalogue.prelude(step).expect("the lesson has no fault");
    let found = lap();
    let mut session = Session::new(SessionOptions::default());
    let started = lap();
    session.run("import torch", "import");
    let imported = lap();
    for (step, _) in before.into_iter().chain([(step, lesson)]) {
        session.run(&step.code, &step.name());
    }
    [found, started, imported, lap()]
}

fn process(args: &[&str], rounds: usize) -> io::Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        Command::new(env!("CARGO_BIN_EXE_attn")).args(args).stdout(Stdio::null()).status()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}
