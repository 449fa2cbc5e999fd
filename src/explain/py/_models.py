"""What is examined of the models that ran, at the end of a program: layers that are unused, shared or no norms."""

import inspect

import torch
from _events import own_frame
from torch import nn


def listed(names):
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


# Names that say that a class goes through its parts without naming them.
_ALL_PARTS = {"getattr", "_modules", "named_children", "children", "named_modules", "modules", "__dict__", "vars", "get_submodule"}


def names_in(code):
    """The names in a function's code, and in the functions that it makes."""
    found = {*code.co_names, *(it for it in code.co_consts if isinstance(it, str))}
    for part in code.co_consts:
        if hasattr(part, "co_names"):
            found |= names_in(part)
    return found


def unused_layers(watch):
    """Layers that never ran, and that no method of their module names but the one that makes them."""
    modules = {id(it): it for outer in watch.outer for it in outer.modules()}
    held = {id(param) for at, it in modules.items() if at in watch.called for param in it._parameters.values()}
    told = set()
    for at, module in modules.items():
        own = [it for it in type(module).__mro__ if not it.__module__.startswith("torch") and it is not object]
        if at not in watch.called or not own or type(module) in told:
            continue
        # A function that it keeps may use its parts.
        if any(inspect.isfunction(it) for it in vars(module).values()):
            continue
        methods = [it for cls in own for name, it in vars(cls).items() if name != "__init__"]
        methods = [inspect.unwrap(getattr(it, "fget", it)) for it in methods]
        names = set().union(*(names_in(it.__code__) for it in methods if hasattr(it, "__code__")))
        if names & _ALL_PARTS or not hasattr(own[0], "forward") or not hasattr(own[0].forward, "__code__"):
            continue
        unused = []
        for name, layer in module._modules.items():
            parameters = list(layer.parameters()) if layer is not None else []
            is_elsewhere = any(param.grad is not None or id(param) in held for param in parameters)
            if parameters and not is_elsewhere and name not in names and not any(id(it) in watch.called for it in layer.modules()):
                unused.append(name)
        if unused:
            told.add(type(module))
            observed = f"{type(module).__name__} has {listed(unused)}, with parameters, and no method uses it: it never ran."
            watch.add("layer-unused", place_of(own[0].forward.__code__), observed, f"x = self.{unused[0]}(x), or no such layer")
        for name, value in module._buffers.items():
            if name not in names and value is not None and is_mask(value):
                told.add(type(module))
                observed = f"{type(module).__name__} keeps {name}, a mask of shape {tuple(value.shape)}, and no method uses it."
                watch.add("mask-missing", place_of(own[0].forward.__code__), observed, f"scores + self.{name}, or masked_fill, before the softmax", "a mask is kept and nothing reads it")


def is_mask(value):
    """Whether a tensor says of pairs which are in sight: true and false, or 0 and what hides a score."""
    if value.dim() < 2 or min(value.shape[-2:]) < 2:
        return False
    if value.dtype == torch.bool:
        return bool(value.any()) and not bool(value.all())
    return value.is_floating_point() and bool((value == 0).any()) and bool((value <= -50).any()) and bool(((value == 0) | (value <= -50)).all())


def shared_layers(watch):
    """A list of modules that has one module several times."""
    for module in [*watch.outer, *watch.models]:
        for name, part in module.named_modules():
            if not isinstance(part, (nn.ModuleList, nn.Sequential)):
                continue
            items = [it for it in part if any(True for _ in it.parameters())]
            if len({id(it) for it in items}) < len(items):
                observed = f"{name or type(module).__name__} has {len(items)} entries, and one {type(items[0]).__name__} is in it {sum(it is items[0] for it in items)} times: these layers have the same weights."
                watch.add("layers-shared", place_of(getattr(type(module).forward, "__code__", None)), observed, "a list comprehension, which makes a module for each entry")


