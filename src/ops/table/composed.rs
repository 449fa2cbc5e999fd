//! Operations that are functions of others: each row has its function in `py/torch/_composed.py`.

use crate::ops::autocast;
use crate::ops::op::{BOTH, FUNCTION, FUNCTIONAL, IN_PLACE_ONLY, LINALG, METHOD, Op, TargetCheck, composed};
use crate::tensor::DType;
use crate::tensor::descriptor::GradName;

rows![
    composed(
        "one_hot",
        None,
        FUNCTIONAL,
        &["Tensor input, int num_classes=-1"],
        "A row with a single 1 for each number. (..) -> (.., num_classes)",
    ),
    composed(
        "cosine_similarity",
        Some(GradName::Node("Sum", 1)),
        FUNCTION | FUNCTIONAL,
        &["Tensor x1, Tensor x2, int dim=1, float eps=1e-8"],
        "The cosine of the angle between vectors along dim.",
    ),
    composed(
        "group_norm",
        Some(GradName::node("NativeGroupNorm")),
        FUNCTION | FUNCTIONAL,
        &["Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05"],
        "Mean 0 and variance 1 over groups of channels. (batch, channels, ..)",
    )
    .refusing(super::refused::is_whole, "\"GroupNormKernelImpl\" not implemented for '{}'"),
    composed(
        "pairwise_distance",
        Some(GradName::Node("Norm", 1)),
        FUNCTION | FUNCTIONAL,
        &["Tensor x1, Tensor x2, float p=2.0, float eps=1e-6, bool keepdim=False"],
        "The norm of the difference of vectors along the last dimension.",
    )
    .refusing(
        super::refused::is_bool,
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
    ),
    composed(
        "l1_loss",
        None,
        FUNCTIONAL,
        &["Tensor input, Tensor target, only size_average=None, only reduce=None, str reduction='mean'"],
        "The mean of the absolute differences.",
    )
    .autocast(autocast::float32),
    composed(
        "smooth_l1_loss",
        None,
        FUNCTIONAL,
        &[
            "Tensor input, Tensor target, only size_average=None, only reduce=None, str reduction='mean', float beta=1.0",
        ],
        "Squared differences where they are small, absolute ones elsewhere.",
    )
    .autocast(autocast::float32)
    .refusing(super::refused::is_whole, "\"smooth_l1_cpu\" not implemented for '{}'")
    .saving_operands(),
    composed(
        "kl_div",
        None,
        FUNCTIONAL,
        &[
            "Tensor input, Tensor target, only size_average=None, only reduce=None, str reduction='mean', bool log_target=False",
        ],
        "How far log-probabilities are from a distribution, in nats.",
    )
    .refusing(super::refused::is_whole, "kl_div: Integral inputs not supported.")
    .autocast(autocast::float32),
    composed(
        "glu",
        Some(GradName::node("Glu")),
        FUNCTIONAL,
        &["Tensor input, int dim=-1"],
        "The first half times the sigmoid of the second.",
    )
    .refusing(super::refused::is_whole, "\"glu_cpu\" not implemented for '{}'"),
    composed(
        "gumbel_softmax",
        None,
        FUNCTIONAL,
        &["Tensor logits, float tau=1, bool hard=False, hint eps=1e-10, int dim=-1"],
        "Softmax of logits with Gumbel noise: a sample, in numbers.",
    ),
    composed("diff", None, BOTH, &["Tensor input, int n=1, int dim=-1"], "The differences of neighbours."),
    composed(
        "nanmean",
        None,
        BOTH,
        &["Tensor input, ints? dim=None, bool keepdim=False, *, dtype? dtype=None"],
        "The mean of the elements that are not nan.",
    )
    .refusing(
        super::refused::is_whole,
        "nanmean(): expected input to have floating point or complex dtype but got {}",
    ),
    composed(
        "fill_diagonal_",
        Some(GradName::node("FillDiagonal")),
        METHOD | IN_PLACE_ONLY,
        &["Tensor input, Number fill_value, bool wrap=False"],
        "The main diagonal set to a value.",
    )
    .checking(TargetCheck::Overlap),
    composed(
        "inner",
        None,
        BOTH,
        &["Tensor input, Tensor other, *, out? out=None"],
        "Products along the last dimensions. (.., k) x (.., k)",
    )
    .autocast(autocast::inner),
    composed(
        "outer",
        None,
        BOTH,
        &["Tensor input, Tensor vec2, *, out? out=None"],
        "Each with each. (n) x (m) -> (n, m)",
    ),
    composed(
        "tensordot",
        None,
        0,
        &[
            "Tensor a, Tensor b, ints _first, ints _second",
            "Tensor a, Tensor b, int dims=2, *, out? out=None",
        ],
        "Products summed over dimensions of both.",
    )
    .autocast(autocast::lower_precision),
    composed(
        "trace",
        Some(GradName::node("Trace")),
        BOTH,
        &["Tensor input"],
        "The sum of the diagonal. (n, n) -> ()",
    )
    .autocast(autocast::float32)
    .refusing(DType::is_half, "\"trace\" not implemented for '{}'"),
    composed(
        "cdist",
        None,
        FUNCTION,
        &["Tensor x1, Tensor x2, float p=2.0, str compute_mode='use_mm_for_euclid_dist_if_necessary'"],
        "The p-norm distance of every row to every row. (.., n, d) x (.., m, d) -> (.., n, m)",
    )
    .autocast(autocast::float32)
    .refusing(DType::is_half, "\"cdist\" not implemented for '{}'")
    .saving_operands(),
    composed(
        "quantile",
        Some(GradName::node("Quantile")),
        BOTH,
        &["Tensor input, Operand q, int? dim=None, bool keepdim=False, *, str interpolation='linear'"],
        "The value below which a share q of the elements lies.",
    )
    .autocast(autocast::float32),
    composed(
        "hstack",
        None,
        FUNCTION,
        &["Tensors tensors, *, out? out=None"],
        "Tensors side by side: along the columns, vectors end to end.",
    ),
    composed(
        "vstack",
        None,
        FUNCTION,
        &["Tensors tensors, *, out? out=None"],
        "Tensors one below the other; a vector is a row.",
    ),
    composed(
        "block_diag",
        Some(GradName::node("BlockDiag")),
        FUNCTION,
        &["Several tensors"],
        "Matrices down the diagonal of a larger one.",
    ),
    composed(
        "meshgrid",
        None,
        FUNCTION,
        &["Several tensors, *, str? indexing=None"],
        "The coordinates of a grid, one tensor for each axis. Views.",
    ),
    composed(
        "tile",
        None,
        BOTH,
        &["Tensor input, sizes dims"],
        "The tensor so many times over along the last dimensions.",
    ),
    composed(
        "repeat_interleave",
        Some(GradName::node("View")),
        BOTH,
        &[
            "Tensor input, Tensor repeats, int? dim=None, *, int? output_size=None",
            "Tensor input, int repeats, int? dim=None, *, int? output_size=None",
            "Tensor repeats, *, int? output_size=None",
        ],
        "Each element, or slice along a dimension, so many times.",
    ),
    composed(
        "roll",
        Some(GradName::node("Roll")),
        BOTH,
        &["Tensor input, ints shifts, ints dims=()"],
        "Elements shifted along dimensions; those shifted beyond the last position return at the first.",
    ),
    composed(
        "tril_indices",
        None,
        FUNCTION,
        &[
            "int row, int col, int offset=0, *, dtype? dtype=None, device? device=None, layout? layout=None, only pin_memory=False",
        ],
        "Where the lower triangle is: rows, then columns.",
    ),
    composed(
        "triu_indices",
        None,
        FUNCTION,
        &[
            "int row, int col, int offset=0, *, dtype? dtype=None, device? device=None, layout? layout=None, only pin_memory=False",
        ],
        "Where the upper triangle is: rows, then columns.",
    ),
    composed(
        "linalg_norm",
        None,
        LINALG,
        &[
            "Tensor A, Number? ord=None, ints? dim=None, bool keepdim=False, *, dtype? dtype=None, out? out=None",
            "Tensor A, str ord, ints? dim=None, bool keepdim=False, *, dtype? dtype=None, out? out=None",
        ],
        "The size of vectors or matrices.",
    ),
    composed(
        "linalg_matrix_norm",
        None,
        LINALG,
        &[
            "Tensor A, str ord='fro', ints? dim=None, bool keepdim=False, *, dtype? dtype=None, out? out=None",
            "Tensor A, Number ord, ints? dim=None, bool keepdim=False, *, dtype? dtype=None, out? out=None",
        ],
        "The size of matrices.",
    ),
    composed(
        "conv1d",
        Some(GradName::node("Convolution")),
        FUNCTION | FUNCTIONAL,
        &[
            "Tensor input, Tensor weight, Tensor? bias=None, ints stride=1, ints padding=0, ints dilation=1, int groups=1",
            "Tensor input, Tensor weight, Tensor? bias=None, ints stride=1, str padding='valid', ints dilation=1, int groups=1",
        ],
        "Windows of the last dimension times filters. (batch, in, n) x (out, in, k) -> (batch, out, m)",
    )
    .autocast(autocast::lower_precision),
    composed(
        "avg_pool1d",
        None,
        FUNCTION | FUNCTIONAL,
        &[
            "Tensor input, ints kernel_size, ints stride=(), ints padding=0, bool ceil_mode=False, bool count_include_pad=True",
        ],
        "The mean of each window of the last dimension.",
    )
    .refusing(super::refused::is_whole, "\"avg_pool2d\" not implemented for '{}'")
    .saving_operands(),
    composed(
        "max_pool1d",
        None,
        FUNCTION | FUNCTIONAL,
        &[
            "Tensor input, ints kernel_size, ints? stride=None, ints padding=0, ints dilation=1, bool ceil_mode=False",
        ],
        "The largest of each window of the last dimension.",
    )
    .refusing(super::refused::is_whole, "\"max_pool1d_impl\" not implemented for '{}'"),
];
