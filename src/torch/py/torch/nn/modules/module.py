"""Module: a container of parameters, buffers and other modules that computes when it is called."""

import _torch
import torch
from torch._arguments import hint, only_defaults
from torch._errors import not_initialised
from torch.nn.parameter import Parameter

from ._own_names import own_name

_Tensor = torch.Tensor


# Methods of PyTorch's modules that are not here, and what serves instead.
_INSTEAD = {name: "get_submodule, buffers, to" for name in ("get_buffer", "set_submodule", "to_empty")}
_INSTEAD |= {name: "register_full_backward_hook" for name in ("register_backward_hook", "register_full_backward_pre_hook")}
_INSTEAD["register_load_state_dict_pre_hook"] = "load_state_dict"


def _not_assignable(value, kind, name, expected):
    return TypeError(f"cannot assign '{torch.typename(value)}' {kind} '{name}' ({expected})")


class Module:
    """The base class of all modules: subclasses set attributes in `__init__` and compute in `forward`."""

    dump_patches = False
    _version = 1
    training: bool
    call_super_init = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own_name(cls)

    def __init__(self, *args, **kwargs):
        if kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _non_persistent_buffers_set=set(),
            _backward_pre_hooks={},
            _backward_hooks={},
            _is_full_backward_hook=None,
            _forward_hooks={},
            _forward_hooks_with_kwargs={},
            _forward_hooks_always_called={},
            _forward_pre_hooks={},
            _forward_pre_hooks_with_kwargs={},
            _state_dict_hooks={},
            _state_dict_pre_hooks={},
            _load_state_dict_pre_hooks={},
            _modules={},
        )

    # Calling

    def forward(self, *args):
        from torch._errors import no_forward

        raise no_forward(self)

    def __call__(self, *args, **kwargs):
        if self._backward_hooks or self._forward_hooks or self._forward_pre_hooks:
            from ._hooks import call

            return call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    # Registration

    def register_buffer(self, name, tensor, persistent=True):
        """Registers a tensor that is part of the module and is not trained, such as a mask."""
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, _Tensor):
            raise _not_assignable(tensor, "object to buffer", name, "torch Tensor or None required")
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """Registers a parameter."""
        self._check_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise _not_assignable(param, "object to parameter", name, "torch.nn.Parameter or None required")
        if param is not None and param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def add_module(self, name, module):
        """Registers a module."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{torch.typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {torch.typename(name)}")
        if name not in self._modules and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = module

    def _check_name(self, kind, name, place):
        if place not in self.__dict__:
            raise not_initialised(kind)
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {torch.typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in self.__dict__[place] and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    # Attributes

    def __setattr__(self, name, value):
        own = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in own:
                raise not_initialised("parameters")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
            return
        if isinstance(value, Module):
            if name in own.get("_parameters", ()):
                raise _not_assignable(value, "as parameter", name, "torch.nn.Parameter or None expected")
            if "_modules" not in own:
                raise not_initialised("module")
            self._forget(name, "_parameters", "_buffers")
            own["_modules"][name] = value
            return
        if name in own.get("_parameters", ()):
            if value is not None:
                raise _not_assignable(value, "as parameter", name, "torch.nn.Parameter or None expected")
            self.register_parameter(name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                raise _not_assignable(value, "as child module", name, "torch.nn.Module or None expected")
            own["_modules"][name] = value
        elif name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, _Tensor):
                raise _not_assignable(value, "as buffer", name, "torch.nn.Buffer, torch.Tensor or None expected")
            self.register_buffer(name, value, name not in self._non_persistent_buffers_set)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name, *places):
        own = self.__dict__
        own.pop(name, None)
        for place in places:
            own[place].pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)

    def __getattr__(self, name):
        own = self.__dict__
        for place in ("_parameters", "_buffers", "_modules"):
            held = own.get(place)
            if held is not None and name in held:
                return held[name]
        instead = _INSTEAD.get(name)
        if instead is not None:
            from torch._names import Absent

            raise Absent(f"torch.nn.Module.{name} is not part of attn (did you mean {instead}?)")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name):
        for place in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[place]:
                del self.__dict__[place][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        own = self.__dict__
        names = [*dir(type(self)), *own, *own["_parameters"], *own["_modules"], *own["_buffers"]]
        return sorted(name for name in names if not name[0].isdigit())

    def __setstate__(self, state):
        self.__dict__.update(state)

    # Traversal

    def _named_members(self, members, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for place, module in modules:
            for name, value in members(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (place + "." if place else "") + name, value

    def parameters(self, recurse=True):
        """The parameters of this module and of those inside it, each once."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Pairs of dotted name and parameter."""
        yield from self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """The buffers of this module and of those inside it, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Pairs of dotted name and buffer."""
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self):
        """The modules directly inside this one."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """Pairs of name and module, for the modules directly inside this one."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def modules(self):
        """This module and all modules inside it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Pairs of dotted name and module, this one (the empty name) first."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, (prefix + "." if prefix else "") + name, remove_duplicate)

    def get_submodule(self, target):
        """The module at a dotted name."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target):
        """The parameter at a dotted name."""
        place, _, name = target.rpartition(".")
        module = self.get_submodule(place)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if not isinstance(getattr(module, name), Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return getattr(module, name)

    # Changing all parameters

    def train(self, mode=True):
        """Training mode, for this module and all inside it: dropout drops."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Evaluation mode: dropout lets everything through."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Sets whether the parameters require gradients."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients of all parameters."""
        for param in self.parameters():
            if param.grad is not None:
                if set_to_none:
                    param.grad = None
                else:
                    param.grad.requires_grad_(False)
                    param.grad.zero_()

    def apply(self, fn):
        """Calls `fn` on each module inside this one, then on this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn, recurse=True):
        """Puts `fn(tensor)` in place of each parameter's data and of each buffer."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is not None:
                with torch.no_grad():
                    param.data = fn(param)
                    if param.grad is not None:
                        param.grad = fn(param.grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def _to_dtype(self, dtype):
        return self._apply(lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)

    def to(self, *args, **kwargs):
        """Converts the floating point parameters and buffers; there is one device, the CPU."""
        from ._hooks import dtype_of_to

        dtype = dtype_of_to(args, kwargs)
        return self if dtype is None else self._to_dtype(dtype)

    def type(self, dst_type):
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self):
        return self._to_dtype(torch.float32)

    def double(self):
        return self._to_dtype(torch.float64)

    def half(self):
        return self._to_dtype(torch.float16)

    def bfloat16(self):
        return self._to_dtype(torch.bfloat16)

    def cpu(self):
        return self

    def cuda(self, device=None):
        hint(device)
        return self.to("cuda")

    def compile(self, *args, **kwargs):
        """Nothing to do: attn's kernel is compiled already."""
        hint(args, kwargs)

    # Saving and loading

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        import torch.nn.modules._state as _state

        _state.save_one(self, destination, prefix, keep_vars)

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """An ordered dict of dotted names to parameters and persistent buffers; they are shared, not copied."""
        import torch.nn.modules._state as _state

        return _state.state_dict(self, args, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        import torch.nn.modules._state as _state

        _state.load_one(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copies the values of a state dict into this module's parameters and buffers."""
        import torch.nn.modules._state as _state

        return _state.load_state_dict(self, state_dict, strict, assign)

    # Hooks

    def _hook(self, place, hook, prepend=False, **flags):
        from torch.utils.hooks import add_hook

        return add_hook(self, place, hook, prepend, flags)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Calls `hook(module, args, output)` after each forward; what it returns replaces the output."""
        only_defaults("register_forward_hook", always_call=always_call)
        return self._hook("_forward_hooks", hook, prepend, _forward_hooks_with_kwargs=with_kwargs)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Calls `hook(module, args)` before each forward; what it returns replaces the arguments."""
        return self._hook("_forward_pre_hooks", hook, prepend, _forward_pre_hooks_with_kwargs=with_kwargs)

    def register_full_backward_hook(self, hook, prepend=False):
        """Calls `hook(module, grad_input, grad_output)` in backward; what it returns replaces grad_input."""
        return self._hook("_backward_hooks", hook, prepend)

    # Showing

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """The text between the parentheses, apart from the modules inside."""
        return ""

    def __repr__(self):
        from ._show import shown

        return shown(self)


_torch._quick_module(Module)
