//! The invariants of a step, measured in the session after its cell ran.

use crate::lesson::Invariant;
use crate::session::Session;

/// An invariant and how far the tensors are from it.
#[derive(Clone, PartialEq)]
pub(crate) struct MeasuredInvariant {
    /// The sentence as a learner reads it.
    pub(crate) sentence: String,
    /// The largest deviation; or why it could not be measured, such as an unbound name.
    pub(crate) deviation: Result<f64, String>,
}

impl MeasuredInvariant {
    /// Whether it is true, rounding aside.
    pub(crate) fn holds(&self) -> bool {
        self.deviation.as_ref().is_ok_and(|far| *far <= Invariant::TOLERANCE)
    }

    /// The deviation as text: `6e-8`; `None` if it is zero.
    pub(crate) fn far(&self) -> Option<String> {
        match &self.deviation {
            Ok(far) if *far == 0.0 => None,
            Ok(far) if *far < 1e-3 => Some(format!("{far:.0e}")),
            Ok(far) => Some(format!("{far:.4}")),
            Err(why) => Some(why.clone()),
        }
    }
}

/// Measures each of these in the session's namespace.
pub(crate) fn measured(invariants: &[Invariant], session: &mut Session) -> Vec<MeasuredInvariant> {
    let one = |invariant: &Invariant| {
        let deviation = session
            .evaluate(&invariant.deviation(), |value, vm| value.try_float(vm).map(|far| far.to_f64()).ok())
            .map_err(|raised| format!("unknown: {}: {}", raised.kind, raised.message))
            .and_then(|far| far.ok_or_else(|| "unknown: it is no number".to_owned()));
        MeasuredInvariant { sentence: invariant.to_string(), deviation }
    };
    invariants.iter().map(one).collect()
}
