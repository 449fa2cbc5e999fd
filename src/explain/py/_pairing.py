"""Which weight of one implementation is which of another."""

import torch
from torch import nn

SEED = 4711
# What a weight is for, by the words of its name: the first that fits. The last are biases of norms and what has no name.
ROLES = (
    ("qkv", ("qkv", "c_attn", "in_proj", "query_key_value", "wqkv")),
    ("kv", ("kv_proj", "to_kv", "w_kv", "wkv", "kv")),
    ("q", ("query", "q_proj", "to_q", "wq", "w_q", "q_lin", "q")),
    ("k", ("key", "k_proj", "to_k", "wk", "w_k", "k_lin", "k")),
    ("v", ("value", "v_proj", "to_v", "wv", "w_v", "v_lin", "v")),
    ("o", ("out_proj", "o_proj", "c_proj", "to_out", "wo", "w_o", "proj", "dense", "out", "o")),
)


class Cannot(Exception):
    """Why two things cannot be compared, as a sentence."""


def role(name):
    """What a parameter is for: its role, whether it is a weight or a bias, and the numbers in its name (its layer)."""
    parts = name.lower().split(".")
    kind = "bias" if "bias" in parts[-1] or parts[-1].startswith("b_") else "weight"
    numbers = tuple(part for part in parts if part.isdigit())
    for found, words in ROLES:
        # The innermost name says most: `attn.key.weight`, `in_proj_weight`.
        for part in reversed(parts):
            if any(part == word or len(word) > 2 and word in part for word in words):
                return found, kind, numbers
    return None, kind, numbers


