"""Seeds one mistake at a time into the programs of correct/: mutations.md has the table, one function here for each row.

Usage: python mutate.py --page                     the table, as it is in mutations.md
       python mutate.py --show ROW [PROGRAM]       the changed lines
       python mutate.py --doctor ATTN [ROW...]     runs each mutant and asks `attn doctor`; a mutant that raises, or prints
                                                   what the original prints, is left out
       python mutate.py --notebook ATTN [ROW...]   the same, each program as a notebook with a cell for each statement
       python mutate.py --write FOLDER             writes the mutants as files, for another tool

The variable ZOO names another folder of programs, each with what it prints beside it.

Needs only Python's own modules. A row looks at each node of the syntax tree and returns the expressions or statements that
replace it, one mutant for each. The text around the node stays as it is, with its comments.
"""
import ast
import copy
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROWS = {}
# Proof of any mistake: the program compares two ways to compute the same, and they differ.
ANY = {"results-differ"}


def row(name, *codes):
    """Registers a row, with the kinds of finding that count as found."""
    def register(function):
        ROWS[name] = function, codes or (name,)
        return function
    return register


# What nodes look like.

def parse(text):
    return ast.parse(text, mode="eval").body


def text(node):
    return ast.unparse(node)


def called(node):
    """The last part of the name of what is called: softmax for F.softmax(..) and x.softmax(..)."""
    if not isinstance(node, ast.Call):
        return None
    f = node.func
    return f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else None


def is_method(node):
    """x.softmax(..) and not torch.softmax(..)."""
    return isinstance(node.func, ast.Attribute) and text(node.func.value) not in ("torch", "F", "nn", "f", "t", "nn.functional", "torch.nn.functional", "math")


def operand(node):
    """The tensor that a function or a method is called on, or None."""
    if is_method(node):
        return node.func.value
    return node.args[0] if node.args else None


def with_operand(node, new):
    node = copy.deepcopy(node)
    if is_method(node):
        node.func.value = new
    else:
        node.args[0] = new
    return node


def is_softmax(node):
    if called(node) == "softmax" and text(node.func) not in ("self.softmax",):
        return operand(node) is not None
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and called(node.func) == "Softmax"


def softmaxed(node):
    return operand(node) if called(node) == "softmax" else node.args[0]


def with_keyword(node, name, value):
    node = copy.deepcopy(node)
    node.keywords = [k for k in node.keywords if k.arg != name]
    if value is not None:
        node.keywords.append(ast.keyword(arg=name, value=value))
    return node


def keyword(node, name):
    return next((k.value for k in node.keywords if k.arg == name), None)


def number(node):
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def op(node, kind):
    return isinstance(node, ast.BinOp) and isinstance(node.op, kind)


SCALES = re.compile(r"(self\.)?(scale|scaling|softmax_scale|sqrt_d)$")


def is_root(node):
    return op(node, ast.Pow) and number(node.right) == 0.5 or called(node) == "sqrt" and "math" in text(node)


def is_inverse_root(node):
    if op(node, ast.Pow) and number(node.right) == -0.5:
        return True
    return op(node, ast.Div) and number(node.left) == 1 and is_root(node.right) or bool(SCALES.match(text(node)))


HIDING = re.compile(r"inf|finfo|-1e9|-1e\+?\d+|-9e|-5e|-100|-2\.38|lowest|min$")


# Scale.

@row("scale-missing", "scale")
def scale_missing(node, where):
    """E / d ** 0.5 and E * d ** -0.5 become E."""
    if op(node, ast.Div) and is_root(node.right) and number(node.left) is None and not random(node.left):
        return [node.left]
    if op(node, ast.Mult):
        return [a for a, b in ((node.left, node.right), (node.right, node.left)) if is_inverse_root(b) and not random(a)]


@row("scale-multiplied", "scale")
def scale_multiplied(node, where):
    """E / d ** 0.5 becomes E * d ** 0.5."""
    if op(node, ast.Div) and is_root(node.right) and number(node.left) is None and not random(node.left):
        return [ast.BinOp(node.left, ast.Mult(), node.right)]
    if op(node, ast.Mult):
        return [ast.BinOp(a, ast.Div(), b) for a, b in ((node.left, node.right), (node.right, node.left)) if is_inverse_root(b) and not random(a)]


@row("scale-without-root", "scale")
def scale_without_root(node, where):
    """E / d ** 0.5 becomes E / d; E * d ** -0.5 becomes E * d ** -1."""
    if op(node, ast.Div) and is_root(node.right) and number(node.left) is None and not random(node.left):
        inner = node.right.left if op(node.right, ast.Pow) else node.right.args[0]
        return [ast.BinOp(node.left, ast.Div(), inner)]
    if op(node, ast.Mult) and op(node.right, ast.Pow) and number(node.right.right) == -0.5 and not random(node.left):
        return [ast.BinOp(node.left, ast.Mult(), ast.BinOp(node.right.left, ast.Pow(), parse("-1")))]


@row("scale-twice", "scale")
def scale_twice(node, where):
    """E / s becomes E / s / s."""
    if op(node, ast.Div) and is_root(node.right) and number(node.left) is None and not random(node.left):
        return [ast.BinOp(node, ast.Div(), node.right)]
    if op(node, ast.Mult) and is_inverse_root(node.right) and not random(node.left):
        return [ast.BinOp(node, ast.Mult(), node.right)]


