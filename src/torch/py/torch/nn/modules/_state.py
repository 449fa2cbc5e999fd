"""State dicts: reading and loading a module's parameters and buffers by name."""

from collections import OrderedDict, namedtuple

import torch

from torch._errors import state_dict as state_dict_error


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The keys that did not match."""

    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"

    __str__ = __repr__


def state_dict(module, args, destination, prefix, keep_vars):
    if args:
        destination, prefix, keep_vars = (*args, *(destination, prefix, keep_vars)[len(args) :])
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
    return destination


def save_one(module, destination, prefix, keep_vars):
    """Puts what belongs to `module` itself into `destination`."""
    if hasattr(module, "get_extra_state"):
        raise NotImplementedError("get_extra_state is not part of attn: a buffer is saved with the parameters")
    for name, param in module._parameters.items():
        if param is not None:
            destination[prefix + name] = param if keep_vars else param.detach()
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._non_persistent_buffers_set:
            destination[prefix + name] = buffer if keep_vars else buffer.detach()


def load_one(module, state, prefix, metadata, strict, missing, unexpected, errors):
    """Copies what belongs to `module` itself, not to the modules inside it."""
    kept = {name: it for name, it in module._buffers.items() if name not in module._non_persistent_buffers_set}
    own = {name: it for name, it in {**module._parameters, **kept}.items() if it is not None}
    for name, param in own.items():
        key = prefix + name
        if key not in state:
            if strict:
                missing.append(key)
            continue
        given = state[key]
        if not isinstance(given, torch.Tensor):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
            continue
        if param.dim() == 0 and given.dim() == 1:
            given = given[0]
        if given.shape != param.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
                f"the shape in current model is {param.shape}."
            )
            continue
        with torch.no_grad():
            if metadata.get("assign_to_params_buffers", False):
                if isinstance(param, torch.nn.Parameter):
                    if isinstance(given, torch.nn.Parameter):
                        given.requires_grad_(param.requires_grad)
                    else:
                        given = torch.nn.Parameter(given, requires_grad=param.requires_grad)
                setattr(module, name, given)
            else:
                param.copy_(given)
    if strict:
        for key in state:
            if key.startswith(prefix):
                first, *rest = key[len(prefix) :].split(".", 1)
                if first not in (module._modules if rest else own):
                    unexpected.append(key)


def load_state_dict(module, state, strict, assign):
    if not (hasattr(state, "keys") and hasattr(state, "__getitem__")):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    missing, unexpected, errors = [], [], []
    metadata = getattr(state, "_metadata", None) or {}

    def load(module, state, prefix):
        local = dict(metadata.get(prefix[:-1], {}))
        if assign:
            local["assign_to_params_buffers"] = True
        module._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
        for name, child in module._modules.items():
            if child is not None:
                place = prefix + name + "."
                load(child, {key: it for key, it in state.items() if key.startswith(place)}, place)

    load(module, OrderedDict(state), "")
    if strict:
        for kind, keys in (("Unexpected", unexpected), ("Missing", missing)):
            if keys:
                quoted = ", ".join(f'"{key}"' for key in keys)
                errors.insert(0, f"{kind} key(s) in state_dict: {quoted}. ")
    if errors:
        raise state_dict_error(module, errors, missing, unexpected)
    return _IncompatibleKeys(missing, unexpected)
