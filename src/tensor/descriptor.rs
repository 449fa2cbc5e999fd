//! What is known of an operation apart from how it runs: one [`Descriptor`] each, which records and traces point to.

use std::sync::OnceLock;

use super::explanation::{
    ConstantKind, Explanation, ExtremeResult, Extremum, Formula, Movement, ProductKind, RandomKind, Reducer,
};
pub use super::grad_name::GradName;
pub(crate) use super::sign::Binding;
pub use super::sign::Sign;

/// Everything that is known of an operation by its name alone.
#[derive(Debug)]
pub struct Descriptor {
    /// Its PyTorch name, without the `_` of an in-place twin: `softmax`, `masked_fill`, `zero_`.
    pub name: &'static str,
    /// What kind of operation it is.
    pub family: OpFamily,
    /// How code and formulas write it.
    pub notation: OpNotation,
    /// How the shapes of its operands combine.
    pub shapes: ShapeRule,
    /// How many multiplications it takes.
    pub(crate) cost: CostRule,
    pub in_place: InPlace,
    /// Whether it ignores the values that its target had when it runs in place.
    pub(crate) overwrites: bool,
    /// What `grad_fn` shows for its results; none where no gradient flows. A call may choose another overload.
    pub gradient: Option<GradName>,
    /// Whether the gradient's overload counts up with the signature that the arguments fit.
    pub(crate) overload_by_form: bool,
    /// What is added to the overload of the twin that changes the layout in place: `UnsqueezeBackward1`.
    pub(crate) in_place_overload: u8,
    /// Whether its result lies in memory in the order that its operands have.
    pub(crate) keeps_order: bool,
    /// Whether a write through its result is not part of the history of its operand: `detach`.
    pub(crate) cuts_history: bool,
    /// How an element of its result is explained.
    pub explanation: Explanation,
    twin: OnceLock<String>,
}

impl PartialEq for Descriptor {
    /// Each operation has one descriptor.
    fn eq(&self, other: &Descriptor) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Descriptor {}

/// The kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpFamily {
    /// Element by element, operands broadcast.
    Pointwise,
    /// Sums of products.
    Product,
    /// One value for all elements along some dimensions.
    Reduction,
    /// Running values along a dimension.
    Scan,
    /// The same elements in another shape or order; shares memory where the layout allows it.
    View,
    /// The same elements in new memory.
    Copy,
    /// The same values in another dtype.
    Cast,
    /// Elements chosen or written by index or mask.
    Index,
    /// Tensors joined, repeated, padded or rearranged in new memory.
    Join,
    /// Elements put in order, searched or counted.
    Sort,
    Random,
    /// New tensors that depend on no other tensor's values.
    Creation,
    /// Softmax and normalisation layers.
    Normalisation,
    Loss,
    /// Scaled dot product attention.
    Attention,
    /// Decompositions, determinants, inverses, matrix norms.
    LinearAlgebra,
    /// Functions of other operations, which are recorded in their place.
    Composed,
    /// Facts about tensors: whether they are equal, how many elements they have, which dtype results.
    Query,
    /// Writes that Python's syntax makes, and what they mean for other views: `x[i] = v`.
    Write,
    /// A function that the learner's code defines with `torch.autograd.Function`.
    Custom,
}

/// How an operation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpNotation {
    /// As a call: `softmax(x)`.
    Call,
    /// By the operator that calls it in Python: `a + b`.
    Infix(Sign),
    /// By a call in Python, by a sign in formulas: `torch.mm(a, b)` is `a @ b`.
    Symbol(Sign),
    /// By a sign before its operand: `-x`.
    Prefix(Sign),
    /// As an attribute: `x.T`.
    Attribute,
    /// As a subscript: `x[i]`.
    Subscript,
}

