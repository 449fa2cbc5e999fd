"""Normalisation that is a function of other operations: part of `torch._composed`."""

import torch
from _torch import _cpp_name
from torch._arguments import checked_dim, rounded_once


@rounded_once
def _normalized_groups(input, num_groups, weight, bias, eps):
    rows = input.reshape(input.size(0), num_groups, input[0].numel() // num_groups)
    result = torch.nn.functional.layer_norm(rows, rows.shape[2:], eps=eps).view(input.shape)
    shape = (-1, *(1,) * (input.dim() - 2))
    result = result if weight is None else result * weight.view(shape)
    return result if bias is None else result + bias.view(shape)


def group_norm(input, num_groups, weight, bias, eps):
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    if num_groups <= 0 or input.size(1) % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {list(input.shape)} "
            f"and num_groups={num_groups}"
        )
    for name, given in ("weight", weight), ("bias", bias):
        if given is not None and given.shape != input.shape[1:2]:
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape "
                f"{list(given.shape)} and input of shape {list(input.shape)}"
            )
    return _normalized_groups(input, num_groups, weight, bias, eps) if input.numel() else input.clone()


@rounded_once
def _by_batch(input, weight, bias, eps):
    rows = input.transpose(0, 1).flatten(1)
    rows = torch.nn.functional.layer_norm(rows, rows.shape[1:], eps=eps)
    rows = rows if weight is None else rows * weight.unsqueeze(1)
    rows = rows if bias is None else rows + bias.unsqueeze(1)
    return rows.unflatten(1, (input.size(0), *input.shape[2:])).transpose(0, 1).contiguous()


@rounded_once
def _by_moments(input, mean, var, weight, bias, eps):
    gain = (var + eps).rsqrt()
    gain = gain if weight is None else gain * weight
    shift = -mean * gain
    shift = shift if bias is None else shift + bias
    shape = (-1, *(1,) * (input.dim() - 2))
    return (input * gain.view(shape) + shift.view(shape)).contiguous()


def _keep(input, running_mean, running_var, momentum):
    """Brings kept moments nearer to those of a batch."""
    with torch.no_grad():
        rows = input.transpose(0, 1).flatten(1)
        rows = rows if rows.dtype == torch.float64 else rows.float()
        for kept, new in (running_mean, rows.mean(1)), (running_var, rows.var(1)):
            if kept is not None:
                kept.copy_(momentum * new + (1 - momentum) * kept)


def batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps):
    channels = input.size(checked_dim(1, input.dim()))
    if training and input.numel() == channels > 0:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if not training and (running_mean is None or running_var is None):
        name = "running_mean" if running_mean is None else "running_var"
        raise RuntimeError(f"{name} must be defined in evaluation mode")
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, tensor in given.items():
        if tensor is None:
            continue
        if tensor.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {tensor.numel()}")
        # As under autocast: the parameters may be of float32.
        if tensor.dtype != input.dtype and (tensor.dtype != torch.float32 or input.itemsize > 2):
            raise RuntimeError(f"expected scalar type {_cpp_name(input.dtype)} but found {_cpp_name(tensor.dtype)}")
    if not input.numel():
        return input.clone()
    if not training:
        return _by_moments(input, running_mean, running_var, weight, bias, eps)
    if running_mean is not None or running_var is not None:
        _keep(input, running_mean, running_var, momentum)
    return _by_batch(input, weight, bias, eps)
