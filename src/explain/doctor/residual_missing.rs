//! A block of which one part is added to what came in, and another one is not.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::RepeatedCall;

pub(super) static MISTAKE: Mistake = Mistake::new("A406", "residual-missing", "one part of a block has no way around it", "The residual connection keeps what a token was and gives the gradient a way back past each part. Where one part has \
          none, everything has to pass through it: tokens lose what they were, and deep models hardly train.", &[Detector::Call(detect)]).implied_by(&["projection-unused"]);

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let with_way: Vec<&str> =
        call.report.parts.iter().filter(|part| part.passed).map(|part| part.name.as_str()).collect();
    let mut without = call.report.parts.iter().filter(|part| !part.passed);
    let part = without.next().filter(|_| without.next().is_none() && !with_way.is_empty())?;
    let site = cell.site_of(call.report.activation, &format!("self.{}(", part.name)).or(call.site.clone());
    let observed = format!(
        "With the result of {} set to 0, {} returns the same whatever it is given. With that of {} set to 0 it does not: \
         what comes in goes around it.",
        part.name,
        call.function,
        with_way.join(" or ")
    );
    Some(Observation::new(site, observed, format!("x = x + self.{}(...)", part.name)))
}
