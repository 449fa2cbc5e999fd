//! Dropout that drops while its module is in evaluation mode.

use super::{Find, Mistake, Run, Seen, figure};
use crate::ops::trace::Traced;
use crate::tensor::Arg;

pub(super) static MISTAKE: Mistake = Mistake {
    name: "dropout-in-eval",
    title: "dropout is active in evaluation mode",
    why: "Dropout is for training. After eval() the same input is to give the same output; here some weights are still \
          dropped at random, and what is measured or generated changes from run to run.",
    find: Find::Run(find),
};

fn find(run: &Run) -> Vec<Seen> {
    run.trace.steps.iter().filter_map(dropping).collect()
}

fn dropping(step: &Traced) -> Option<Seen> {
    let (p, fix) = match step.op {
        "dropout" | "dropout_" => {
            let is_on = matches!(step.args.get(2), Some(Arg::Bool(true)));
            let fix = "F.dropout(x, p, training=self.training), or an nn.Dropout kept as an attribute of the module";
            (step.args.get(1)?.number().filter(|p| is_on && *p > 0.0)?, fix)
        }
        "scaled_dot_product_attention" => {
            let fix = "dropout_p=self.dropout if self.training else 0.0";
            (step.args.get(4)?.number().filter(|p| *p > 0.0)?, fix)
        }
        _ => return None,
    };
    let module = step.calls.iter().rev().find(|call| !call.library && call.training == Some(false))?;
    let class = module.class.as_deref().unwrap_or("the module");
    let zeros = step.results.first().filter(|_| step.op.starts_with("dropout")).and_then(|result| {
        let values = result.values()?;
        let zeros = (0..values.len()).filter(|at| values.float(*at) == 0.0).count();
        Some(format!(" {zeros} of {} elements are 0 after it.", values.len()))
    });
    let saw = format!(
        "{class} is in evaluation mode (training=False), and {} drops with p = {}.{}",
        step.op,
        figure(p),
        zeros.unwrap_or_default()
    );
    Some(Seen::new(step.site(), saw, fix))
}
