//! One case of the benchmark, timed in this process. The layer runs as a learner's cell does; the three loops call the
//! kernel.

use std::fmt;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::system::peak_megabytes;
use crate::kernel::naive::Layer;
use crate::session::{Session, SessionOptions};

/// The layer in a learner's code.
pub const LAYER: &str = include_str!("layer.py");

/// How attention is computed.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum AttentionPath {
    /// `scaled_dot_product_attention`: scores block by block, none kept.
    Fused,
    /// The chapter's class: scores and weights as tensors.
    Materialised,
    /// Three loops.
    Naive,
}

impl AttentionPath {
    /// Its name on the command line, in JSON and in `layer.py`.
    pub fn name(self) -> &'static str {
        match self {
            AttentionPath::Fused => "fused",
            AttentionPath::Materialised => "materialised",
            AttentionPath::Naive => "naive",
        }
    }

    /// Its name in the table.
    pub(crate) fn words(self, causal: bool) -> String {
        let name = if self == AttentionPath::Naive { "three loops" } else { self.name() };
        format!("{name}{}", if causal { ", causal" } else { "" })
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct BenchCase {
    /// T, the number of tokens.
    pub tokens: usize,
    /// C, the width of the model.
    pub width: usize,
    /// H, the number of heads.
    pub heads: usize,
    /// B, the size of the batch.
    pub batch: usize,
    /// Whether later tokens are hidden.
    pub causal: bool,
    /// How it is computed.
    pub path: AttentionPath,
    pub threads: usize,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct MeasuredCase {
    #[serde(flatten)]
    pub(crate) case: BenchCase,
    /// The number of repetitions.
    pub(crate) reps: usize,
    /// The shortest time, milliseconds.
    pub(crate) ms_min: f64,
    /// The median time, milliseconds.
    pub(crate) ms_median: f64,
    /// The peak memory of the process; `None` if the system does not report it.
    pub(crate) peak_rss_mb: Option<f64>,
}

impl fmt::Display for BenchCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens, {}", self.tokens, self.path.words(self.causal))
    }
}

impl BenchCase {
    /// A rough upper bound of the memory it needs, in bytes. The materialised path has three tables of scores.
    pub fn most_bytes(&self) -> u64 {
        let [b, h, t, c] = [self.batch, self.heads, self.tokens, self.width].map(|size| size as u64);
        let tables = if self.path == AttentionPath::Materialised { 3 } else { 0 };
        4u64.saturating_mul(b).saturating_mul(10 * t * c + tables * h * t * t)
    }

    /// Measures the case in this process: one run to warm up, then `reps` runs or as many as `budget` allows.
    /// Errors: the error that the layer's code raised.
    pub(crate) fn measure(&self, reps: usize, budget: Duration) -> Result<MeasuredCase, String> {
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
        run_code(&mut session, &sizes)?;
        run_code(&mut session, LAYER)?;
        if self.causal && self.path == AttentionPath::Materialised {
            run_code(&mut session, "hidden = causal_mask()")?;
        }
        let mut times = match self.path {
            AttentionPath::Naive => {
                let layer = self.loops(&mut session)?;
                repeated(reps, budget, || Ok(layer.time()))?
            }
            path => {
                let call = format!("_ = {}()", path.name());
                repeated(reps, budget, || run_code(&mut session, &call))?
            }
        };
        times.sort();
        let ms = |time: &Duration| time.as_secs_f64() * 1e3;
        Ok(MeasuredCase {
            case: self.clone(),
            reps: times.len(),
            ms_min: ms(&times[0]),
            ms_median: ms(&times[times.len() / 2]),
            peak_rss_mb: peak_megabytes(),
        })
    }

    /// The layer with the weights and inputs of the session, for the three loops.
    pub fn loops(&self, session: &mut Session) -> Result<NaiveLoops, String> {
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
        Ok(NaiveLoops { x: values("x")?, weights, biases, case: self.clone() })
    }
}

/// The operands of the three loops.
pub struct NaiveLoops {
    x: Vec<f32>,
    weights: [Vec<f32>; 4],
    biases: [Vec<f32>; 4],
    case: BenchCase,
}

impl NaiveLoops {
    /// The outputs for all sequences of the batch.
    pub fn forward(&self) -> Vec<f32> {
        let layer = Layer {
            weights: self.weights.each_ref().map(Vec::as_slice),
            biases: self.biases.each_ref().map(Vec::as_slice),
            heads: self.case.heads,
            causal: self.case.causal,
        };
        let sequences = self.x.chunks_exact(self.case.tokens * self.case.width);
        sequences.flat_map(|x| layer.forward(x)).collect()
    }

    fn time(&self) -> Duration {
        let start = Instant::now();
        std::hint::black_box(self.forward());
        start.elapsed()
    }
}

/// Runs code of the layer or of the model.
pub(super) fn run_code(session: &mut Session, source: &str) -> Result<Duration, String> {
    let outcome = session.run(source, "bench");
    match outcome.error {
        Some(raised) => Err(format!("{}: {}", raised.kind, raised.message)),
        None => Ok(outcome.elapsed),
    }
}

/// The times of up to `reps` calls after one to warm up. If the first one takes the whole budget, it is the result.
pub fn repeated(
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