@row("scale-of-the-model", "scale")
def scale_of_the_model(node, where):
    """(d // heads) ** 0.5 becomes d ** 0.5: the width of the model and not of the head."""
    if (is_root(node) or op(node, ast.Pow) and number(node.right) == -0.5) and not inside(where, called_any("randn")):
        inner = node.left if op(node, ast.Pow) else node.args[0]
        if op(inner, ast.FloorDiv):
            new = copy.deepcopy(node)
            if op(node, ast.Pow):
                new.left = inner.left
            else:
                new.args = [inner.left]
            return [new]


def random(node):
    """Weights that are made at random, or an adapter's product: what scales them is no scale of scores."""
    return any(called(n) in ("randn", "rand", "randn_like") or text(n) == "self.A" for n in ast.walk(node))


# Softmax.

@row("softmax-axis", "softmax-over-queries", "samples-mixed")
def softmax_axis(node, where):
    """The softmax runs along the axis before: dim=-1 becomes -2, 3 becomes 2."""
    if called(node) not in ("softmax", "Softmax"):
        return
    at = keyword(node, "dim")
    place = 0 if called(node) == "Softmax" or is_method(node) else 1
    if at is None and len(node.args) > place:
        at = node.args[place]
    dim = number(at) if at is not None else None
    if dim is None or dim == 0 or "logits" in text(node):
        return
    new = copy.deepcopy(node)
    value = parse(str(dim - 1))
    if keyword(node, "dim") is not None:
        next(k for k in new.keywords if k.arg == "dim").value = value
    else:
        new.args[place] = value
    return [new]


@row("softmax-missing", "rows-do-not-sum-to-1", "scores-as-weights")
def softmax_missing(node, where):
    """softmax(S) becomes S: scores are used where the weights belong."""
    if is_softmax(node):
        return [softmaxed(node)]


@row("softmax-twice")
def softmax_twice(node, where):
    """softmax(S) becomes softmax(softmax(S))."""
    if called(node) == "softmax" and is_softmax(node):
        return [with_operand(node, copy.deepcopy(node))]


@row("scores-as-weights", "rows-do-not-sum-to-1", "scores-as-weights")
def scores_as_weights(node, where):
    """W = softmax(S / s), and later W @ V becomes S @ V."""
    if not (op(node, ast.MatMult) and isinstance(node.left, ast.Name)):
        return
    for other in ast.walk(where[0]):
        if isinstance(other, ast.Assign) and text(other.targets[0]) == node.left.id and is_softmax(other.value):
            names = [n.id for n in ast.walk(softmaxed(other.value)) if isinstance(n, ast.Name) and re.search(r"score|sim|dots|energy|punkte|logits|^s$|^e$", n.id)]
            if names and names[0] != node.left.id:
                return [ast.BinOp(parse(names[0]), ast.MatMult(), node.right)]


@row("normaliser-missing", "rows-do-not-sum-to-1", "mask-after-softmax", "softmax-over-queries", "scores-as-weights")
def normaliser_missing(node, where):
    """E / E.sum(-1, keepdim=True) becomes E."""
    if op(node, ast.Div) and re.search(r"\.sum\((dim=)?-1", text(node.right)) and not isinstance(node.right, ast.BinOp):
        return [node.left]


@row("running-sum-not-corrected", "rows-do-not-sum-to-1")
def running_sum_not_corrected(node, where):
    """acc * correction + P @ V becomes acc + P @ V, in attention that is computed in blocks."""
    if op(node, ast.Add) and op(node.left, ast.Mult) and text(node.left.right) == "correction":
        return [ast.BinOp(node.left.left, ast.Add(), node.right)]


@row("dropout-before-softmax")
def dropout_before_softmax(node, where):
    """W = drop(softmax(S)) in two statements or in one becomes softmax(drop(S))."""
    if isinstance(node, ast.Call) and re.search(r"drop", text(node.func)) and node.args and is_softmax(node.args[0]) and called(node.args[0]) == "softmax":
        return [with_operand(node.args[0], ast.Call(node.func, [softmaxed(node.args[0])] + node.args[1:], node.keywords))]
    if isinstance(node, list):
        for i, (one, two) in enumerate(zip(node, node[1:])):
            if all(isinstance(n, ast.Assign) for n in (one, two)) and called(one.value) == "softmax" and isinstance(two.value, ast.Call) \
                    and "drop" in text(two.value.func) and two.value.args and text(two.value.args[0]) == text(one.targets[0]):
                drop = copy.deepcopy(two.value)
                drop.args[0] = softmaxed(one.value)
                return [splice(node, i, 2, [ast.Assign(one.targets, with_operand(one.value, drop), lineno=0)])]


# Masks.

@row("mask-missing", "causal-leak", "padding-leak", "mask-leaks", "mask-missing", "position-bias")
def mask_missing(node, where):
    """S.masked_fill(M, -inf) becomes S; torch.where(M, S, -inf) too; is_causal=True is left out."""
    if called(node) == "masked_fill" and len(node.args) == 2 and HIDING.search(text(node.args[1])) and not fresh(operand(node)):
        return [node.func.value]
    if isinstance(node, ast.Expr) and called(node.value) == "masked_fill_":
        return [ast.Pass()]
    if called(node) == "where" and len(node.args) == 3 and HIDING.search(text(node.args[2])):
        return [node.args[1]]
    if called(node) == "scaled_dot_product_attention" and keyword(node, "is_causal") is not None:
        return [with_keyword(node, "is_causal", None)]


