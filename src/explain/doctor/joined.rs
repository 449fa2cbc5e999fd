//! Heads put together by a view alone: the context vectors of several tokens end up in one row.

use super::attention::{Attention, made_by};
use super::axes::Product;
use super::flow::back;
use super::heads::tuple;
use super::{Find, Mistake, Run, Seen};
use crate::ops::trace::Traced;

pub(super) static MISTAKE: Mistake = Mistake {
    name: "heads-joined-by-view-alone",
    title: "heads are put together without a transpose",
    why: "After the product with the values the head's axis stands before the tokens'. A view goes through memory in that \
          order, and so lays tokens of one head side by side where the heads of one token should be.",
    find: Find::Run(find),
};

fn find(run: &Run) -> Vec<Seen> {
    let views = run.trace.steps.iter().filter(|step| matches!(step.op, "view" | "reshape" | "flatten"));
    views.filter_map(|step| joined(step, run)).collect()
}

fn joined(step: &Traced, run: &Run) -> Option<Seen> {
    let (given, made) = (step.operands.first()?, step.results.first()?);
    let heads = match (given.shape(), made.shape()) {
        (&[b, h, t, d], &[b2, t2, c]) if b == b2 && t == t2 && h * d == c && h > 1 && t > 1 => h,
        (&[h, t, d], &[t2, c]) if t == t2 && h * d == c && h > 1 && t > 1 => h,
        _ => return None,
    };
    let tensor = given.tensor.as_ref()?;
    // Straight from the product with the values: what moves axes on the way makes it another matter.
    let way = back(tensor, &|record| Product::of(record).is_some())?;
    if !way.links.iter().all(|link| matches!(link.op(), "contiguous" | "clone" | "dropout" | "to" | "float"))
    {
        return None;
    }
    let product = Product::of(&way.record)?;
    let attention = run
        .trace
        .steps
        .iter()
        .find(|it| made_by(it).is_some_and(|record| std::rc::Rc::ptr_eq(&record, &way.record)));
    attention.and_then(Attention::used_by)?;
    // Where the product gives tokens before heads, the view is right.
    if product.left_in_result != Some(2) {
        return None;
    }
    let name = run.called(tensor, "the context vectors");
    let saw = format!(
        "{name} {} is viewed as {}: the {heads} heads still stand before the tokens in memory, so row 0 gets the first \
         {heads} tokens of head 0.",
        tuple(given.shape()),
        tuple(made.shape())
    );
    let fix = match given.shape().len() {
        4 => "context.transpose(1, 2).contiguous().view(b, num_tokens, d_out)",
        _ => "context.transpose(0, 1).contiguous().view(num_tokens, d_out)",
    };
    Some(Seen::new(step.site(), saw, fix))
}