/// How the shapes of operands combine. Numbers are places among the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeRule {
    /// Axes are equal from the right, or 1.
    Broadcast(usize, usize),
    /// The last axis of the first meets the last but one of the second (its only one, if it is a vector).
    MatrixProduct(usize, usize),
    /// The last axes meet; a weight is stored as (out, in).
    LastAxes(usize, usize),
    /// All axes but the one that `dim` names are equal.
    Join,
    /// All shapes are equal; the result has one axis more.
    Stack,
    /// The result has the shape of the first operand.
    Same,
    /// All axes in reverse order: `x.T`.
    Reversed,
    /// The last two axes exchanged: `x.mT`.
    Transposed,
    /// The axes that the arguments 1 and 2 name exchanged.
    Swapped,
    /// The axes in the order that argument 1 gives.
    Permuted,
    /// The sizes that are asked for, elements in the same order.
    Reshaped,
    /// Axes merged, split, dropped or added by the arguments; the others keep their order.
    Rearranged,
    /// Some axes are dropped or become 1.
    Reduced,
    /// The arguments give the shape.
    Given,
    /// The operation has a rule of its own.
    Own,
}

/// How many multiplications, divisions, roots and other functions of a number an operation takes, each counted as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CostRule {
    /// None that count.
    Free,
    /// It depends on more than the shapes, or on a method with several steps.
    Uncounted,
    /// So many for each element of the result.
    PerResult(u64),
    /// One for each element of the result and each element along the last axis of this operand.
    MatrixProduct(usize),
    /// One for each element of the first operand and each element of the result.
    Spread,
    /// As many for each element as the power asks for.
    Power,
    /// One for each setting of all letters, for each operand but one.
    Einsum,
    /// Scores, scale, softmax, and the weighted sum.
    Attention,
}

/// What an operation does in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InPlace {
    /// It has no in-place form.
    Never,
    /// Its twin (`add_`) writes the result into the first argument.
    Twin,
    /// Its twin (`unsqueeze_`) gives the first argument another layout.
    Relayout,
    /// It has no other form: `zero_`, `x[i] = v`.
    Always,
}

impl Descriptor {
    /// A descriptor with what is usual for its family.
    pub(crate) const fn new(name: &'static str, family: OpFamily, explanation: Explanation) -> Descriptor {
        let shapes = match family {
            OpFamily::Pointwise => ShapeRule::Broadcast(0, 1),
            OpFamily::Reduction => ShapeRule::Reduced,
            OpFamily::Copy | OpFamily::Cast | OpFamily::Scan | OpFamily::Normalisation => ShapeRule::Same,
            OpFamily::View => ShapeRule::Rearranged,
            OpFamily::Creation | OpFamily::Random => ShapeRule::Given,
            _ => ShapeRule::Own,
        };
        let cost = match family {
            OpFamily::Loss | OpFamily::LinearAlgebra => CostRule::Uncounted,
            _ => CostRule::Free,
        };
        Descriptor {
            name,
            family,
            notation: OpNotation::Call,
            shapes,
            cost,
            in_place: InPlace::Never,
            overwrites: false,
            gradient: None,
            overload_by_form: false,
            in_place_overload: 1,
            keeps_order: false,
            cuts_history: false,
            explanation,
            twin: OnceLock::new(),
        }
    }

