//! One case: what it computes, timed in this process.
//! The layer is run as a learner's cell is; the three loops call the kernel.

use std::fmt;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::machine::peak_megabytes;
use crate::kernel::naive::Layer;
use crate::session::{Session, SessionOptions};

/// The layer in a learner's code.
const LAYER: &str = include_str!("layer.py");

/// How attention is computed; or the products alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Path {
    /// `scaled_dot_product_attention`: scores block by block, none kept.
    Fused,
    /// The chapter's class: scores and weights as tensors.
    Materialised,
    /// Three loops.
    Naive,
    /// One projection's matrix product.
    #[value(hide = true)]
    Projection,
    /// Q Kᵀ for all heads.
    #[value(hide = true)]
    Scores,
}

impl Path {
    /// What the table calls it.
    pub fn words(self, causal: bool) -> &'static str {
        match (self, causal) {
            (Path::Fused, false) => "fused",
            (Path::Fused, true) => "fused, causal",
            (Path::Materialised, false) => "materialised",
            (Path::Materialised, true) => "materialised, causal",
            (Path::Naive, false) => "three loops",
            (Path::Naive, true) => "three loops, causal",
            (Path::Projection, _) => "one projection",
            (Path::Scores, _) => "Q Kᵀ of all heads",
        }
    }

    /// Whether it is a whole layer, whose growth with the tokens is worth telling.
    pub fn grows(self) -> bool {
        matches!(self, Path::Fused | Path::Materialised)
    }

    /// The function of `layer.py` that computes it.
    fn function(self) -> &'static str {
        match self {
            Path::Fused => "fused",
            Path::Materialised => "materialised",
            Path::Projection => "projection",
            Path::Scores => "products",
            Path::Naive => "fused",
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Path::Fused => "fused",
            Path::Materialised => "materialised",
            Path::Naive => "naive",
            Path::Projection => "projection",
            Path::Scores => "scores",
        })
    }
}

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Case {
    /// T.
    pub tokens: usize,
    /// C.
    pub width: usize,
    /// H.
    pub heads: usize,
    /// B.
    pub batch: usize,
    /// Whether later tokens are hidden.
    pub causal: bool,
    /// How.
    pub path: Path,
    /// On how many threads.
    pub threads: usize,
}

/// What was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// `multi-head attention` or `product`.
    pub name: String,
    /// T.
    pub tokens: usize,
    /// C.
    pub width: usize,
    /// H.
    pub heads: usize,
    /// B.
    pub batch: usize,
    /// Whether later tokens were hidden.
    pub causal: bool,
    /// How.
    pub path: Path,
    /// Threads.
    pub threads: usize,
    /// Repetitions.
    pub reps: usize,
    /// The shortest time, milliseconds.
    pub ms_min: f64,
    /// The middle one.
    pub ms_median: f64,
    /// What the formula needs, over the median.
    pub gflops: f64,
    /// That, of the machine's peak.
    pub peak_fraction: f64,
    /// The most memory the process took; nothing where the system does not say.
    pub peak_rss_mb: Option<f64>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens, {}", self.tokens, self.path.words(self.causal))
    }
}

impl Case {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        match self.path {
            Path::Projection | Path::Scores => "product",
            _ => "multi-head attention",
        }
    }

    /// Multiplications and additions that the formula needs, in units of 10⁹; hidden scores are not needed.
    fn work(&self) -> f64 {
        let [b, t, c] = [self.batch, self.tokens, self.width].map(|size| size as f64);
        let pairs = if self.causal { t * (t + 1.0) / 2.0 } else { t * t };
        let (projection, scores) = (2.0 * b * t * c * c, 2.0 * b * pairs * c);
        let all = match self.path {
            Path::Projection => projection,
            Path::Scores => scores,
            _ => 4.0 * projection + 2.0 * scores,
        };
        all / 1e9
    }

    /// Bytes it will want at the most, roughly: three tables of scores where they are materialised.
    pub fn most_bytes(&self) -> u64 {
        let [b, h, t, c] = [self.batch, self.heads, self.tokens, self.width].map(|size| size as u64);
        let tables = match self.path {
            Path::Materialised => 3,
            Path::Scores => 1,
            _ => 0,
        };
        4u64.saturating_mul(b).saturating_mul(10 * t * c + tables * h * t * t)
    }

    /// Times it here: once to warm up, then `reps` times or until `budget` is spent.
    /// Errors: what the layer's code raised.
    pub fn measure(&self, reps: usize, budget: Duration) -> Result<Measured, String> {
        let mut session =
            Session::new(SessionOptions { max_memory: usize::MAX, ..SessionOptions::default() });
        crate::tensor::set_memory_limit(u64::MAX);
        let truth = |value: bool| if value { "True" } else { "False" };
        let sizes = format!(
            "import torch\ntorch.set_num_threads({})\nBATCH, TOKENS, WIDTH, HEADS, CAUSAL = {}, {}, {}, {}, {}",
            self.threads,
            self.batch,
            self.tokens,
            self.width,
            self.heads,
            truth(self.causal)
        );
        said(&mut session, &sizes)?;
        said(&mut session, LAYER)?;
        if self.causal && self.path == Path::Materialised {
            said(&mut session, "hidden = causal_mask()")?;
        }
        let mut times = match self.path {
            Path::Naive => {
                let layer = self.loops(&mut session)?;
                repeated(reps, budget, || Ok(layer.time()))?
            }
            path => {
                let call = format!("_ = {}()", path.function());
                repeated(reps, budget, || said(&mut session, &call))?
            }
        };
        times.sort();
        let ms = |time: &Duration| time.as_secs_f64() * 1e3;
        let (least, middle) = (ms(&times[0]), ms(&times[times.len() / 2]));
        Ok(Measured {
            name: self.name().to_owned(),
            tokens: self.tokens,
            width: self.width,
            heads: self.heads,
            batch: self.batch,
            causal: self.causal,
            path: self.path,
            threads: self.threads,
            reps: times.len(),
            ms_min: least,
            ms_median: middle,
            gflops: self.work() / (middle / 1e3),
            peak_fraction: 0.0,
            peak_rss_mb: peak_megabytes(),
        })
    }

    /// The same layer with the same numbers, for the three loops.
    fn loops(&self, session: &mut Session) -> Result<Loops, String> {
        let mut values = |expression: &str| match session.tensor(expression) {
            Ok(Some(tensor)) => Ok(tensor.to_f32_vec()),
            Ok(None) => Err(format!("{expression} is no tensor")),
            Err(raised) => Err(format!("{}: {}", raised.kind, raised.message)),
        };
        let mut of = |part: &str| -> Result<[Vec<f32>; 4], String> {
            let mut one = |name: &str| values(&format!("{name}.{part}.detach()"));
            Ok([one("W_query")?, one("W_key")?, one("W_value")?, one("out_proj")?])
        };
        let (weights, biases) = (of("weight")?, of("bias")?);
        Ok(Loops { x: values("x")?, weights, biases, case: self.clone() })
    }
}