class Pairing:
    """Which weight of one implementation is which of the other.

    An entry has the names of one or several tensors of each side, how it was found, and whether they are transposed.
    Several are the rows of one.
    """

    def __init__(self, one, two, given):
        self.named = [dict(it.named_parameters()) if isinstance(it, nn.Module) else {} for it in (one, two)]
        self.linear = [
            {f"{name}.weight".lstrip(".") for name, part in it.named_modules() if isinstance(part, nn.Linear)} if isinstance(it, nn.Module) else set()
            for it in (one, two)
        ]
        self.left = [list(names) for names in self.named]
        self.entries, self.zeroed = [], []
        for here, there in given.items():
            for name, named in ((here, self.named[0]), (there, self.named[1])):
                if name not in named:
                    raise Cannot(f"--map {here}={there}: no parameter is called {name}; there are {', '.join(named)}")
            self.add([here], [there], "map")
        for name in list(self.left[0]):
            if name in self.left[1] and self.turned(name, name) is not None:
                self.add([name], [name], "name")
        self.by_role()
        self.by_order()
        for side in (0, 1):
            biases = [name for name in self.left[side] if self.named[side][name].dim() == 1 and role(name)[1] == "bias"]
            self.zeroed.append(biases)
            self.left[side] = [name for name in self.left[side] if name not in biases]
        if any(self.left):
            said = [", ".join(f"{name} {tuple(self.named[side][name].shape)}" for name in self.left[side]) or "none" for side in (0, 1)]
            raise Cannot(f"weights are left without a partner: {said[0]} on the left, {said[1]} on the right; pair them with --map LEFT=RIGHT, or name the sizes: file.py:Class(64, 4)")
        self.unsure = [at for at, entry in enumerate(self.entries) if entry["unsure"]]

    def turned(self, here, there):
        """Whether one is the other transposed; None if their shapes do not fit."""
        a, b = tuple(self.named[0][here].shape), tuple(self.named[1][there].shape)
        if a == b:
            # A square parameter of a class's own is usually (in, out), that of a Linear (out, in).
            return len(a) == 2 and a[0] == a[1] and (here in self.linear[0]) != (there in self.linear[1])
        return True if len(a) == 2 and a == b[::-1] else None

    def add(self, here, there, how):
        """An entry; `here` or `there` has one name."""
        turned = False
        unsure = False
        if len(here) == len(there) == 1:
            turned = self.turned(here[0], there[0])
            if turned is None:
                shapes = tuple(self.named[0][here[0]].shape), tuple(self.named[1][there[0]].shape)
                raise Cannot(f"{here[0]} {shapes[0]} and {there[0]} {shapes[1]} have different shapes")
            unsure = turned and self.named[0][here[0]].shape[0] == self.named[0][here[0]].shape[1]
        else:
            whole = self.named[0][here[0]] if len(here) == 1 else self.named[1][there[0]]
            parts = [self.named[1][name] for name in there] if len(here) == 1 else [self.named[0][name] for name in here]
            turned = whole.dim() == 2 and whole.shape[0] != sum(part.shape[0] for part in parts)
        self.entries.append({"a": here, "b": there, "by": how, "turned": bool(turned), "unsure": unsure})
        self.left[0] = [name for name in self.left[0] if name not in here]
        self.left[1] = [name for name in self.left[1] if name not in there]

    def by_role(self):
        """Pairs queries with queries and so on, where each layer has one, and what is in one matrix with its parts."""
        for side in (0, 1):
            for whole in list(self.left[side]):
                found, kind, numbers = role(whole)
                if found not in ("qkv", "kv"):
                    continue
                parts = [
                    [name for name in self.left[1 - side] if role(name) == (letter, kind, numbers)] for letter in found
                ]
                if all(len(it) == 1 for it in parts) and self.fits(side, whole, [it[0] for it in parts]):
                    names = [it[0] for it in parts]
                    self.add(*([whole], names) if side == 0 else (names, [whole]), "role")
        for here in list(self.left[0]):
            found = role(here)
            there = [name for name in self.left[1] if role(name) == found]
            same = [name for name in self.left[0] if role(name) == found]
            if found[0] and len(there) == len(same) == 1 and self.turned(here, there[0]) is not None:
                self.add([here], there, "role")

    def fits(self, side, whole, names):
        whole = tuple(self.named[side][whole].shape)
        parts = [tuple(self.named[1 - side][name].shape) for name in names]
        rows = sum(shape[0] for shape in parts)
        return (rows, *parts[0][1:]) in (whole, whole[::-1]) and len({shape[1:] for shape in parts}) == 1

    def by_order(self):
        for here in list(self.left[0]):
            exact = [name for name in self.left[1] if self.named[1][name].shape == self.named[0][here].shape]
            fitting = exact or [name for name in self.left[1] if self.turned(here, name) is not None]
            if fitting:
                self.add([here], fitting[:1], "order")

    def vary(self):
        """Weights that are all equal, such as those of norms and biases of 0, would hide a difference: they get others."""
        torch.manual_seed(SEED)
        with torch.no_grad():
            for value in self.named[0].values():
                if value.numel() > 0 and bool((value == value.flatten()[0]).all()):
                    value.add_(0.1 * torch.randn(value.shape))

    def copy(self):
        """Gives the second the weights of the first."""
        with torch.no_grad():
            for side in (0, 1):
                for name in self.zeroed[side]:
                    self.named[side][name].zero_()
            for entry in self.entries:
                a, b = entry["a"], entry["b"]
                value = self.named[0][a[0]] if len(a) == 1 else torch.cat([self.named[0][name] for name in a])
                value = value.T if entry["turned"] else value
                at = 0
                for name in b:
                    target = self.named[1][name]
                    target.copy_(value if len(b) == 1 else value[at : at + target.shape[0]])
                    at += target.shape[0] if target.dim() else 0

    def turn(self):
        """Transposes the square matrices of which it is not known."""
        for at in self.unsure:
            self.entries[at]["turned"] = not self.entries[at]["turned"]
        self.copy()

    def gradients(self):
        """The gradients of both sides for each entry."""
        for entry in self.entries:
            values = [[self.named[side][name].grad for name in entry[key]] for side, key in ((0, "a"), (1, "b"))]
            if any(value is None for side in values for value in side):
                continue
            here, there = (side[0] if len(side) == 1 else torch.cat(side) for side in values)
            yield " and ".join(entry["a"]), here.T if entry["turned"] else here, there

    def report(self):
        return [{"a": entry["a"], "b": entry["b"], "by": entry["by"], "transposed": entry["turned"]} for entry in self.entries]
