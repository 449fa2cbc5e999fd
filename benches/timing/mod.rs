//! Times of functions, as medians of runs: what the benchmarks of the kernel need of a harness.

use std::fmt::{self, Display};
use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// How long each function is measured.
const SPAN: Duration = Duration::from_secs(2);

/// What one run does.
#[derive(Clone, Copy)]
pub enum Throughput {
    /// So many operations.
    Elements(u64),
    /// Moves so many bytes.
    Bytes(u64),
}

/// Functions that belong together.
pub struct Group {
    name: &'static str,
    throughput: Option<Throughput>,
}

/// Runs one function.
pub struct Bench {
    runs: Vec<Duration>,
}

impl Group {
    /// A group without functions.
    pub fn new(name: &'static str) -> Group {
        Group { name, throughput: None }
    }

    /// What a run of the functions that follow does.
    pub fn throughput(&mut self, throughput: Throughput) {
        self.throughput = Some(throughput);
    }

    /// Measures a function and prints its time. `cargo bench -- WORD` measures those whose name has the word.
    pub fn bench_function(&self, name: impl Display, measure: impl FnOnce(&mut Bench)) {
        let name = format!("{}/{name}", self.name);
        let words: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
        if !words.iter().all(|word| name.contains(word)) {
            return;
        }
        let mut bench = Bench { runs: Vec::new() };
        measure(&mut bench);
        bench.runs.sort_unstable();
        let seconds = bench.runs.get(bench.runs.len() / 2).map_or(f64::NAN, Duration::as_secs_f64);
        let rate = fmt::from_fn(|out| match self.throughput {
            Some(Throughput::Elements(count)) => {
                write!(out, "{:10.2} G elements/s", count as f64 / seconds / 1e9)
            }
            Some(Throughput::Bytes(count)) => write!(out, "{:10.2} GB/s", count as f64 / seconds / 1e9),
            None => Ok(()),
        });
        writeln!(io::stdout(), "{name:<44} {:>10.3} ms {rate}", seconds * 1e3)
            .expect("the terminal takes text");
    }
}

impl Bench {
    /// Runs the function for some seconds; once if `cargo test --benches` only asks whether it runs.
    pub fn iter<T>(&mut self, mut function: impl FnMut() -> T) {
        let measures = std::env::args().any(|arg| arg == "--bench");
        let start = Instant::now();
        while self.runs.is_empty() || measures && start.elapsed() < SPAN {
            let run = Instant::now();
            black_box(function());
            self.runs.push(run.elapsed());
        }
    }
}