# Without its mask, an attention layer may be a correct encoder. A mutant of this row is a mistake only where the rest of its
# text, names and comments included, says that something is to be hidden: one of these words, or targets that are shifted.
SAYS_HIDDEN = re.compile(
    r"causal|autoregress|decod|generat|next|predict|language model|gpt|cache|mask|pad|hide|hidden|future|past|visible|prefix|length"
    r"|inside|valid|real\b|tri[lu]\b|window|\[(:, )?1:\]",
    re.IGNORECASE,
)


def is_mistake(name, mutant):
    return name != "mask-missing" or SAYS_HIDDEN.search(mutant) is not None


def is_added(node):
    """masked_fill makes a mask that is added to the scores later."""
    return fresh(operand(node)) or text(operand(node)) == "different"


def fresh(node):
    """A tensor that is made on the spot, to be added as a mask."""
    return called(node) in ("zeros", "zeros_like", "full", "full_like", "ones")


@row("mask-inverted", "mask-inverted", "row-all-hidden", "nan")
def mask_inverted(node, where):
    """M becomes ~M, ~M becomes M, M == 0 becomes M != 0, where a mask is used."""
    if called(node) in ("masked_fill", "masked_fill_") and len(node.args) == 2 and HIDING.search(text(node.args[1])):
        new = copy.deepcopy(node)
        new.args[0] = inverted(node.args[0])
        return [new]
    if called(node) == "where" and len(node.args) == 3 and HIDING.search(text(node.args[2])):
        new = copy.deepcopy(node)
        new.args[0] = inverted(node.args[0])
        return [new]


@row("boolean-mask-meaning", "mask-inverted", "row-all-hidden")
def boolean_mask_meaning(node, where):
    """attn_mask=M becomes ~M: scaled_dot_product_attention keeps what is True, nn.MultiheadAttention hides it."""
    names = [n for n in ("attn_mask", "key_padding_mask", "src_key_padding_mask", "tgt_mask") if isinstance(node, ast.Call) and keyword(node, n) is not None]
    return [with_keyword(node, n, inverted(keyword(node, n))) for n in names if text(keyword(node, n)) not in ("added", "future")]


def inverted(mask):
    if isinstance(mask, ast.UnaryOp) and isinstance(mask.op, ast.Invert):
        return mask.operand
    if isinstance(mask, ast.Compare) and isinstance(mask.ops[0], (ast.Eq, ast.NotEq)):
        new = copy.deepcopy(mask)
        new.ops = [ast.NotEq() if isinstance(mask.ops[0], ast.Eq) else ast.Eq()]
        return new
    return ast.UnaryOp(ast.Invert(), mask)


# A diagonal that is moved by one leaks a token, or hides each token from itself: that depends on whether the triangle says what
# is hidden or what is visible. A row that hides all its keys has the weights 0/0.
BY_ONE = ["causal-leak", "mask-off-by-one", "mask-inverted", "row-all-hidden"]


def diagonal(node, plus):
    """triu and tril with another diagonal."""
    if called(node) not in ("triu", "tril", "triu_"):
        return
    place = 0 if is_method(node) else 1
    at = keyword(node, "diagonal") or (node.args[place] if len(node.args) > place else parse("0"))
    new = copy.deepcopy(with_keyword(node, "diagonal", None))
    del new.args[place:]
    if number(at) is None:
        new.args.append(ast.BinOp(at, ast.Add(), parse(str(plus))))
    else:
        new.args.append(parse(str(number(at) + plus)))
    return [new]


@row("causal-leak-by-one", *BY_ONE)
def causal_leak_by_one(node, where):
    """triu(1) becomes triu(2), tril() becomes tril(1), key > query becomes key > query + 1."""
    if isinstance(node, ast.Compare) and is_positions(node):
        new = copy.deepcopy(node)
        new.comparators = [ast.BinOp(node.comparators[0], ast.Add(), parse("1"))]
        return [new]
    return diagonal(node, 1)


@row("token-hides-itself", *BY_ONE, "nan")
def token_hides_itself(node, where):
    """triu(1) becomes triu(0), tril() becomes tril(-1), key > query becomes key >= query."""
    if isinstance(node, ast.Compare) and is_positions(node):
        new = copy.deepcopy(node)
        new.ops = [ast.GtE() if isinstance(node.ops[0], ast.Gt) else ast.Lt()]
        return [new]
    return diagonal(node, -1)


def is_positions(node):
    """Compares numbers of keys with numbers of queries: one has a new axis before it, the other after it."""
    both = text(node)
    return isinstance(node.ops[0], (ast.Gt, ast.LtE)) and ("[None" in both and ", None]" in both or re.search(r"cols > rows|> row\b|j <= i", both) is not None)


@row("triangle-swapped", "mask-inverted", "row-all-hidden")
def triangle_swapped(node, where):
    """triu(1) becomes tril(-1), tril() becomes triu()."""
    if called(node) in ("triu", "tril"):
        place = 0 if is_method(node) else 1
        at = keyword(node, "diagonal") or (node.args[place] if len(node.args) > place else parse("0"))
        if number(at) is None:
            return
        new = copy.deepcopy(with_keyword(node, "diagonal", None))
        del new.args[place:]
        new.args.append(parse(str(-number(at))))
        new.func.attr = "tril" if called(node) == "triu" else "triu"
        return [new]