def begun_with(watch, layer, ids, at):
    """Notes the token that all texts begin with which one line looks up, in training and in evaluation. A text that is written begins
    with one token; its others are read one by one, or it is read again with one token more."""
    if ids.dim() not in (1, 2) or not ids.numel() or len(watch.begun) > 64:
        return
    first = ids if ids.dim() == 1 else ids[:, 0]
    length, grad = 1 if ids.dim() == 1 else ids.shape[1], torch.is_grad_enabled()
    token = int(first[0]) if bool((first == first[0]).all()) else None
    frame, path = own_frame(), []
    while frame is not None:
        path.append((frame.f_code, frame.f_lineno))
        frame = own_frame(frame)
    path = tuple(path)
    trained, written, last, paths = watch.begun.setdefault((layer, at), (set(), [], [], set()))
    # What is read in between begins another text.
    watch.texts_read += length > 1
    now = (grad, watch.steps, watch.texts_read)
    # Parts of one text share its memory.
    memory = ids.untyped_storage().data_ptr()
    goes_on = bool(last) and last[1][0] == grad and (length == last[0] + 1 or length == 1 and last[1] == now or not grad and memory == last[2])
    last[:] = [length, now, memory]
    if goes_on:
        if written and not grad and path not in paths:
            written[-1][2] += 1
    elif grad and layer.training:
        # A batch of one says nothing.
        trained.add(token if len(ids) > 1 else None)
        paths.add(path)
    # The same way leads to a loss on other texts.
    elif not grad and len(written) < 256 and path not in paths:
        written.append([token, set(first.tolist()), 0])


def other_start(watch):
    """Texts that are written after training, and begin with another token than all texts of the training."""
    for (layer, at), (_, written, *_) in watch.begun.items():
        trained = [it for (other, line), (it, *_) in watch.begun.items() if other is layer and it and (line == at or not watch.begun[layer, at][0])]
        written = [it for it in written if it[2] > 1]
        if not written or len(trained) != 1 or len(trained[0]) != 1 or None in trained[0]:
            continue
        (used,) = trained[0]
        if any(used in tokens for _, tokens, _ in written):
            continue
        token = written[0][0]
        begins = f"begins with token {token}" if token is not None else "begins with another one"
        observed = f"In training all texts that a table of {layer.num_embeddings} rows looks up begin with token {used}; the text that is written {begins}."
        watch.add("start-differs", at, observed, f"begin with token {used}")


def copied_tables(watch, model, at):
    """A matrix that begins with the numbers of an embedding's rows and is another parameter of the same model."""
    tables = [it.weight for it in model.modules() if isinstance(it, nn.Embedding)]
    known = {id(it) for it in tables}
    for name, param in model.named_parameters():
        for table in tables if id(param) not in known else []:
            if param.shape == table.shape and bool((table != table[0, 0]).any()) and torch.equal(param, table):
                observed = f"When the model is called first, {name} equals the embedding's weight in all {table.shape[0]} x {table.shape[1]} elements, and is another parameter."
                maker = getattr(type(model).__init__, "__code__", None) if not type(model).__module__.startswith("torch") else None
                watch.add("tied-weights-copied", place_of(maker) or at, observed, "share the parameter: self.head.weight = self.embedding.weight, without clone() or detach()")


def place_of(code):
    """Where a function's code begins: (cell, line, function); None where it has none."""
    return (code.co_filename, code.co_firstlineno, code.co_name) if code is not None else None


def drops(module):
    """Whether a module has dropout that would do something in training mode: a layer, or a function that its code calls."""
    return any(isinstance(it, (nn.Dropout, nn.Dropout2d)) and it.p > 0 or calls_dropout(it) for it in module.modules())


def calls_dropout(module):
    names = getattr(getattr(inspect.unwrap(type(module).forward), "__code__", None), "co_names", ())
    is_rate = lambda name, value: "drop" in name and type(value) is float and value > 0
    return "training" in names and "dropout" in names and any(is_rate(*it) for it in vars(module).items())


def trained_models(watch):
    """The models whose parameters had a gradient at a step."""
    return list({id(module): module for _, _, module in watch.reached.values()}.values())
