"""Recurrent networks: a state that is carried from each step to the next."""

import _torch
import torch
from torch._arguments import on_cpu
from torch.nn import functional as F
from torch.nn import init
from torch.nn.parameter import Parameter
from torch.nn.utils._packed import PackedSequence

from ._show import unusual
from .module import Module


def _lstm_step(x, state, w_ih, w_hh, b_ih, b_hh):
    h, c = state
    gates = F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh)
    i, f, g, o = gates.chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def _gru_step(x, state, w_ih, w_hh, b_ih, b_hh):
    (h,) = state
    r_x, z_x, n_x = F.linear(x, w_ih, b_ih).chunk(3, -1)
    r_h, z_h, n_h = F.linear(h, w_hh, b_hh).chunk(3, -1)
    r = torch.sigmoid(r_x + r_h)
    z = torch.sigmoid(z_x + z_h)
    n = torch.tanh(n_x + r * n_h)
    return ((h - n) * z + n,)


def _plain_step(nonlinearity):
    def step(x, state, w_ih, w_hh, b_ih, b_hh):
        return (nonlinearity(F.linear(x, w_ih, b_ih) + F.linear(state[0], w_hh, b_hh)),)

    return step


_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_STEPS = {
    "LSTM": _lstm_step,
    "GRU": _gru_step,
    "RNN_TANH": _plain_step(torch.tanh),
    "RNN_RELU": _plain_step(torch.relu),
}


def _fill(module, hidden_size):
    """Every parameter uniform in +-1/sqrt(hidden_size)."""
    bound = 1.0 / hidden_size**0.5 if hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


class RNNBase(Module):
    """What RNN, LSTM and GRU share: weights by layer and direction, and the loop over time."""

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        on_cpu(device)
        super().__init__()
        if proj_size:
            raise NotImplementedError("proj_size of torch.nn.LSTM is not part of attn")
        if not isinstance(hidden_size, int):
            raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if dropout > 0 and num_layers == 1:
            import warnings

            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        wide = _GATES[mode] * hidden_size
        self._directions = 2 if bidirectional else 1
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * self._directions
            for end in ("", "_reverse")[: self._directions]:
                shapes = [("weight_ih", (wide, width)), ("weight_hh", (wide, hidden_size))]
                if bias:
                    shapes += [("bias_ih", (wide,)), ("bias_hh", (wide,))]
                for name, shape in shapes:
                    setattr(self, f"{name}_l{layer}{end}", Parameter(torch.empty(shape, dtype=dtype)))
        self.reset_parameters()

    def reset_parameters(self):
        _fill(self, self.hidden_size)

    def flatten_parameters(self):
        pass

    def _weights(self, layer, end):
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")[: 4 if self.bias else 2]
        return [getattr(self, f"{name}_l{layer}{end}") for name in names]

    def extra_repr(self):
        rest = unusual(self, num_layers=1, bias=True, batch_first=False, dropout=0, bidirectional=False)
        return f"{self.input_size}, {self.hidden_size}{rest}"

    def forward(self, input, hx=None):
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, self._states(hx))
        if input.dim() not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched = input.dim() == 3
        self._check_width(input)
        states = self._states(hx)
        if not batched:
            input = input.unsqueeze(1)
            states = states and tuple(state.unsqueeze(1) for state in states)
        elif self.batch_first:
            input = input.transpose(0, 1)
        if states is not None:
            self._check_states(states, input.size(1))
        states = states or self._zeros(input.size(1), input.dtype)
        output, last = self._run(input, states, lambda x: [x[time] for time in range(x.size(0))], torch.stack)
        if not batched:
            output = output.squeeze(1)
            last = tuple(state.squeeze(1) for state in last)
        elif self.batch_first:
            output = output.transpose(0, 1)
            if self.mode != "LSTM":
                _torch._name_node(output, "Transpose", 1)
        return output, last if self.mode == "LSTM" else last[0]

    def _forward_packed(self, packed, states):
        """A packed batch: no step is taken after the end of a sequence."""
        data, batch_sizes, order, inverse = packed
        self._check_width(data)
        sizes = batch_sizes.tolist()
        if states is None:
            states = self._zeros(sizes[0], data.dtype)
        else:
            self._check_states(states, sizes[0])
            states = tuple(_of_sequences(state, order) for state in states)
        output, last = self._run(data, states, lambda x: x.split(sizes), torch.cat)
        last = tuple(_of_sequences(state, inverse) for state in last)
        return PackedSequence(output, batch_sizes, order, inverse), last if self.mode == "LSTM" else last[0]

    def _check_width(self, input):
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _check_states(self, states, sequences):
        wanted = (self.num_layers * self._directions, sequences, self.hidden_size)
        for at, state in enumerate(states):
            if tuple(state.shape) != wanted:
                name = f"hidden[{at}]" if self.mode == "LSTM" else "hidden"
                raise RuntimeError(f"Expected {name} size {wanted}, got {list(state.shape)}")

    def _zeros(self, sequences, dtype):
        """The states before the first step, where none are given."""
        shape = (self.num_layers * self._directions, sequences, self.hidden_size)
        return (torch.zeros(shape, dtype=dtype),) * (2 if self.mode == "LSTM" else 1)

    def _states(self, hx):
        """The states that are given, as a tuple: hidden and cell state of LSTM, else the hidden state alone."""
        return hx if hx is None else tuple(hx) if self.mode == "LSTM" else (hx,)

    def _run(self, x, states, steps, join):
        """All layers, and the last state of each layer and direction. `steps` parts the input, `join` undoes it."""
        last = []
        for layer in range(self.num_layers):
            sides = []
            for direction, end in enumerate(("", "_reverse")[: self._directions]):
                weights = self._weights(layer, end)
                weights += [None] * (4 - len(weights))
                state = tuple(part[layer * self._directions + direction] for part in states)
                walk = _backward if direction else _forward
                outputs, state = walk(_STEPS[self.mode], steps(x), state, weights)
                sides.append(join(outputs))
                last.append(state)
            x = sides[0] if len(sides) == 1 else torch.cat(sides, -1)
            if self.dropout and self.training and layer + 1 < self.num_layers:
                x = F.dropout(x, self.dropout)
        return x, tuple(torch.stack(parts) for parts in zip(*last))