@row("mask-value-zero", "mask-leaks")
def mask_value_zero(node, where):
    """masked_fill(M, -inf) becomes masked_fill(M, 0.0)."""
    if called(node) in ("masked_fill", "masked_fill_") and len(node.args) == 2 and HIDING.search(text(node.args[1])) and not is_added(node):
        new = copy.deepcopy(node)
        new.args[1] = parse("0.0")
        return [new]


@row("mask-value-tiny", "mask-leaks")
def mask_value_tiny(node, where):
    """masked_fill(M, -1e9) becomes masked_fill(M, 1e-9)."""
    if called(node) in ("masked_fill", "masked_fill_") and len(node.args) == 2 and HIDING.search(text(node.args[1])) and not is_added(node):
        new = copy.deepcopy(node)
        new.args[1] = parse("1e-9")
        return [new]


@row("mask-by-product", "mask-leaks", "nan")
def mask_by_product(node, where):
    """S.masked_fill(M, -inf) becomes S * (M == 0)."""
    if called(node) == "masked_fill" and len(node.args) == 2 and HIDING.search(text(node.args[1])) and not fresh(operand(node)):
        return [ast.BinOp(node.func.value, ast.Mult(), ast.Compare(node.args[0], [ast.Eq()], [parse("0")]))]


@row("masked-copy-unused", "masked-copy-unused")
def masked_copy_unused(node, where):
    """S = S.masked_fill(M, v) loses its assignment; S.masked_fill_(M, v) its underscore."""
    if isinstance(node, ast.Assign) and called(node.value) == "masked_fill" and text(node.value.func.value) == text(node.targets[0]):
        return [ast.Expr(node.value)]
    if isinstance(node, ast.Expr) and called(node.value) == "masked_fill_":
        new = copy.deepcopy(node)
        new.value.func.attr = "masked_fill"
        return [new]


@row("mask-after-softmax")
def mask_after_softmax(node, where):
    """S = S.masked_fill(M, -inf); W = softmax(S) becomes W = softmax(S); W = W.masked_fill(M, 0.0)."""
    if not isinstance(node, list):
        return
    for i, one in enumerate(node):
        call = one.value if isinstance(one, (ast.Assign, ast.Expr)) else None
        if called(call) in ("masked_fill", "masked_fill_") and len(call.args) == 2 and not fresh(call.func.value):
            for j in range(i + 1, len(node)):
                two = node[j]
                if isinstance(two, ast.Assign) and is_softmax(two.value) and isinstance(two.targets[0], ast.Name):
                    w = two.targets[0].id
                    after = ast.Assign([ast.Name(w)], ast.Call(ast.Attribute(ast.Name(w), "masked_fill"), [call.args[0], parse("0.0")], []), lineno=0)
                    first = ast.Assign(one.targets, call.func.value, lineno=0) if isinstance(one, ast.Assign) else ast.Pass()
                    return [splice(node, i, j - i + 1, [first] + node[i + 1:j + 1] + [after])]


@row("padding-mask-axis", "padding-leak")
def padding_mask_axis(node, where):
    """M[:, None, None, :] becomes M[:, None, :, None], and M[:, None, :] becomes M[:, :, None]: queries are hidden, not keys."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and re.search(r"mask|real|inside|padding", text(node.value)):
        parts = [text(p) for p in node.slice.elts]
        if parts[-2:] == ["None", ":"]:
            new = copy.deepcopy(node)
            new.slice.elts[-2:] = reversed(new.slice.elts[-2:])
            return [new]


@row("mask-rows-of-the-cache", "cache-differs", "mask-inverted")
def mask_rows_of_the_cache(node, where):
    """The rows for the newest tokens, M[total - new:], become the first ones, M[:new]."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and text(node.slice.elts[0]) == "total - n_ctx:total":
        new = copy.deepcopy(node)
        new.slice.elts[0] = ast.Slice(None, parse("n_ctx"))
        return [new]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and op(node.slice.lower, ast.Sub) and node.slice.upper is None:
        return [ast.Subscript(node.value, ast.Slice(None, node.slice.lower.right))]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and text(node.slice) == "-new:":
        return [ast.Subscript(node.value, ast.Slice(None, parse("new")))]


# Heads.

@row("heads-by-view-alone")
def heads_by_view_alone(node, where):
    """X.view(b, t, h, d).transpose(1, 2) becomes X.view(b, h, t, d)."""
    moved = called(node) in ("transpose", "swapaxes", "permute", "movedim") and is_method(node)
    if moved and text_args(node) in ("1, 2", "0, 2, 1, 3", "2, 1") and called(node.func.value) in ("view", "reshape"):
        inner = copy.deepcopy(node.func.value)
        if len(inner.args) == 4:
            inner.args[1], inner.args[2] = inner.args[2], inner.args[1]
            return [inner]


@row("heads-joined-by-view-alone")
def heads_joined_by_view_alone(node, where):
    """Y.transpose(1, 2).reshape(b, t, c) becomes Y.reshape(b, t, c)."""
    if called(node) in ("reshape", "view") and is_method(node) and len(node.args) in (1, 3):
        inner = node.func.value
        if called(inner) == "contiguous":
            inner = inner.func.value
        if called(inner) in ("transpose", "permute") and text_args(inner) in ("1, 2", "0, 2, 1, 3") and not called(inner.func.value) in ("view", "reshape"):
            new = copy.deepcopy(node)
            new.func.value = inner.func.value
            new.func.attr = "reshape"
            return [new]


def text_args(node):
    return ", ".join(text(a) for a in node.args)