    /// The name of its in-place twin: `add_`.
    pub(crate) fn twin_name(&'static self) -> &'static str {
        self.twin.get_or_init(|| format!("{}_", self.name))
    }

    /// What `grad_fn` shows where the arguments fit this signature.
    pub(crate) fn gradient_of(&self, form: usize) -> Option<GradName> {
        let by =
            if self.overload_by_form { u8::try_from(form).expect("a row has few signatures") } else { 0 };
        self.gradient.map(|name| name.further(by))
    }

    /// What a call of it is called: `add`, or `add_` in place.
    pub fn called(&'static self, in_place: bool) -> &'static str {
        match self.in_place {
            InPlace::Twin | InPlace::Relayout if in_place => self.twin_name(),
            _ => self.name,
        }
    }

    /// The sign between its two operands, in formulas.
    pub(crate) fn sign(&self) -> Option<Sign> {
        match self.notation {
            OpNotation::Infix(sign) | OpNotation::Symbol(sign) => Some(sign),
            OpNotation::Call | OpNotation::Prefix(_) | OpNotation::Attribute | OpNotation::Subscript => None,
        }
    }

    /// The operator between its two operands, where Python has one that calls it.
    pub fn operator(&self) -> Option<Sign> {
        match self.notation {
            OpNotation::Infix(sign) => Some(sign),
            _ => None,
        }
    }
}

/// Methods that each set one field, for rows of the table.
macro_rules! setters {
    ($of:ty { $($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) $($field:ident).+ = $value:expr;)* }) => {
        impl $of {
            $(
                $(#[$doc])*
                pub(crate) const fn $name(mut self $(, $arg: $type)*) -> $of {
                    self.$($field).+ = $value;
                    self
                }
            )*
        }
    };
}
pub(crate) use setters;

// How a row of the table states what is particular to it.
setters! { Descriptor {
    /// `grad_fn` shows this node.
    grad(stem: &'static str) gradient = Some(GradName::node(stem));
    /// `grad_fn` shows this.
    grad_name(name: GradName) gradient = Some(name);
    /// An operator of Python calls it.
    infix(sign: Sign) notation = OpNotation::Infix(sign);
    /// It is written in another way.
    notation(notation: OpNotation) notation = notation;
    /// Shapes combine in another way.
    shapes(shapes: ShapeRule) shapes = shapes;
    /// It takes multiplications.
    cost(cost: CostRule) cost = cost;
    /// It takes so many multiplications for each element of the result.
    costs(each: u64) cost = CostRule::PerResult(each);
    /// In place it ignores what its target held.
    overwriting() overwrites = true;
    /// Its result lies in memory in the order that its operands have.
    keeping_order() keeps_order = true;
    /// A write through its result is not part of the history of its operand.
    cutting_history() cuts_history = true;
    /// Each of its signatures has an overload of its own: `Random`, `Random1`, ...
    overload_by_form() overload_by_form = true;
    /// The overload of its in-place twin is so many further, where that is not one.
    in_place_overload(by: u8) in_place_overload = by;
    /// It has only an in-place form.
    always_in_place() in_place = InPlace::Always;
    /// It is explained in another way.
    explained(explanation: Explanation) explanation = explanation;
    /// Its formula, where it works element by element.
    formula(formula: Formula) explanation = Explanation::Pointwise(formula);
} }

/// Element by element, operands broadcast.
pub(crate) const fn pointwise(name: &'static str) -> Descriptor {
    Descriptor::new(name, OpFamily::Pointwise, Explanation::Pointwise(Formula::Function)).keeping_order()
}

/// A sum of products.
pub(crate) const fn product(name: &'static str, kind: ProductKind) -> Descriptor {
    let product = Descriptor::new(name, OpFamily::Product, Explanation::Product(kind));
    let first = match kind {
        ProductKind::Matrix | ProductKind::Dot => 0,
        ProductKind::Added => 1,
    };
    product.shapes(ShapeRule::MatrixProduct(first, first + 1)).cost(CostRule::MatrixProduct(first))
}

/// One value for all elements along some dimensions.
pub(crate) const fn reduction(name: &'static str, reducer: Reducer) -> Descriptor {
    Descriptor::new(name, OpFamily::Reduction, Explanation::Reduction(reducer))
}

/// The largest, smallest or middle element along some dimensions.
pub(crate) const fn extreme_of(name: &'static str, which: Extremum, gives: ExtremeResult) -> Descriptor {
    Descriptor::new(name, OpFamily::Reduction, Explanation::Extreme { which, gives })
}

/// Another layout of the same elements.
pub(crate) const fn view(name: &'static str) -> Descriptor {
    Descriptor::new(name, OpFamily::View, Explanation::Moved(Movement::Rearranged))
}

/// Elements chosen or written by index or mask.
pub(crate) const fn indexed(name: &'static str, movement: Movement) -> Descriptor {
    Descriptor::new(name, OpFamily::Index, Explanation::Moved(movement))
}

/// Elements plus others that an index sends to them, one by one or by slices.
pub(crate) const fn indexed_sum(name: &'static str, by_element: bool) -> Descriptor {
    Descriptor::new(name, OpFamily::Index, Explanation::IndexedSum { by_element })
}

/// Elements joined, repeated, padded or rearranged in new memory.
pub(crate) const fn joined(name: &'static str, movement: Movement) -> Descriptor {
    Descriptor::new(name, OpFamily::Join, Explanation::Moved(movement))
}

/// A result that depends on the operands as a whole.
pub(crate) const fn whole(name: &'static str, family: OpFamily) -> Descriptor {
    Descriptor::new(name, family, Explanation::Whole)
}

/// Random numbers, which overwrite a tensor.
pub(crate) const fn random_fill(name: &'static str, kind: RandomKind) -> Descriptor {
    random(name, kind).overwriting()
}

/// Random numbers.
pub(crate) const fn random(name: &'static str, kind: RandomKind) -> Descriptor {
    Descriptor::new(name, OpFamily::Random, Explanation::Random(kind))
}

/// A new tensor.
pub(crate) const fn creation(name: &'static str, kind: ConstantKind) -> Descriptor {
    Descriptor::new(name, OpFamily::Creation, Explanation::Constant(kind))
}

/// `tensor[index] = value`
pub static SETITEM: Descriptor = Descriptor::new("setitem", OpFamily::Write, Explanation::Assignment)
    .notation(OpNotation::Subscript)
    .always_in_place()
    .overwriting();

/// What a write through a view means for the tensor that the view was made from.
pub(crate) static COPY_SLICES: Descriptor =
    Descriptor::new("copy_slices", OpFamily::Write, Explanation::Whole)
        .grad_name(GradName::CopySlices)
        .cutting_history();

/// A function of the learner's, defined with `torch.autograd.Function`.
pub(crate) static FUNCTION: Descriptor = Descriptor::new("function", OpFamily::Custom, Explanation::Whole);

/// `torch.tensor(data)`
pub(crate) static TENSOR: Descriptor = Descriptor::new("tensor", OpFamily::Creation, Explanation::Literal);

/// A gradient. What backward computes on the way to it is not recorded.
pub(crate) static GRADIENT: Descriptor =
    Descriptor::new("backward", OpFamily::Creation, Explanation::Gradient);

/// A copy that no call of an operation made, as `copy.deepcopy` makes one.
pub(crate) static DEEP_COPY: Descriptor = Descriptor::new("clone", OpFamily::Copy, Explanation::Copy);

/// What a step of an optimizer computes on the way to a parameter, under PyTorch's name and with its meaning.
const fn optimizer_state(name: &'static str, meaning: &'static str) -> Descriptor {
    let mut state =
        Descriptor::new(name, OpFamily::Write, Explanation::OptimizerState(meaning)).overwriting();
    state.notation = OpNotation::Attribute;
    state
}

pub(crate) static EXP_AVG: Descriptor =
    optimizer_state("exp_avg", "the running mean of the gradients, kept by the optimizer");
pub(crate) static EXP_AVG_SQ: Descriptor =
    optimizer_state("exp_avg_sq", "the running mean of the squared gradients, kept by the optimizer");
pub(crate) static DENOM: Descriptor =
    optimizer_state("denom", "sqrt(exp_avg_sq) / sqrt(1 - beta2**step) + eps: the size of recent gradients");
pub(crate) static MOMENTUM_BUFFER: Descriptor =
    optimizer_state("momentum_buffer", "the running sum of the gradients, kept by the optimizer");
pub(crate) static DIRECTION: Descriptor =
    optimizer_state("direction", "the gradient, with weight decay and momentum");
pub(crate) static STEP: Descriptor = optimizer_state("step", "how many steps the optimizer has done");

/// What a fused step of an optimizer wrote, where the operands are not kept.
pub(crate) static OPTIMIZER_STEP: Descriptor =
    Descriptor::new("optimizer.step", OpFamily::Write, Explanation::Whole).overwriting();
