"""Losses that are functions of other operations: part of `torch._composed`."""

import _torch
import torch
from _torch import _cpp_name
from torch._arguments import reduced, rounded_once


def cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing):
    """Of targets that are shares of the classes, or are smoothed to shares."""
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    dim = int(input.dim() != 1)
    if input.shape == target.shape:
        return _of_shares(input, target, weight, ignore_index, reduction, label_smoothing, dim)
    logs = input.log_softmax(dim)
    hard = torch.nn.functional.nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    ignored = target == ignore_index
    smooth = -_by_class(logs, weight).sum(dim).masked_fill(ignored, 0)
    if reduction == "mean":
        counted = ~ignored if weight is None else weight[target.masked_select(~ignored)]
        smooth = smooth.sum() / counted.sum()
    else:
        smooth = reduced(smooth, reduction)
    return (1 - label_smoothing) * hard + smooth * (label_smoothing / input.size(dim))


def _by_class(values, weight):
    return values if weight is None else values * weight.view(-1, *(1,) * (values.dim() - 2))


def _of_shares(input, target, weight, ignore_index, reduction, label_smoothing, dim):
    if not target.is_floating_point():
        found = _cpp_name(target.dtype)
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {found}")
    classes = input.size(dim)
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight.shape)}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    products = _by_class(input.log_softmax(dim) * target, weight)
    if reduction != "mean":
        return -reduced(products.sum(dim) if reduction == "none" else products, reduction)
    loss = -products.sum() / (input.numel() // max(1, classes))
    _torch._name_node(loss, "Div", 1)
    return loss


def l1_loss(input, target, reduction):
    return reduced((input - target).abs(), reduction)


@rounded_once
def _smooth(input, target, beta):
    far = (input - target).abs()
    return torch.where(far < beta, 0.5 * far * far / beta, far - 0.5 * beta)


def smooth_l1_loss(input, target, reduction, beta):
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction)
    loss = reduced(_smooth(input, target, beta), reduction)
    _torch._name_node(loss, "SmoothL1Loss", 0)
    return loss


def kl_div(input, target, reduction, log_target):
    if not log_target and not target.is_floating_point():
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        losses = target.exp() * (target - input)
    else:
        zero = target == 0
        # Rounded once, as there.
        logs = torch.where(zero, 1.0, target).double().log().to(target.dtype)
        losses = torch.where(zero, 0.0, target * logs) - target * input
    if reduction == "batchmean":
        return losses.sum() / (input.size(0) if input.dim() else 1)
    return reduced(losses, reduction)
