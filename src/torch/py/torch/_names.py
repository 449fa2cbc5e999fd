"""What to say about names that are not here."""

import _torch

_KNOWN = {
    "torch.nn.utils.rnn": "unpack_sequence unpad_sequence",
    "torch.distributions": "Bernoulli Binomial Cauchy Chi2 Dirichlet Exponential Gamma Geometric Gumbel HalfNormal Independent "
    "LogNormal Multinomial MultivariateNormal OneHotCategorical Poisson register_kl Uniform",
    "torch.nn": "AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d "
    "AlphaDropout AvgPool3d BatchNorm3d Bilinear Buffer CELU ChannelShuffle CircularPad1d CircularPad2d "
    "CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Container Conv3d ConvTranspose1d ConvTranspose2d "
    "ConvTranspose3d CrossMapLRN2d CTCLoss Dropout1d Dropout3d EmbeddingBag factory_kwargs "
    "FeatureAlphaDropout Fold FractionalMaxPool2d FractionalMaxPool3d GaussianNLLLoss grad Hardshrink Hardsigmoid "
    "Hardswish Hardtanh HingeEmbeddingLoss HuberLoss InstanceNorm1d InstanceNorm2d InstanceNorm3d intrinsic "
    "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d "
    "LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d "
    "LazyLinear LocalResponseNorm LPPool1d LPPool2d LPPool3d MarginRankingLoss MaxPool3d MaxUnpool1d "
    "MaxUnpool2d MaxUnpool3d Mish MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss2d "
    "PairwiseDistance parallel ParameterDict PixelShuffle PixelUnshuffle PoissonNLLLoss PReLU qat quantizable "
    "quantized ReflectionPad1d ReflectionPad2d ReflectionPad3d ReLU6 ReplicationPad1d ReplicationPad2d "
    "ReplicationPad3d RNNCell RNNCellBase RReLU SELU SoftMarginLoss Softmax2d Softmin Softshrink Softsign "
    "SyncBatchNorm Tanhshrink Threshold TripletMarginWithDistanceLoss UninitializedBuffer "
    "UninitializedParameter UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d",
    "torch.nn.functional": "adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d affine_grid "
    "alpha_dropout avg_pool3d bilinear celu channel_shuffle conv3d conv_tbc conv_transpose1d conv_transpose2d "
    "conv_transpose3d ctc_loss dropout1d dropout3d embedding_bag feature_alpha_dropout fold fractional_max_pool2d "
    "gaussian_nll_loss grid_sample hardshrink hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss "
    "instance_norm local_response_norm lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss max_pool3d "
    "max_unpool1d max_unpool2d max_unpool3d mish multi_margin_loss multilabel_margin_loss "
    "multilabel_soft_margin_loss native_channel_shuffle pdist pixel_shuffle pixel_unshuffle poisson_nll_loss "
    "prelu relu6 rrelu selu soft_margin_loss softmin softshrink softsign tanhshrink threshold "
    "triplet_margin_with_distance_loss upsample upsample_bilinear upsample_nearest",
    "torch.nn.init": "dirac dirac_ sparse sparse_",
    "torch.nn.utils": "convert_conv2d_weight_memory_format fuse_conv_bn_eval fuse_linear_bn_eval prune "
    "parametrizations parametrize remove_spectral_norm remove_weight_norm skip_init spectral_norm stateless weight_norm",
    "torch.optim": "Adadelta Adafactor Adagrad Adamax ASGD LBFGS NAdam RAdam Rprop SparseAdam swa_utils",
    "torch.optim.lr_scheduler": "ChainedScheduler CyclicLR MultiplicativeLR",
    "torch.utils.data": "ChainDataset ConcatDataset DistributedSampler IterDataPipe MapDataPipe StackDataset SubsetRandomSampler "
    "WeightedRandomSampler",
    "torch.utils": "benchmark bottleneck bundled_inputs collect_env cpp_extension deterministic dlpack "
    "mobile_optimizer model_zoo tensorboard",
    "torch.linalg": "cholesky cholesky_ex cond cross eig eigvals householder_product inv_ex ldl_factor ldl_solve lstsq lu "
    "lu_factor lu_solve matrix_exp matrix_power multi_dot solve_ex tensorinv tensorsolve vander "
    "vecdot",
    "torch.autograd": "Variable anomaly_mode forward_ad function functional "
    "gradcheck gradgradcheck graph profiler ",
    "torch.cuda": "Event FloatTensor Stream amp current_stream default_stream get_arch_list graph ipc_collect memory nvtx "
    "set_per_process_memory_fraction stream",
}


# `hasattr`, and `getattr` with a default, take such a name for one that is not there.
Absent = type("NotImplementedError", (NotImplementedError, AttributeError), {"__module__": "builtins"})


def missing(place, name, names):
    """The error for `place.name`: not part of attn where PyTorch has it, else no attribute."""
    if name.startswith("__") and name.endswith("__"):
        return AttributeError(f"module '{place}' has no attribute '{name}'")
    hint = _torch._suggestion(name, [*names])
    if name in _KNOWN.get(place, "").split():
        return Absent(f"{place}.{name} is not part of attn{hint}")
    return AttributeError(f"module '{place}' has no attribute '{name}'{hint}")


def absent_in(place, names, submodules=()):
    """The `__getattr__` of a module: its submodules as they are asked for, and the errors for all other names."""

    def __getattr__(name):
        if name not in submodules:
            raise missing(place, name, names)
        import importlib

        return importlib.import_module(f"{place}.{name}")

    return __getattr__


def imported(name):
    """The error for `from torch.nn import Conv3d`, if PyTorch has the name and attn has not."""
    import sys

    place, _, leaf = name.rpartition(".")
    if place not in sys.modules:
        return None
    error = _torch._missing(leaf) if place == "torch" else missing(place, leaf, vars(sys.modules[place]))
    return ImportError(str(error), name=leaf) if isinstance(error, NotImplementedError) else None
