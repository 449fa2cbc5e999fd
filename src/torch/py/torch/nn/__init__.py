"""torch.nn: modules, their parameters, and the functions behind them.

Only `Module` and `Parameter` are loaded with this package; every other name is looked up in the
file that defines it when a lesson first asks for it.
"""

from torch._names import absent_in

from .parameter import Parameter
from .modules.module import Module

_PLACES = {
    "activation": "ELU GELU GLU LeakyReLU LogSoftmax "
    "MultiheadAttention ReLU SiLU Sigmoid Softmax Softplus Tanh",
    "batchnorm": "BatchNorm1d BatchNorm2d",
    "container": "ModuleDict ModuleList ParameterDict ParameterList Sequential",
    "conv": "Conv1d Conv2d",
    "distance": "CosineSimilarity",
    "dropout": "Dropout Dropout2d",
    "flatten": "Flatten Unflatten",
    "fold": "Unfold",
    "linear": "Identity Linear",
    "loss": "BCELoss BCEWithLogitsLoss CrossEntropyLoss KLDivLoss L1Loss MSELoss NLLLoss SmoothL1Loss",
    "normalization": "GroupNorm LayerNorm RMSNorm",
    "pooling": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool2d AvgPool1d AvgPool2d MaxPool1d "
    "MaxPool2d",
    "rnn": "GRU GRUCell LSTM LSTMCell RNN RNNBase",
    "sparse": "Embedding",
    "parallel": "DataParallel",
    "transformer": "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
}
_FILES = {name: "torch.nn.modules." + file for file, names in _PLACES.items() for name in names.split()}
_SUBMODULES = ("attention", "functional", "init", "modules", "parameter", "utils")

__all__ = ["Module", "Parameter", *sorted(_FILES)]

__getattr__ = absent_in("torch.nn", __all__, _SUBMODULES, _FILES)


def __dir__():
    return sorted(set(globals()) | set(__all__) | set(_SUBMODULES))
