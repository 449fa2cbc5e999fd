//! The operands of a call that raised: their names, their axes, and where they were made.

use super::evidence::Evidence;
use super::explanation::ClashOperand;
use crate::explain::doctor::axis_in_operand;
use crate::explain::name::Name;
use crate::tensor::descriptor::ShapeRule;
use crate::tensor::explanation::Explanation;
use crate::tensor::{Arg, Tensor};

/// How many operations are followed back to a tensor that has a name.
const BACK: usize = 4;
/// The longest name that is shown.
const LONGEST: usize = 48;

/// The name of argument `at`: its own, else as the learner wrote it, else the expression that made it; `other` where
/// none of these says enough.
pub(super) fn called(tensor: &Tensor, at: usize, evidence: &Evidence, other: Name) -> Name {
    let known = evidence.names.knows(tensor);
    let name = evidence.names.of(tensor);
    let length = |name: &Name| name.to_string().chars().count();
    if known {
        return name;
    }
    if let Some(written) = evidence.written.get(at)
        && length(written) <= LONGEST
        && !written.to_string().contains('\n')
    {
        return written.clone().bracketed();
    }
    if matches!(name, Name::Words(_)) || name.is_elided() || length(&name) > LONGEST { other } else { name }
}

/// An operand as it is shown.
pub(super) fn operand(name: &Name, tensor: &Tensor, evidence: &Evidence) -> ClashOperand {
    ClashOperand {
        name: name.to_string(),
        shape: tensor.shape().to_vec(),
        axes: axes(tensor, evidence, BACK),
        clash: None,
    }
}

/// The names of a tensor's axes: from its variable, or from the tensor that it is a transpose or a copy of.
fn axes(tensor: &Tensor, evidence: &Evidence, depth: usize) -> Vec<String> {
    let known = (evidence.case.axes)(&evidence.names.of(tensor).to_string());
    if known.len() == tensor.ndim() {
        return known;
    }
    let Some(record) = tensor.origin().filter(|_| depth > 0) else { return Vec::new() };
    let args = record.args();
    let Some(base) = args.first().and_then(Arg::tensor) else { return Vec::new() };
    let is_followed = match record.operation.shapes {
        ShapeRule::Reversed => base.ndim() == 2,
        ShapeRule::Transposed | ShapeRule::Swapped => true,
        ShapeRule::Same => matches!(record.operation.explanation, Explanation::Copy | Explanation::Cast(_)),
        _ => false,
    };
    let known = if is_followed { axes(base, evidence, depth - 1) } else { Vec::new() };
    let name = |at: usize| {
        let axis = axis_in_operand(&record, base, tensor.shape(), tensor.ndim() - at)?;
        known.get(base.ndim() - axis).cloned()
    };
    (0..tensor.ndim()).map(name).collect::<Option<_>>().unwrap_or_default()
}

/// Where an operand was made: "keys was made in cell 2, line 4: keys = inputs @ W_key".
pub(super) fn history(tensor: &Tensor, evidence: &Evidence) -> Option<String> {
    histories(&[tensor], evidence).pop()
}

/// Where operands were made: one sentence for each line of code.
pub(super) fn histories(tensors: &[&Tensor], evidence: &Evidence) -> Vec<String> {
    let mut made: Vec<(Vec<String>, String)> = Vec::new();
    for (name, place) in tensors.iter().filter_map(|tensor| made_in(tensor, evidence)) {
        match made.iter_mut().find(|(_, known)| *known == place) {
            Some((names, _)) if names.contains(&name) => {}
            Some((names, _)) => names.push(name),
            None => made.push((vec![name], place)),
        }
    }
    let sentence = |(names, place): (Vec<String>, String)| {
        format!("{} {} made in {place}", names.join(" and "), if names.len() == 1 { "was" } else { "were" })
    };
    made.into_iter().map(sentence).collect()
}

/// The nearest tensor before this one that has a name, and the line that made it.
fn made_in(tensor: &Tensor, evidence: &Evidence) -> Option<(String, String)> {
    let (case, names) = (evidence.case, &evidence.names);
    let mut tensor = tensor.clone();
    for _ in 0..BACK {
        let record = tensor.origin()?;
        let site = record.site.clone()?;
        let here = case.place() == Some((site.cell, site.line));
        if names.knows(&tensor) && !here {
            let (place, line) = case.line((site.cell, site.line))?;
            let line = line.split_once("  #").map_or(line.as_str(), |(code, _)| code.trim_end());
            let line: String = match line.chars().count() > LONGEST + 16 {
                true => {
                    let start: String = line.chars().take(LONGEST + 14).collect();
                    format!("{} …", start.trim_end_matches([' ', ',', '(']))
                }
                false => line.to_owned(),
            };
            return Some((names.of(&tensor).to_string(), format!("{place}: {line}")));
        }
        let args = record.args();
        tensor = args.iter().find_map(Arg::tensor)?.clone();
    }
    None
}