@row("group-order")
def group_order(node, where):
    """K.repeat_interleave(n, dim=1) becomes K.repeat(1, n, 1, 1)."""
    if called(node) == "repeat_interleave" and is_method(node) and number(keyword(node, "dim") or parse("0")) == 1:
        return [ast.Call(ast.Attribute(node.func.value, "repeat"), [parse("1"), node.args[0], parse("1"), parse("1")], [])]


@row("batch-first-missing", "samples-mixed")
def batch_first_missing(node, where):
    """nn.MultiheadAttention(.., batch_first=True) loses the keyword."""
    if isinstance(node, ast.Call) and keyword(node, "batch_first") is not None:
        return [with_keyword(node, "batch_first", None)]


# Projections.

PAIRS = [("v", "k"), ("values", "keys"), ("value", "key"), ("V", "K"), ("xv", "xk"), ("value_states", "key_states"), ("value_layer", "key_layer"), ("w", "s")]


@row("keys-used-as-values", "projection-mixed-up", "projection-unused", "unused-input")
def keys_used_as_values(node, where):
    """W @ V becomes W @ K, in @, matmul, bmm, einsum and scaled_dot_product_attention."""
    found = []
    for v, k in PAIRS[:-1]:
        if op(node, ast.MatMult) and text(node.right) == v and defined(where, k):
            found.append(ast.BinOp(node.left, ast.MatMult(), parse(k)))
        if called(node) in ("matmul", "bmm", "einsum", "scaled_dot_product_attention"):
            for i, argument in enumerate(node.args[1:], 1):
                if text(argument) == v and defined(where, k):
                    new = copy.deepcopy(node)
                    new.args[i] = parse(k)
                    found.append(new)
    return found


@row("queries-used-as-keys", "projection-mixed-up", "projection-unused")
def queries_used_as_keys(node, where):
    """Q @ K.transpose(..) becomes Q @ Q.transpose(..)."""
    if op(node, ast.MatMult) and isinstance(node.left, ast.Name) and isinstance(node.right, (ast.Call, ast.Attribute)):
        inner = node.right.func.value if isinstance(node.right, ast.Call) and isinstance(node.right.func, ast.Attribute) else getattr(node.right, "value", None)
        if isinstance(inner, ast.Name) and inner.id != node.left.id and re.search(r"k", inner.id, re.I):
            new = copy.deepcopy(node)
            for n in ast.walk(new.right):
                if isinstance(n, ast.Name) and n.id == inner.id:
                    n.id = node.left.id
            return [new]


@row("projection-called-twice", "projection-mixed-up", "projection-unused")
def projection_called_twice(node, where):
    """self.W_key(x) becomes self.W_query(x), also in a list of projections: one is called twice and one never."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and text(node.func.value) == "self":
        name = node.func.attr
        for a, b in (("key", "query"), ("k_proj", "q_proj"), ("wk", "wq"), ("to_k", "to_q"), ("W_K", "W_Q"), ("Wk", "Wq"), ("k", "q"), ("schluessel", "abfrage"),
                     ("phi", "theta"), ("value", "key"), ("v_proj", "k_proj"), ("wv", "wk"), ("to_v", "to_k"), ("W_V", "W_K"), ("Wv", "Wk"), ("v", "k")):
            if name == a or name.endswith("_" + a) and len(a) > 1:
                new = copy.deepcopy(node)
                new.func.attr = name[: len(name) - len(a)] + b
                return [new]


    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) >= 3:
        if all(isinstance(e, ast.Attribute) and text(e.value) == "self" for e in node.elts) and re.search(r"q", node.elts[0].attr, re.I) and re.search(r"k", node.elts[1].attr, re.I):
            new = copy.deepcopy(node)
            new.elts[1] = node.elts[0]
            return [new]


@row("keys-and-values-swapped", "projection-mixed-up")
def keys_and_values_swapped(node, where):
    """f(q, k, v) becomes f(q, v, k)."""
    if isinstance(node, ast.Call) and len(node.args) >= 3:
        names = [text(a) for a in node.args[:3]]
        if re.search(r"k", names[1], re.I) and re.search(r"v", names[2], re.I) and re.search(r"q", names[0], re.I) and all(n.isidentifier() for n in names):
            new = copy.deepcopy(node)
            new.args[1], new.args[2] = new.args[2], new.args[1]
            return [new]


@row("cross-attention-reads-itself", "cross-attention-mixed-up", "unused-input")
def cross_attention_reads_itself(node, where):
    """f(x, memory, memory) becomes f(x, x, x), and cross(x, memory) becomes cross(x)."""
    if isinstance(node, ast.Call) and len(node.args) >= 3:
        names = [text(a) for a in node.args[:3]]
        shapes = called(node) in ("view", "reshape", "randn", "expand", "window_reverse")
        if names[1] == names[2] != names[0] and all(isinstance(a, ast.Name) for a in node.args[1:3]) and number(node.args[0]) is None and not shapes:
            new = copy.deepcopy(node)
            new.args[1] = new.args[2] = node.args[0]
            return [new]
    if isinstance(node, ast.Call) and text(node.func) in ("self.cross", "self.cross_attn") and len(node.args) == 2:
        new = copy.deepcopy(node)
        del new.args[1]
        return [new]


@row("weights-transposed", "softmax-over-queries")
def weights_transposed(node, where):
    """einsum('bij,bjd->bid', W, V) becomes 'bji,bjd->bid'."""
    if called(node) == "einsum" and node.args and isinstance(node.args[0], ast.Constant):
        m = re.match(r"^(\.*\w*)(\w)(\w),(\.*\w*?)(\w)(\w)->", node.args[0].value)
        if m and m[3] == m[5] and m[2] in node.args[0].value.split("->")[1] and m[3] not in node.args[0].value.split("->")[1]:
            new = copy.deepcopy(node)
            new.args[0] = ast.Constant(node.args[0].value.replace(f"{m[1]}{m[2]}{m[3]},", f"{m[1]}{m[3]}{m[2]},", 1))
            return [new]


# Positions.

@row("rotation-of-queries-only", "rotary-not-relative")
def rotation_of_queries_only(node, where):
    """q, k = rotate(q), rotate(k) becomes q, k = rotate(q), k."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
        a, b = node.value.elts
        if isinstance(a, ast.Call) and isinstance(b, ast.Call) and text(a.func) == text(b.func) and re.search(r"rot|rope", text(a.func)):
            new = copy.deepcopy(node)
            new.value.elts[1] = b.args[0]
            return [new]
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and "rotate_half(k)" in text(node):
        new = copy.deepcopy(node)
        new.value.elts[1] = parse("k")
        return [new]


