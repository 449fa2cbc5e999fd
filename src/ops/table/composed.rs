//! Operations that are functions of others: each row has its function in `py/torch/_composed.py`.

use super::reduce::VAR;
use crate::ops::autocast;
use crate::ops::op::{
    ALL, BOTH, FUNCTION, FUNCTIONAL, IN_PLACE_ONLY, LINALG, METHOD, Op, TargetCheck, composed,
};
use crate::tensor::DType;
use crate::tensor::descriptor::GradName;

rows![
    composed("one_hot", FUNCTIONAL)
        .forms(&["Tensor input, int num_classes=-1"])
        .doc("A row with a single 1 for each number. (..) -> (.., num_classes)"),
    composed("cosine_similarity", FUNCTION | FUNCTIONAL)
        .forms(&["Tensor x1, Tensor x2, int dim=1, float eps=1e-8"])
        .doc("The cosine of the angle between vectors along dim.")
        .grad_name(GradName::Node("Sum", 1)),
    composed("group_norm", FUNCTION | FUNCTIONAL)
        .forms(&["Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05"])
        .doc("Mean 0 and variance 1 over groups of channels. (batch, channels, ..)")
        .grad_name(GradName::node("NativeGroupNorm"))
        .refusing(super::refused::is_whole, "\"GroupNormKernelImpl\" not implemented for '{}'"),
    composed("batch_norm", FUNCTIONAL)
        .forms(&["Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, \
             Tensor? bias=None, bool training=False, float momentum=0.1, float eps=1e-05"])
        .doc("Mean 0 and variance 1 over the batch, or by kept moments. (batch, channels, ..)")
        .grad_name(GradName::node("NativeBatchNorm"))
        .refusing(super::refused::is_whole, "\"batch_norm\" not implemented for '{}'")
        .saving_operands_if(|name| name != "bias"),
    composed("pairwise_distance", FUNCTION | FUNCTIONAL)
        .forms(&["Tensor x1, Tensor x2, float p=2.0, float eps=1e-6, bool keepdim=False"])
        .doc("The norm of the difference of vectors along the last dimension.")
        .grad_name(GradName::Node("Norm", 1)),
    composed("l1_loss", FUNCTIONAL)
        .forms(&[concat!("Tensor input, Tensor target, ", reduced!())])
        .doc("The mean of the absolute differences.")
        .autocast(autocast::float32),
    composed("smooth_l1_loss", FUNCTIONAL)
        .forms(&[concat!("Tensor input, Tensor target, ", reduced!(), ", float beta=1.0")])
        .doc("Squared differences where they are small, absolute ones elsewhere.")
        .autocast(autocast::float32)
        .refusing(super::refused::is_whole, "\"smooth_l1_cpu\" not implemented for '{}'")
        .saving_operands(),
    composed("kl_div", FUNCTIONAL)
        .forms(&[concat!("Tensor input, Tensor target, ", reduced!(), ", bool log_target=False")])
        .doc("How far log-probabilities are from a distribution, in nats.")
        .refusing(super::refused::is_whole, "kl_div: Integral inputs not supported.")
        .autocast(autocast::float32),
    composed("glu", FUNCTIONAL)
        .forms(&["Tensor input, int dim=-1"])
        .doc("The first half times the sigmoid of the second.")
        .grad_name(GradName::node("Glu"))
        .refusing(super::refused::is_whole, "\"glu_cpu\" not implemented for '{}'"),
    composed("gumbel_softmax", FUNCTIONAL)
        .forms(&["Tensor logits, float tau=1, bool hard=False, hint eps=1e-10, int dim=-1"])
        .doc("Softmax of logits with Gumbel noise: a sample, in numbers."),
    composed("diff", BOTH)
        .forms(&["Tensor input, int n=1, int dim=-1"])
        .doc("The differences of neighbours."),
    composed("count_nonzero", BOTH)
        .forms(&["Tensor input, ints? dim=None"])
        .doc("How many elements are not zero."),
    composed("var_mean", FUNCTION)
        .forms(VAR)
        .doc("The variance and the mean.")
        .grad_name(GradName::node("VarMean")),
    composed("scatter_reduce", ALL)
        .forms(&["Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True"])
        .doc("The sum, mean, largest or smallest of the elements that an index sends to one place.")
        .grad_name(GradName::node("ScatterReduce")),
    composed("fill_diagonal_", METHOD | IN_PLACE_ONLY)
        .forms(&["Tensor input, Number fill_value, only wrap=False"])
        .doc("The main diagonal set to a value.")
        .grad_name(GradName::node("FillDiagonal"))
        .checking(TargetCheck::Overlap),
    composed("outer", BOTH)
        .forms(&["Tensor input, Tensor vec2, *, out? out=None"])
        .doc("Each with each. (n) x (m) -> (n, m)"),
    composed("tensordot", 0)
        .forms(&[
            "Tensor a, Tensor b, ints _first, ints _second",
            "Tensor a, Tensor b, int dims=2, *, out? out=None"
        ])
        .doc("Products summed over dimensions of both.")
        .autocast(autocast::lower_precision),
    composed("trace", BOTH)
        .doc("The sum of the diagonal. (n, n) -> ()")
        .grad_name(GradName::node("Trace"))
        .autocast(autocast::float32)
        .refusing(|dtype| dtype.is_half() || dtype == DType::Bool, "\"trace\" not implemented for '{}'"),
    composed("cdist", FUNCTION)
        .forms(&["Tensor x1, Tensor x2, float p=2.0, only compute_mode=None"])
        .doc("The p-norm distance of every row to every row. (.., n, d) x (.., m, d) -> (.., n, m)")
        .autocast(autocast::float32)
        .refusing(DType::is_half, "\"cdist\" not implemented for '{}'")
        .saving_operands(),
    composed("quantile", BOTH)
        .forms(&["Tensor input, Operand q, int? dim=None, bool keepdim=False, *, only interpolation=None"])
        .doc("The value below which a share q of the elements lies.")
        .grad_name(GradName::node("Quantile"))
        .autocast(autocast::float32),
    composed("hstack", FUNCTION)
        .forms(&["Tensors tensors, *, out? out=None"])
        .doc("Tensors side by side: along the columns, vectors end to end."),
    composed("vstack", FUNCTION)
        .forms(&["Tensors tensors, *, out? out=None"])
        .doc("Tensors one below the other; a vector is a row."),
    composed("block_diag", FUNCTION)
        .forms(&["Several tensors"])
        .doc("Matrices down the diagonal of a larger one.")
        .grad_name(GradName::node("BlockDiag")),
    composed("meshgrid", FUNCTION)
        .forms(&["Several tensors, *, str? indexing=None"])
        .doc("The coordinates of a grid, one tensor for each axis. Views."),
    composed("tile", BOTH)
        .forms(&["Tensor input, sizes dims"])
        .doc("The tensor so many times over along the last dimensions."),
    composed("repeat_interleave", BOTH)
        .forms(&[
            "Tensor input, Tensor repeats, int? dim=None, *, hint output_size=None",
            "Tensor input, int repeats, int? dim=None, *, hint output_size=None",
            "Tensor repeats, *, hint output_size=None"
        ])
        .doc("Each element, or slice along a dimension, so many times.")
        .grad_name(GradName::node("View")),
    composed("roll", BOTH)
        .forms(&["Tensor input, ints shifts, ints dims=()"])
        .doc(
            "Elements shifted along dimensions; those shifted beyond the last position return at the \
             first."
        )
        .grad_name(GradName::node("Roll")),
    composed("tril_indices", FUNCTION)
        .forms(&["int row, int col, int offset=0, *, dtype? dtype=None, device? device=None, \
             layout? layout=None, only pin_memory=False"])
        .doc("Where the lower triangle is: rows, then columns."),
    composed("triu_indices", FUNCTION)
        .forms(&["int row, int col, int offset=0, *, dtype? dtype=None, device? device=None, \
             layout? layout=None, only pin_memory=False"])
        .doc("Where the upper triangle is: rows, then columns."),
    composed("linalg_norm", LINALG)
        .forms(&[
            "Tensor A, Number? ord=None, ints? dim=None, bool keepdim=False, *, only dtype=None, \
             out? out=None",
            "Tensor A, str ord, ints? dim=None, bool keepdim=False, *, only dtype=None, out? out=None"
        ])
        .doc("The size of vectors or matrices."),
    composed("linalg_matrix_norm", LINALG)
        .forms(&[
            "Tensor A, str ord='fro', ints? dim=None, bool keepdim=False, *, only dtype=None, \
             out? out=None",
            "Tensor A, Number ord, ints? dim=None, bool keepdim=False, *, only dtype=None, out? out=None"
        ])
        .doc("The size of matrices."),
    composed("conv1d", FUNCTION | FUNCTIONAL)
        .forms(&[
            "Tensor input, Tensor weight, Tensor? bias=None, ints stride=1, ints padding=0, \
             ints dilation=1, int groups=1",
            "Tensor input, Tensor weight, Tensor? bias=None, ints stride=1, str padding='valid', \
             ints dilation=1, int groups=1"
        ])
        .doc("Windows of the last dimension times filters. (batch, in, n) x (out, in, k) -> (batch, out, m)")
        .grad_name(GradName::node("Convolution"))
        .autocast(autocast::lower_precision),
    composed("avg_pool1d", FUNCTION | FUNCTIONAL)
        .forms(&["Tensor input, ints kernel_size, ints stride=(), ints padding=0, bool ceil_mode=False, \
             bool count_include_pad=True"])
        .doc("The mean of each window of the last dimension.")
        .refusing(super::refused::is_whole, "\"avg_pool2d\" not implemented for '{}'")
        .saving_operands(),
    composed("max_pool1d", FUNCTION | FUNCTIONAL)
        .forms(&["Tensor input, ints kernel_size, ints? stride=None, ints padding=0, ints dilation=1, \
             bool ceil_mode=False"])
        .doc("The largest of each window of the last dimension.")
        .refusing(super::refused::is_whole, "\"max_pool1d_impl\" not implemented for '{}'"),
];