def _of_sequences(state, order):
    """The states in the order of the sequences; None stands for no change."""
    return state if order is None else state.index_select(1, order)


def _forward(step, inputs, state, weights):
    """From the first step to the last. A step with fewer rows is one at which sequences have ended: their states stay."""
    outputs, ended = [], []
    for x in inputs:
        rows = x.size(0)
        if rows < state[0].size(0):
            ended.append([part[rows:] for part in state])
            state = tuple(part[:rows] for part in state)
        state = step(x, state, *weights)
        outputs.append(state[0])
    if ended:
        state = tuple(torch.cat(parts) for parts in zip(state, *reversed(ended)))
    return outputs, state


def _backward(step, inputs, state, weights):
    """From the last step to the first. A step with more rows is the last one of some sequences: they begin there."""
    outputs, first = [], state
    if inputs[-1].size(0) < state[0].size(0):
        state = tuple(part[: inputs[-1].size(0)] for part in state)
    for x in reversed(inputs):
        begun, rows = state[0].size(0), x.size(0)
        if begun < rows:
            state = tuple(torch.cat([part, start[begun:rows]]) for part, start in zip(state, first))
        state = step(x, state, *weights)
        outputs.append(state[0])
    return outputs[::-1], state


class RNN(RNNBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh)"""

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", *args, **kwargs):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + nonlinearity.upper(), input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory. Hochreiter & Schmidhuber 1997."""

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent unit. Cho et al. 2014."""

    def __init__(self, *args, **kwargs):
        super().__init__("GRU", *args, **kwargs)


class _Cell(Module):
    """One step of a recurrent network."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        on_cpu(device)
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        wide = self._gates * hidden_size
        self.weight_ih = Parameter(torch.empty((wide, input_size), dtype=dtype))
        self.weight_hh = Parameter(torch.empty((wide, hidden_size), dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(torch.empty(wide, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        _fill(self, self.hidden_size)

    def forward(self, input, hx=None):
        states = self._states
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            hx = (torch.zeros(x.size(0), self.hidden_size, dtype=x.dtype),) * states
        else:
            hx = tuple(hx) if states == 2 else (hx,)
            hx = hx if batched else tuple(state.unsqueeze(0) for state in hx)
        if x.size(1) != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {x.size(1)} expected {self.input_size}")
        for at, state in enumerate(hx):
            if state.size(0) != x.size(0):
                raise RuntimeError(f"Input batch size {x.size(0)} doesn't match hidden{at} batch size {state.size(0)}")
            if state.size(1) != self.hidden_size:
                raise RuntimeError(f"hidden{at} has inconsistent hidden_size: got {state.size(1)}, expected {self.hidden_size}")
        state = self._step(x, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        state = state if batched else tuple(part.squeeze(0) for part in state)
        return state if states == 2 else state[0]

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}{unusual(self, bias=True)}"


class LSTMCell(_Cell):
    _gates, _states, _step = 4, 2, staticmethod(_lstm_step)


class GRUCell(_Cell):
    _gates, _states, _step = 3, 1, staticmethod(_gru_step)