@row("rotation-sign", "rotary-not-relative")
def rotation_sign(node, where):
    """a * cos - b * sin becomes a * cos + b * sin: no rotation any more."""
    if op(node, ast.Sub) and "cos" in text(node.left) and "sin" in text(node.right):
        return [ast.BinOp(node.left, ast.Add(), node.right)]
    if called(node) == "cat" and "-x2" in text(node):
        return [parse("torch.cat((x2, x1), dim=-1)")]


@row("rotation-layout", "rotary-not-relative")
def rotation_layout(node, where):
    """cat((freqs, freqs), -1) becomes freqs.repeat_interleave(2, -1), which belongs to neighbouring pairs."""
    if called(node) == "cat" and isinstance(node.args[0], (ast.Tuple, ast.List)):
        parts = [text(e) for e in node.args[0].elts]
        if len(parts) == 2 and parts[0] == parts[1]:
            return [parse(f"{parts[0]}.repeat_interleave(2, dim=-1)")]


@row("distance-sign", "position-bias", "mask-inverted")
def distance_sign(node, where):
    """key - query becomes query - key in a bias by distance."""
    if op(node, ast.Sub) and re.search(r"None", text(node.left)) and re.search(r"None", text(node.right)):
        return [ast.BinOp(node.right, ast.Sub(), node.left)]
    if op(node, ast.Sub) and "memory_position" in text(node.left):
        return [ast.BinOp(node.right, ast.Sub(), node.left)]


@row("positions-missing", "no-positions")
def positions_missing(node, where):
    """tok(ids) + pos(..) becomes tok(ids)."""
    if op(node, ast.Add) and re.search(r"^(self\.)?(pos|wpe)\w*(\(|\[)", text(node.right)):
        return [node.left]


@row("positions-start-again", "cache-differs")
def positions_start_again(node, where):
    """arange(start, start + n) becomes arange(n)."""
    if called(node) == "arange" and len(node.args) == 2 and op(node.args[1], ast.Add) and text(node.args[1].left) == text(node.args[0]):
        new = copy.deepcopy(node)
        new.args = [node.args[1].right]
        return [new]


@row("norm-axis", "scale")
def norm_axis(node, where):
    """F.normalize(q, dim=-1) becomes dim=-2: each feature is normalised over the tokens."""
    if called(node) == "normalize" and number(keyword(node, "dim") or parse("1")) == -1 and len(text(node)) < 40:
        return [with_keyword(node, "dim", parse("-2"))]


# Cache, dropout, training.