/// The three loops' operands.
struct Loops {
    x: Vec<f32>,
    weights: [Vec<f32>; 4],
    biases: [Vec<f32>; 4],
    case: Case,
}

impl Loops {
    fn time(&self) -> Duration {
        let layer = Layer {
            weights: self.weights.each_ref().map(Vec::as_slice),
            biases: self.biases.each_ref().map(Vec::as_slice),
            heads: self.case.heads,
            causal: self.case.causal,
        };
        let start = Instant::now();
        for x in self.x.chunks_exact(self.case.tokens * self.case.width) {
            std::hint::black_box(layer.forward(x));
        }
        start.elapsed()
    }
}

fn said(session: &mut Session, source: &str) -> Result<Duration, String> {
    let outcome = session.run(source, "bench");
    match outcome.error {
        Some(raised) => Err(format!("{}: {}", raised.kind, raised.message)),
        None => Ok(outcome.elapsed),
    }
}

/// The times of up to `reps` calls after one that warms up; where that one took the budget, it is the measure.
fn repeated(
    reps: usize,
    budget: Duration,
    mut once: impl FnMut() -> Result<Duration, String>,
) -> Result<Vec<Duration>, String> {
    let start = Instant::now();
    let warm = once()?;
    let mut times = Vec::new();
    while times.len() < reps && (times.is_empty() || start.elapsed() < budget) {
        if times.is_empty() && start.elapsed() >= budget {
            return Ok(vec![warm]);
        }
        times.push(once()?);
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::with_large_stack;

    /// All ways of computing the layer give the same numbers, up to the rounding of some dozen sums.
    #[test]
    fn every_path_computes_the_same_layer() {
        for causal in [false, true] {
            with_large_stack(|| {
                let sizes = format!(
                    "BATCH, TOKENS, WIDTH, HEADS, CAUSAL = 1, 7, 12, 3, {}",
                    if causal { "True" } else { "False" }
                );
                let mut session = Session::new(SessionOptions::default());
                for source in [sizes.as_str(), LAYER, "hidden = causal_mask()"] {
                    said(&mut session, source).expect("the layer's code runs");
                }
                let case =
                    Case { tokens: 7, width: 12, heads: 3, batch: 1, causal, path: Path::Naive, threads: 1 };
                let loops = case.loops(&mut session).expect("the layer has its tensors");
                let layer = Layer {
                    weights: loops.weights.each_ref().map(Vec::as_slice),
                    biases: loops.biases.each_ref().map(Vec::as_slice),
                    heads: 3,
                    causal,
                };
                let naive = layer.forward(&loops.x);
                for path in [Path::Fused, Path::Materialised] {
                    let found = session.tensor(&format!("{}()", path.function()));
                    let found = found.ok().flatten().expect("it is a tensor").to_f32_vec();
                    assert_eq!(found.len(), naive.len());
                    for (x, y) in found.iter().zip(&naive) {
                        assert!((x - y).abs() < 1e-5, "{path}, causal {causal}: {x} and {y}");
                    }
                }
            });
        }
    }

    #[test]
    fn what_the_formula_needs_is_what_the_paper_counts() {
        let case =
            |path, causal| Case { tokens: 1024, width: 768, heads: 12, batch: 1, causal, path, threads: 1 };
        // 4 projections of 2·T·C² and 2 products of 2·T²·C.
        let whole = 4.0 * 2.0 * 1024.0 * 768.0 * 768.0 + 2.0 * 2.0 * 1024.0 * 1024.0 * 768.0;
        assert_eq!(case(Path::Fused, false).work(), whole / 1e9);
        assert!(case(Path::Fused, true).work() < whole / 1e9 * 0.81);
        assert!(case(Path::Materialised, false).most_bytes() > (3 * 12 * 4) << 20);
    }

    #[test]
    fn a_case_that_spends_its_budget_is_not_repeated() {
        let mut calls = 0;
        let mut once = || {
            calls += 1;
            std::thread::sleep(Duration::from_millis(3));
            Ok(Duration::from_millis(3))
        };
        assert_eq!(repeated(100, Duration::from_millis(1), &mut once).map(|times| times.len()), Ok(1));
        assert_eq!(repeated(2, Duration::from_secs(60), &mut once).map(|times| times.len()), Ok(2));
        assert_eq!(calls, 4);
    }
}
