//! Scaled dot product attention: the scores, the mask, the weights and the weighted sum of one element.
//! The fused operation keeps no weights, so they are computed here from its operands.

use crate::explain::account::{Account, LINKS, SourceElement};
use crate::explain::calc::Calc;
use crate::explain::storage_element::PastOperand;
use crate::explain::subject::{Subject, along};
use crate::explain::terms::figure;
use crate::kernel::rank::largest_magnitude_first;
use crate::tensor::DType;

/// An element of the output: weights over the keys, times a column of the values.
pub(crate) fn account(subject: &Subject) -> Option<Account> {
    let (query, key, value) = (subject.operand(0)?, subject.operand(1)?, subject.operand(2)?);
    let index = subject.index();
    let [batch @ .., row, column] = index else { return None };
    let ndim = query.tensor.ndim();
    let width = *query.tensor.shape().last()?;
    let scale = subject.number("scale").unwrap_or(1.0 / (width as f64).sqrt());
    let own = |operand: &PastOperand| lead_of(operand, &query, batch);
    let asking = [batch, &[*row]].concat();
    let q = query.row(&asking, ndim - 1);
    let keys = key.tensor.shape()[key.tensor.ndim() - 2];
    let (key_lead, value_lead) = (own(&key), own(&value));
    let mask = subject.operand(3);
    let is_causal = subject.is_set("is_causal");
    let mut scores = Vec::with_capacity(keys);
    for at in 0..keys {
        let k = key.row(&[key_lead.clone(), vec![at]].concat(), key.tensor.ndim() - 1);
        let dot: f64 = q.iter().zip(&k).map(|(a, b)| a * b).sum();
        let hidden = is_causal && at > *row;
        let added = mask.as_ref().map_or(0.0, |mask| {
            let full = [batch, &[*row, at]].concat();
            let value = mask.value(&mask.broadcast(&full));
            match mask.tensor.dtype() {
                DType::Bool if value == 0.0 => f64::NEG_INFINITY,
                DType::Bool => 0.0,
                _ => value,
            }
        });
        scores.push(if hidden { f64::NEG_INFINITY } else { dot * scale + added });
    }
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = match most == f64::NEG_INFINITY {
        true => vec![0.0; keys],
        false => scores.iter().map(|score| (score - most).exp()).collect(),
    };
    let total: f64 = powers.iter().sum();
    let mut weights: Vec<f64> =
        powers.iter().map(|power| if total == 0.0 { 0.0 } else { power / total }).collect();
    let dropped = subject.noise();
    if let Some(noise) = dropped {
        let noise = PastOperand::of_version(noise.clone(), u64::MAX);
        let line = noise.row(&[batch, &[*row]].concat(), noise.tensor.ndim() - 1);
        weights.iter_mut().zip(line).for_each(|(weight, noise)| *weight *= noise);
    }
    let at = |place: usize| [value_lead.clone(), vec![place, *column]].concat();
    let values: Vec<f64> = (0..keys).map(|place| value.value(&at(place))).collect();
    let order = largest_magnitude_first((0..keys).map(|place| weights[place] * values[place]));
    let best = order.first().copied().unwrap_or(0);
    let links: Vec<SourceElement> =
        order.iter().take(LINKS).map(|&place| subject.link(2, &value, &at(place))).collect();
    let factor = figure(scale);
    let (asks, keyed) = (subject.called(0).element(&asking), subject.called(1));
    let valued =
        along(&subject.called(2), &[value_lead.clone(), vec![*column]].concat(), value.tensor.ndim() - 2);
    let account = Account::words(format!("weights over the keys · {valued}")).from(links).following(1);
    let weighed = match (is_causal, mask.is_some()) {
        (true, _) => ", later keys hidden",
        (_, true) => ", with the mask",
        _ => "",
    };
    let account = account.and(format!("weights: softmax of {asks} · {keyed}[…]·{factor}{weighed}"));
    let shown: Vec<String> =
        order.iter().take(6).map(|&place| format!("key {place}: {}", figure(weights[place]))).collect();
    let rest = if keys > 6 { format!(", {} smaller", keys - 6) } else { String::new() };
    let mut account = account.and(format!("weights (by what they add): {}{rest}", shown.join(", ")));
    if total > 0.0 {
        let (score, most, total) = (figure(scores[best]), figure(most), figure(total));
        let then = if dropped.is_some() { ", then dropout" } else { "" };
        account = account.and(format!("key {best}: exp({score} - {most}) / {total}{then}"));
    }
    account = account.figures(Calc::products(&weights, &values));
    if keys > 1 {
        let terms = weights.iter().zip(&values).map(|(a, b)| a * b);
        account = account.figures(Calc::terms(terms)).led("the largest term's value");
    }
    Some(account)
}

/// The batch and the head of an operand, for a batch and a head of the output; several heads of the query may share one.
fn lead_of(operand: &PastOperand, query: &PastOperand, batch: &[usize]) -> Vec<usize> {
    let own = &operand.tensor.shape()[..operand.tensor.ndim() - 2];
    let skip = batch.len().saturating_sub(own.len());
    let sizes = own.iter().zip(query.tensor.shape().get(skip..).unwrap_or_default());
    sizes.zip(&batch[skip..]).map(|((&size, &wide), &at)| at / (wide / size).max(1)).collect()
}