@row("cache-written-at-the-start", "cache-differs")
def cache_written_at_the_start(node, where):
    """cache[:, :, start:end] = k becomes cache[:, :, :end - start] = k."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.Tuple) and text(node.slice.elts[-1]) == "start:end":
        new = copy.deepcopy(node)
        new.slice.elts[-1] = ast.Slice(None, parse("end - start"))
        return [new]


@row("cache-order", "cache-differs")
def cache_order(node, where):
    """cat([past, k]) becomes cat([k, past])."""
    if called(node) in ("cat", "concat") and node.args and isinstance(node.args[0], (ast.Tuple, ast.List)) and len(node.args[0].elts) == 2:
        if re.match(r"past|cache|mem", text(node.args[0].elts[0])):
            new = copy.deepcopy(node)
            new.args[0].elts.reverse()
            return [new]


@row("cache-keeps-keys-twice", "projection-mixed-up", "cache-differs")
def cache_keeps_keys_twice(node, where):
    """cache_v[..] = v becomes cache_v[..] = k; cat([past[1], v]) becomes cat([past[1], k])."""
    if isinstance(node, ast.Assign) and re.search(r"cache_v", text(node.targets[0])) and text(node.value) == "v":
        return [ast.Assign(node.targets, parse("k"), lineno=0)]
    if called(node) == "cat" and re.match(r"\[(past|cache)\[1\], v\]", text_args(node)):
        new = copy.deepcopy(node)
        new.args[0].elts[1] = parse("k")
        return [new]


@row("dropout-in-eval")
def dropout_in_eval(node, where):
    """p if self.training else 0.0 becomes p."""
    if isinstance(node, ast.IfExp) and text(node.test) == "self.training":
        return [node.body]


@row("targets-not-shifted")
def targets_not_shifted(node, where):
    """The target ids[:, 1:] of a loss becomes ids[:, :-1], what the model sees."""
    if isinstance(node, ast.Subscript) and inside(where, called_any("cross_entropy")) and text(node.slice) in (":, 1:", "(slice(None), slice(1, None))", "(:, 1:)"):
        return [parse(f"{text(node.value)}[:, :-1]")]


@row("softmax-before-loss")
def softmax_before_loss(node, where):
    """cross_entropy(L, y) becomes cross_entropy(L.softmax(-1), y)."""
    if called(node) == "cross_entropy":
        new = copy.deepcopy(node)
        new.args[0] = ast.Call(ast.Attribute(node.args[0], "softmax"), [parse("-1")], [])
        return [new]


@row("tied-weights-copied")
def tied_weights_copied(node, where):
    """a.weight = b.weight becomes a copy."""
    if isinstance(node, ast.Assign) and text(node.targets[0]).endswith(".weight") and text(node.value).endswith(".weight"):
        return [ast.Assign(node.targets, parse(f"nn.Parameter({text(node.value)}.detach().clone())"), lineno=0)]


# Where a row makes no mistake.
# Softmaxes and masks that are no attention, and masks whose absence nothing shows: a choice of the k best, a token that does
# not look at itself, windows. Labels of a loss are no mask of scores. Matches that meet no values may have any scale and axis.
# A learned matrix or vector between queries and keys sets the scale itself (Luong et al. 2015, 3.1, divide by nothing), and
# with keys of length 1 the scores have a spread of 1. Efficient attention has softmaxes of queries and of keys, no scores.
# A table that is learned for each distance, the earlier and the later ones, is the same layer with the sign swapped: the rows
# of the table change places.
NOT_ATTENTION = {
    "softmax-axis": ["contrastive", "distillation", "experts", "sampling", "mutual_matches"],
    "softmax-missing": ["contrastive", "distillation", "experts", "sampling", "mutual_matches", "efficient_attention"],
    "softmax-twice": ["contrastive", "distillation", "experts", "sampling", "mutual_matches"],
    "norm-axis": ["contrastive"],
    "mask": ["sampling"],
    "mask-missing": ["sparse_topk", "learned_temperature", "swin_windows", "pointer_network", "masked_lm"],
    "mask-by-product": ["swin_windows"],
    "mask-inverted": ["masked_lm"],
    "distance-sign": ["shaw_relative", "t5_bias"],
    "normaliser-missing": ["experts"],
    "scale": ["performer", "mutual_matches"],
    "scale-missing": ["co_attention", "attention_pooling", "shared_qk"],
}


def applies(name, program):
    return not any(program in programs for row_, programs in NOT_ATTENTION.items() if name == row_ or name.startswith(row_ + "-"))


# The engine.

def splice(body, at, count, new):
    return body[:at] + new + body[at + count:]


def inside(where, test):
    return any(test(n) for n in where)


def called_any(*names):
    return lambda node: called(node) in names


def defined(where, name):
    """Whether a name is assigned, or is a parameter, in the function or module around."""
    for n in ast.walk(where[0]):
        if isinstance(n, ast.Name) and n.id == name or isinstance(n, ast.arg) and n.arg == name:
            return True
    return False


def walk(tree):
    """Each node, or body of statements, with its ancestors: the function or module around it first."""
    def visit(node, scope, above):
        if isinstance(node, (ast.FunctionDef, ast.Module)):
            scope = node
        yield node, [scope, *above]
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body:
                yield body, [scope, *above]
        for child in ast.iter_child_nodes(node):
            yield from visit(child, scope, [node, *above])
    yield from visit(tree, tree, [])


def replaced(source, node, new):
    """The source with the text of a node, or of a body, replaced."""
    if isinstance(node, list):      # only the statements that change, so that comments between the others stay
        while len(node) > 1 and node[0] is new[0]:
            node, new = node[1:], new[1:]
        while len(node) > 1 and node[-1] is new[-1]:
            node, new = node[:-1], new[:-1]
    lines = source.encode("utf-8").splitlines(keepends=True)
    first, last = (node[0], node[-1]) if isinstance(node, list) else (node, node)
    start = sum(map(len, lines[:first.lineno - 1])) + first.col_offset
    end = sum(map(len, lines[:last.end_lineno - 1])) + last.end_col_offset
    if isinstance(node, list):
        written = ("\n" + " " * first.col_offset).join(text(ast.fix_missing_locations(n)).replace("\n", "\n" + " " * first.col_offset) for n in new)
    else:
        written = text(ast.fix_missing_locations(new))
        if isinstance(new, ast.expr) and not isinstance(new, (ast.Name, ast.Call, ast.Attribute, ast.Constant, ast.Subscript)):
            written = f"({written})"
    whole = source.encode("utf-8")
    return (whole[:start] + written.encode("utf-8") + whole[end:]).decode("utf-8")


def mutants(name, source):
    """The mutants of a source by one row; each is a whole source."""
    function, _ = ROWS[name]
    seen = set()
    for node, where in walk(ast.parse(source)):
        if not isinstance(node, list) and not hasattr(node, "lineno"):
            continue
        for new in function(node, where) or []:
            mutant = replaced(source, node, new)
            if mutant != source and mutant not in seen:
                seen.add(mutant)
                yield mutant


PROGRAMS = {path.stem: path for path in sorted(Path(os.environ.get("ZOO", HERE / "correct")).glob("*.py"))}


def all_mutants(names=()):
    for name in names or ROWS:
        for program, path in PROGRAMS.items():
            if not applies(name, program):
                continue
            for number_, mutant in enumerate(mutants(name, path.read_text(encoding="utf-8"))):
                if is_mistake(name, mutant):
                    yield name, program, number_, mutant


def difference(program, mutant):
    source = PROGRAMS[program].read_text(encoding="utf-8")
    return [line for line in difflib.unified_diff(source.splitlines(), mutant.splitlines(), n=0, lineterm="") if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    return done.returncode, done.stdout


def examined(attn, path, source, as_notebook):
    """The kinds of mistakes that the doctor finds in a program, or in a notebook with a cell for each of its statements."""
    if as_notebook:
        path = path.with_suffix(".ipynb")
        path.write_text(json.dumps(notebook(source)), encoding="utf-8")
    _, out = run(attn, "doctor", "--json", str(path))
    return [it["mistake"] for it in json.loads(out)["findings"]]


def notebook(source):
    lines = source.splitlines(keepends=True)
    starts = [min([node.lineno, *(it.lineno for it in getattr(node, "decorator_list", []))]) - 1 for node in ast.parse(source).body]
    starts[0] = 0
    cells = ["".join(lines[a:b]) for a, b in zip(starts, [*starts[1:], len(lines)]) if b > a]
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell} for cell in cells]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def judge(attn, folder, as_notebook, mutant):
    name, program, number_, source = mutant
    path = Path(folder) / f"{name}.{program}.{number_}.py"
    path.write_text(source, encoding="utf-8")
    code, out = run(attn, "run", "--random", "mkl", str(path))
    if code:
        return mutant, "raises", []
    if out == PROGRAMS[program].with_suffix(".txt").read_text(encoding="utf-8"):
        return mutant, "same", []
    codes = examined(attn, path, source, as_notebook)
    own = ORIGINAL[program]
    new = list(codes)
    for code in own:
        if code in new:
            new.remove(code)
    return mutant, "found" if set(new) & {*ROWS[name][1], *ANY} else "other" if new else "missed", codes


ORIGINAL = {}


def doctor(attn, names, as_notebook=False):
    table = {name: {} for name in names or ROWS}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        for program, path in PROGRAMS.items():
            source = path.read_text(encoding="utf-8")
            copy_ = Path(folder) / path.name
            copy_.write_text(source, encoding="utf-8")
            ORIGINAL[program] = examined(attn, copy_, source, as_notebook)
            if ORIGINAL[program]:
                print(f"accused {program} {ORIGINAL[program]}", flush=True)
        judged = pool.map(lambda m: judge(attn, folder, as_notebook, m), list(all_mutants(names)))
        for (name, program, number_, source), verdict, codes in judged:
            table[name][verdict] = table[name].get(verdict, 0) + 1
            if verdict in ("missed", "other"):
                print(f"{verdict} {name} {program}.{number_} {codes}: {' '.join(difference(program, source))[:200]}")
    print(f"\n{'row':30} mutants  found  other  missed | raise  same")
    total = {}
    for name, counts in table.items():
        for verdict, count in counts.items():
            total[verdict] = total.get(verdict, 0) + count
        show(name, counts)
    show("all", total)


def show(name, counts):
    get = lambda verdict: counts.get(verdict, 0)
    live = get("found") + get("other") + get("missed")
    print(f"{name:30} {live:7}{get('found'):7}{get('other'):7}{get('missed'):8} |{get('raises'):6}{get('same'):6}")


def main(arguments):
    if arguments[:1] in (["--doctor"], ["--notebook"]):
        return doctor(arguments[1], arguments[2:], arguments[0] == "--notebook")
    if arguments[:1] == ["--show"]:
        for name, program, number_, mutant in all_mutants(arguments[1:2]):
            if not arguments[2:] or program in arguments[2:]:
                print(f"{program}.{number_}", *difference(program, mutant), sep="\n  ")
        return
    if arguments[:1] == ["--write"]:
        folder = Path(arguments[1])
        folder.mkdir(parents=True, exist_ok=True)
        for name, program, number_, mutant in all_mutants():
            (folder / f"{name}.{program}.{number_}.py").write_text(mutant, encoding="utf-8")
        return
    page()


def page():
    """One row of the table for each kind of mistake, with the first mutant as the example."""
    print("| row | counts as found | what changes | before | after | programs (mutants) |\n|---|---|---|---|---|---|")
    total = 0
    for name, (function, codes) in ROWS.items():
        count, example = {}, None
        for _, program, _, mutant in all_mutants([name]):
            count[program] = count.get(program, 0) + 1
            example = example or difference(program, mutant)
        if not example:
            continue
        total += sum(count.values())
        before, after = ("<br>".join(f"`{line[1:].strip()}`".replace("|", "\\|") for line in example if line[0] == sign and line[1:].strip()) for sign in "-+")
        programs = ", ".join(program if number_ == 1 else f"{program} ({number_})" for program, number_ in count.items())
        print(f"| `{name}` | {', '.join(f'`{code}`' for code in codes)} | {function.__doc__} | {before} | {after} | {programs} |")
    print(f"\n{len(ROWS)} rows make {total} mutants. Some of them raise an error or change nothing; `--doctor` leaves those out.")


if __name__ == "__main__":
    main(sys.argv[1:])
