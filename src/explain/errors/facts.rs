//! Errors of Python and PyTorch that are recognised by their message: one row each.

use super::evidence::Evidence;
use super::explanation::{ErrorExplanation, Fix};
use super::operands::called;
use crate::explain::name::Name;
use crate::explain::names::UNKNOWN;
use crate::tensor::Arg;

/// An error: words in its message, a remark, and fixes with their reasons.
struct KnownError {
    has: &'static str,
    says: &'static str,
    fixes: &'static [(&'static str, &'static str)],
}

/// In fixes, `{}` is the name of the tensor.
const ROWS: &[KnownError] = &[
    KnownError {
        has: "cannot be converted to Scalar",
        says: "item() reads a tensor of one element.",
        fixes: &[
            ("{}[0]", "one of them"),
            ("{}.mean()", "one number of all"),
            ("{}.tolist()", "all of them as Python numbers"),
        ],
    },
    KnownError {
        has: "only one element tensors can be converted",
        says: "float() and int() read a tensor of one element.",
        fixes: &[
            ("{}[0]", "one of them"),
            ("{}.mean()", "one number of all"),
            ("{}.tolist()", "all of them as Python numbers"),
        ],
    },
    KnownError {
        has: "Boolean value of Tensor with more than one value is ambiguous",
        says: "A condition is one truth value; this tensor has one for each element.",
        fixes: &[
            ("{}.any()", "whether one of them holds"),
            ("{}.all()", "whether all of them hold"),
            ("torch.where(condition, a, b)", "a choice for each element"),
        ],
    },
    KnownError {
        has: "grad can be implicitly created only for scalar outputs",
        says: "Gradients are those of one number, a loss; this tensor has several.",
        fixes: &[("{}.sum().backward()", ""), ("{}.mean().backward()", "")],
    },
    KnownError {
        has: "does not require grad and does not have a grad_fn",
        says: "Nothing that it was computed from asks for gradients.",
        fixes: &[
            ("torch.rand(..., requires_grad=True)", "a tensor that asks"),
            ("nn.Parameter(...)", "one that belongs to a module"),
        ],
    },
    KnownError {
        has: "stack expects each tensor to be equal size",
        says: "stack() lays tensors of one shape side by side, along a new dimension; cat() joins them along one they have.",
        fixes: &[],
    },
    KnownError {
        has: "expected sequence of length",
        says: "Every row of a tensor is as long as the others; these lists are not.",
        fixes: &[],
    },
    KnownError {
        has: "iteration over a 0-d tensor",
        says: "It is one number, without dimensions: there is nothing to go through.",
        fixes: &[("{}.unsqueeze(0)", "a tensor of one element"), ("{}.item()", "the number")],
    },
    KnownError {
        has: "len() of a 0-d tensor",
        says: "It is one number, without dimensions.",
        fixes: &[("{}.numel()", "how many elements it has"), ("{}.item()", "the number")],
    },
    KnownError {
        has: "need to be at least 1D",
        says: "@ multiplies vectors and matrices; one of these is a single number.",
        fixes: &[("*", "multiplies by a number")],
    },
    KnownError {
        has: "must be a 3D tensor",
        says: "bmm multiplies a batch of matrices with another: (b, n, m) with (b, m, p). @ takes matrices without a batch too.",
        fixes: &[],
    },
    KnownError {
        has: "must be a matrix",
        says: "mm multiplies two matrices. @ takes vectors and batches too.",
        fixes: &[],
    },
    KnownError {
        has: "einsum(): subscript",
        says: "A letter stands for one size throughout: here two operands give it different ones.",
        fixes: &[],
    },
    KnownError {
        has: "the number of sizes provided",
        says: "What is assigned has more dimensions than the place it is to go to.",
        fixes: &[],
    },
    KnownError {
        has: "dropout probability has to be between 0 and 1",
        says: "p is the share that is dropped: 0.1 drops a tenth.",
        fixes: &[],
    },
    KnownError {
        has: "is missing the required \"forward\" function",
        says: "Calling a module calls its forward(self, x): look for its name and its indentation.",
        fixes: &[],
    },
];

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    let case = evidence.case;
    let message = case.raised.message.as_str();
    if case.raised.kind == "TypeError" {
        return arguments(message);
    }
    let row = ROWS.iter().find(|row| message.contains(row.has))?;
    let tensor = evidence.failed.and_then(|failed| failed.args.iter().flat_map(Arg::tensors).next());
    // item, tolist and backward are not in the table of operations, so there is no failed call.
    let receiver = || evidence.code.receiver(case.place()?, &["item", "tolist", "backward"]);
    let name = match tensor {
        Some(tensor) => called(tensor, 0, evidence, UNKNOWN),
        None => receiver().map_or(UNKNOWN, Name::bracketed),
    };
    let name = if name == UNKNOWN { "x".to_owned() } else { name.to_string() };
    let fix = |(code, reason): &(&str, &str)| Fix::new(code.replace("{}", &name), *reason);
    Some(ErrorExplanation {
        clash: None,
        remarks: vec![row.says.to_owned()],
        fixes: row.fixes.iter().map(fix).collect(),
    })
}

/// Calls with too many or too few arguments. Python counts `self` as one.
fn arguments(message: &str) -> Option<ErrorExplanation> {
    let method = message.split_once("()").is_some_and(|(name, _)| name.contains('.'));
    let says = if message.contains("positional argument") && message.contains("given") && method {
        "Python counts self as the first argument: one less of each is what stands between the brackets."
    } else if message.contains("missing") && message.contains("required positional argument: 'self'") {
        "It was called on the class: make an object of it first, as in layer = Layer(...)."
    } else if message.contains("missing") && message.contains("required positional argument") && method {
        "The object was called with fewer arguments than its def line names (self aside)."
    } else {
        return None;
    };
    Some(ErrorExplanation { remarks: vec![says.to_owned()], ..ErrorExplanation::default() })
}
