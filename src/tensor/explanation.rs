//! How an element of a result is explained: what an operation computes, as far as explanations distinguish it.

/// What an operation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Explanation {
    /// A formula of the operands' elements that meet.
    Pointwise(Formula),
    /// The same value in another dtype.
    Cast(CastTo),
    /// An element of an operand from another place, or a number put there.
    Moved(Movement),
    /// The element in the same row-major place of the operand.
    Copy,
    /// What an optimizer keeps or computes, and what that means.
    OptimizerState(&'static str),
    /// The elements of another tensor, written over the first operand's.
    CopyFrom,
    /// A value where a mask is true, the operand's element elsewhere.
    MaskedFill,
    /// The operand's element on one side of a diagonal, 0 on the other.
    Triangle {
        /// Whether the lower side is kept.
        lower: bool,
    },
    /// `x[i] = value`: the value, or the element as it was.
    Assignment,
    /// The operand's element plus others that an index sends there.
    IndexedSum {
        /// Whether the index has a place for each element of the source, not for each slice.
        by_element: bool,
    },
    /// A sum of products along a line of each operand.
    Product(ProductKind),
    /// A product with a weight that is stored as (out, in), plus a bias.
    Linear,
    /// A sum of products over the letters that the result does not have.
    Einsum,
    /// A sum, or what is computed from one.
    Reduction(Reducer),
    /// A variance or its root.
    Spread {
        /// Whether it is the root: the standard deviation.
        root: bool,
    },
    /// The largest, smallest or middle element, or its place.
    Extreme {
        /// Which element wins.
        which: Extremum,
        gives: ExtremeResult,
    },
    /// A running value along a dimension.
    Running(RunningKind),
    /// An element by its rank, or the place of that element.
    Ordered(OrderKind),
    /// Exponentials over their sum.
    Softmax(SoftmaxKind),
    /// (x - mean) / sqrt(variance + eps), times a weight, plus a bias.
    Normalisation(NormKind),
    /// An element over the length of its line.
    UnitLength,
    Loss(LossKind),
    /// Weights over the keys, times the values.
    Attention,
    Random(RandomKind),
    /// An element that dropout kept or dropped.
    Dropout,
    /// A number that no operand decides.
    Constant(ConstantKind),
    /// A number that the learner's code gives.
    Literal,
    /// A gradient that backward computed, without a record of how.
    Gradient,
    /// A part of the product of two complex numbers, which are pairs.
    ComplexProduct,
    /// A result that depends on the operands as a whole.
    Whole,
}

/// Formulas of elements that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// a + alpha·b
    Add,
    /// a - alpha·b
    Sub,
    /// b - alpha·a
    ReverseSub,
    /// a·b
    Mul,
    /// a / b, rounded if asked for
    Div,
    /// a ^ b
    Pow,
    /// x^2
    Square,
    /// -x
    Neg,
    /// 1 / x
    Reciprocal,
    /// sqrt(x)
    Sqrt,
    /// 1 / sqrt(x)
    Rsqrt,
    /// exp(x)
    Exp,
    /// A logarithm to some base.
    Log,
    /// The sine or the cosine of an angle.
    Trigonometric,
    /// An inverse function that is defined between -1 and 1 only: `acos`, `asin`.
    InverseTrigonometric,
    /// The hyperbolic tangent.
    Tanh,
    /// 1 / (1 + exp(-x))
    Sigmoid,
    /// x / (1 + exp(-x))
    Silu,
    /// max(0, x)
    Relu,
    /// x times the normal distribution function of x
    Gelu,
    /// x held between bounds
    Clamp,
    /// a + value·b·c
    Addcmul,
    /// a + value·b / c
    Addcdiv,
    /// a + c·(b - a)
    Lerp,
    /// a == b, a < b and the like; the descriptor's sign says which
    Compare,
    /// not x
    Not,
    /// a and b
    And,
    /// a or b
    Or,
    /// the larger of a and b
    Larger,
    /// the smaller of a and b
    Smaller,
    /// x, or a number in place of nan and infinities
    NanToNum,
    /// Any other function of two operands, whatever arguments follow.
    Pair,
    /// Any other function of the tensors and numbers that come first.
    Function,
}

/// Which dtype a cast gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastTo {
    /// The one that its arguments name: `to`, `type_as`.
    Asked,
    /// The one that it is named for: `float`.
    Named,
    /// The one that the tensor has: `cpu`.
    Own,
}

/// Where an element came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Movement {
    /// One of several tensors, joined along a dimension.
    Joined,
    /// One of several tensors, joined along a new dimension.
    Stacked,
    /// The place that an index names.
    LookedUp,
    /// A row of a table.
    Embedded,
    /// One of two tensors, by a condition.
    Chosen,
    /// The operand's element, or a value where an index says so.
    Filled,
    /// One of the parts that a tensor is split into along a dimension.
    Part,
    /// Another place of the operand, or a number put there.
    Rearranged,
}

/// Products of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductKind {
    /// Rows by columns, over pages.
    Matrix,
    /// Two vectors.
    Dot,
    /// beta·input + alpha·(a @ b)
    Added,
}

/// What elements are reduced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reducer {
    Sum,
    Mean,
    Product,
    /// The logarithm of the sum of their exponentials.
    LogSumExp,
    /// Their length.
    Norm,
    /// Whether all are true.
    All,
    /// Whether any is true.
    Any,
}

/// Which of several elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extremum {
    Largest,
    Smallest,
    Middle,
}

/// What an extreme gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExtremeResult {
    /// The element.
    Value,
    /// Its index.
    Place,
    /// The element, and its index as a second result.
    ValueAndPlace,
}

/// Running values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunningKind {
    Sum,
    Product,
}

/// Elements in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderKind {
    /// Sorted values, and their places as a second result.
    Sort,
    /// The places alone.
    ArgSort,
    /// The k largest or smallest, and their places.
    TopK,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SoftmaxKind {
    Weights,
    /// Their logarithms.
    Log,
}

/// The kinds of normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormKind {
    /// Over the last dimensions.
    Layer,
    /// Over the last dimensions, by the root mean square.
    Rms,
}

/// Losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossKind {
    /// Cross entropy of scores and classes.
    CrossEntropy,
    /// Minus the log-probability of the class.
    NegativeLogLikelihood,
    /// Cross entropy of scores and probabilities, class by class.
    WithLogits,
    /// Squared differences.
    Squared,
    /// Another loss of pairs of elements.
    Other,
}

/// Random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RandomKind {
    /// Uniform between 0 and 1.
    Uniform,
    /// Uniform between bounds, written in place.
    UniformFill,
    /// Normal with mean 0 and variance 1.
    Normal,
    /// Normal, written in place.
    NormalFill,
    /// 0 or 1.
    Bernoulli,
    /// Numbers that depend on several draws each.
    Together,
    /// Another distribution.
    Other,
}

/// Numbers that no operand decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantKind {
    Everywhere,
    /// Memory that is not set.
    Empty,
    /// start + step·n
    Range,
    /// Numbers between two ends.
    Spaced,
    /// 1 on the diagonal.
    Identity,
    /// A number or an operand's only element, everywhere.
    Fill,
}
