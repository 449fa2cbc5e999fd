"""Parameters that are computed from others: LoRA, weight norm, and the like."""

import contextlib

import torch
from torch import Tensor
from torch.nn import Module, ModuleDict, ModuleList, Parameter

__all__ = (
    "ParametrizationList cached is_parametrized register_parametrization remove_parametrizations "
    "type_before_parametrizations"
).split()

# How many `cached` blocks are open, and what was computed within them.
_open = 0
_computed = {}


@contextlib.contextmanager
def cached():
    """Within this block a parametrized tensor is computed once."""
    global _open
    _open += 1
    try:
        yield
    finally:
        _open -= 1
        if not _open:
            _computed.clear()


def _keep(module, name, tensor):
    """Registers a tensor as what it is: a parameter, or a buffer."""
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


class ParametrizationList(ModuleList):
    """The modules that compute one tensor, and the tensors that they compute it from."""

    __module__ = "torch.nn.utils.parametrize"

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with torch.no_grad():
            inputs = self._inputs(original)
        self.is_tensor = isinstance(inputs, Tensor)
        if self.is_tensor:
            if inputs.dtype != dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {inputs.dtype}"
                )
            if inputs is not original:
                original.data = inputs.detach()
            _keep(self, "original", original)
        else:
            self.ntensors = len(inputs)
            for place, tensor in enumerate(inputs):
                if isinstance(original, Parameter):
                    tensor = Parameter(tensor, original.requires_grad)
                _keep(self, f"original{place}", tensor)
        if not unsafe:
            self._check(shape, dtype)

    def _inputs(self, value, required=False):
        """What the first module needs so that the last one gives `value`."""
        for module in reversed(self):
            if not hasattr(module, "right_inverse"):
                if required:
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                continue
            try:
                value = module.right_inverse(value)
            except NotImplementedError:
                if required:
                    raise
        if not isinstance(value, (Tensor, list, tuple)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                + type(value).__name__
            )
        return value

    def _check(self, shape, dtype):
        found = self()
        if not isinstance(found, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
        for what, before, now in (("dtype", dtype, found.dtype), ("shape", shape, found.shape)):
            if before != now:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                    f"enabled.\nunparametrized {what}: {before}\nparametrized {what}: {now}"
                )

    def right_inverse(self, value):
        """Changes the original tensors so that the parametrized one has this value, as far as the modules can."""
        with torch.no_grad():
            inputs = self._inputs(value, required=True)
            if self.is_tensor:
                self.original.data = inputs.detach()
                return
            for place, tensor in enumerate(inputs):
                getattr(self, f"original{place}").data = tensor.detach()

    def forward(self):
        """The parametrized tensor."""
        if self.is_tensor:
            value = self[0](self.original)
        else:
            value = self[0](*(getattr(self, f"original{place}") for place in range(self.ntensors)))
        for module in list(self)[1:]:
            value = module(value)
        return value


def _as_property(name):
    """An attribute of a parametrized class: reading it computes the tensor."""

    def computed(self):
        key = (id(self), name)
        if key in _computed:
            return _computed[key]
        value = self.parametrizations[name]()
        if _open:
            _computed[key] = value
        return value

    def assigned(self, value):
        self.parametrizations[name].right_inverse(value)

    return property(computed, assigned)


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Replaces a parameter or buffer by what a module computes from it."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        kept = module.parametrizations[tensor_name]
        if not unsafe:
            value = getattr(module, tensor_name)
            after = parametrization(value)
            for what in ("dtype", "shape"):
                before, now = getattr(value, what), getattr(after, what)
                if before != now:
                    raise ValueError(
                        f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag "
                        f"is enabled.\nmodule.{tensor_name}.{what}: {before}\nparametrization(module.{tensor_name})."
                        f"{what}: {now}"
                    )
        kept.append(parametrization)
        kept.unsafe |= unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    kept = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        before = type(module)
        module.__class__ = type(f"Parametrized{before.__name__}", (before,), {})
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _as_property(tensor_name))
    module.parametrizations[tensor_name] = kept
    return module


def is_parametrized(module, tensor_name=None):
    """Whether a module has any parametrized tensor, or the named one."""
    kept = getattr(module, "parametrizations", None)
    if not isinstance(kept, ModuleDict):
        return False
    return len(kept) > 0 if tensor_name is None else tensor_name in kept


def type_before_parametrizations(module):
    """The class of a module without parametrizations."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Makes a parametrized tensor an ordinary one: with the computed value, or with the original one."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    kept = module.parametrizations[tensor_name]
    with torch.no_grad():
        value = getattr(module, tensor_name).detach()
    if kept.is_tensor:
        original = kept.original
        if leave_parametrized:
            original.data = value
    elif leave_parametrized:
        first = kept.original0
        original = Parameter(value, first.requires_grad) if isinstance(first, Parameter) else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _keep(module, tensor_name, original)
    if len(module.parametrizations) == 0:
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def __getattr__(name):
    from torch._names import missing

    raise missing("torch.nn.utils.parametrize", name, __all__)
