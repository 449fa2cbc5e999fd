//! Errors whose kind says enough: one remark and fixes for each.

use super::evidence::{ErrorCase, Evidence};
use super::explanation::{ErrorExplanation, Fix};
use super::operands::called;
use crate::explain::name::Name;
use crate::explain::tensor_names::UNKNOWN;
use crate::ops::nearest;
use crate::tensor::{Arg, ErrorFact};

/// Fixes with their reasons. `{}` is the name of the tensor.
type Fixes = &'static [(&'static str, &'static str)];

const ONE_OF_SEVERAL: Fixes = &[
    ("{}[0]", "one of them"),
    ("{}.mean()", "one number of all"),
    ("{}.tolist()", "all of them as Python numbers"),
];

/// A remark on a kind of error, and fixes. `None` for what the other explainers read.
fn advice(fact: &ErrorFact) -> Option<(&'static str, Fixes)> {
    let found: (&str, Fixes) = match fact {
        ErrorFact::SeveralElements => ("item() reads a tensor of one element.", ONE_OF_SEVERAL),
        ErrorFact::NotOneNumber => ("float() and int() read a tensor of one element.", ONE_OF_SEVERAL),
        ErrorFact::AmbiguousTruth => (
            "A condition is one truth value; this tensor has one for each element.",
            &[
                ("{}.any()", "whether one of them holds"),
                ("{}.all()", "whether all of them hold"),
                ("torch.where(condition, a, b)", "a choice for each element"),
            ],
        ),
        ErrorFact::SeveralOutputs => (
            "Gradients are those of one number, a loss; this tensor has several.",
            &[("{}.sum().backward()", ""), ("{}.mean().backward()", "")],
        ),
        ErrorFact::NoGradient => (
            "Nothing that it was computed from asks for gradients.",
            &[
                ("torch.rand(..., requires_grad=True)", "a tensor that asks"),
                ("nn.Parameter(...)", "one that belongs to a module"),
            ],
        ),
        ErrorFact::UnequalShapes => (
            "stack() lays tensors of one shape side by side, along a new dimension; cat() joins them along one they have.",
            &[],
        ),
        ErrorFact::RaggedLists => {
            ("Every row of a tensor is as long as the others; these lists are not.", &[])
        }
        ErrorFact::TensorsInList => (
            "torch.tensor() takes lists of numbers. torch.stack(list) makes one tensor of tensors that have one shape, along a \
             new dimension; torch.cat(list) joins them along one they have.",
            &[],
        ),
        ErrorFact::IterationOverNumber => (
            "It is one number, without dimensions: there is nothing to go through.",
            &[("{}.unsqueeze(0)", "a tensor of one element"), ("{}.item()", "the number")],
        ),
        ErrorFact::LengthOfNumber => (
            "It is one number, without dimensions.",
            &[("{}.numel()", "how many elements it has"), ("{}.item()", "the number")],
        ),
        ErrorFact::ProductOfNumber => (
            "@ multiplies vectors and matrices; one of these is a single number.",
            &[("*", "multiplies by a number")],
        ),
        ErrorFact::NotABatch => (
            "bmm multiplies a batch of matrices with another: (b, n, m) with (b, m, p). @ takes matrices without a batch too.",
            &[],
        ),
        ErrorFact::NotAMatrix => ("mm multiplies two matrices. @ takes vectors and batches too.", &[]),
        ErrorFact::BackwardTwice => (
            "The first backward() freed what the graph had stored for it. Usually the loss is computed again before each \
             backward(). A tensor that is kept from one step to the next, such as a state or a cache, is cut off with \
             detach().",
            &[("retain_graph=True", "in the first backward(), if one graph is meant to be used twice")],
        ),
        ErrorFact::TooManyDims => {
            ("What is assigned has more dimensions than the place it is to go to.", &[])
        }
        ErrorFact::NoForward => (
            "Calling a module calls its forward(self, x): look for its name and its indentation. A ModuleList has \
                 none: its layers are called one by one.",
            &[],
        ),
        ErrorFact::NotInitialised => (
            "A module keeps its layers and parameters in tables that nn.Module's own __init__ makes; it has not run yet.",
            &[("super().__init__()", "as the first line of __init__")],
        ),
        _ => return None,
    };
    Some(found)
}

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    let case = evidence.case;
    let fact = case.raised.fact.as_deref()?;
    if let ErrorFact::StateDictKeys { missing, unexpected } = fact {
        return Some(similar_keys(missing, unexpected));
    }
    if let ErrorFact::ChangedInPlace { operation, place } = fact {
        return Some(changed_in_place(operation, *place, case));
    }
    let (remark, fixes) = advice(fact)?;
    let tensor = evidence.failed.and_then(|failed| failed.args.iter().flat_map(Arg::tensors).next());
    // item, tolist and backward are not in the table of operations, so there is no failed call.
    let receiver = || evidence.code.receiver(case.place()?, &["item", "tolist", "backward"]);
    let name = match tensor {
        Some(tensor) => called(tensor, 0, evidence, UNKNOWN),
        None => receiver().map_or(UNKNOWN, Name::bracketed),
    };
    let name = if name == UNKNOWN { "x".to_owned() } else { name.to_string() };
    let fix = |(code, reason): &(&str, &str)| Fix::new(code.replace("{}", &name), *reason);
    Some(ErrorExplanation::new(vec![remark.to_owned()], fixes.iter().map(fix).collect()))
}

/// Which line changed the tensor, and how to keep what it was.
fn changed_in_place(operation: &str, place: Option<(&str, usize)>, case: &ErrorCase) -> ErrorExplanation {
    let line = place.and_then(|place| case.line(place));
    let place = line.map_or_else(|| ".".to_owned(), |(place, code)| format!(" in {place}: {code}"));
    let remarks = vec![
        format!("The gradient of {operation} is made of this tensor as it was."),
        format!("It was changed in place{place}"),
    ];
    let fixes = vec![
        Fix::new("y = y + 1", "not y += 1: a new tensor, here and wherever a name ends in _"),
        Fix::new("y = y.clone()", "before the change: it changes the copy"),
    ];
    ErrorExplanation::new(remarks, fixes)
}

/// Keys of a state dict: pairs each unexpected one with the missing one of the most similar name.
fn similar_keys(missing: &[String], unexpected: &[String]) -> ErrorExplanation {
    let pairs = unexpected.iter().filter_map(|key| {
        let near = nearest(key, missing, 1);
        near.first().map(|near| Fix::new(format!("\"{near}\""), format!("for \"{key}\"")))
    });
    ErrorExplanation::new(Vec::new(), pairs.take(4).collect())
}
