"""`numpy.einsum_path`: in which order the operands of an einsum are best contracted, two at a time.
Source: Smith & Gray 2018, opt_einsum, as NumPy has it.
"""

import itertools
import math

import numpy


def _contraction(positions, inputs, output):
    """Letters of the result, the operands after it, the letters that are summed, and all that take part."""
    taking, staying, rest = set(), set(output), []
    for at, letters in enumerate(inputs):
        if at in positions:
            taking |= letters
        else:
            rest.append(letters)
            staying |= letters
    made = staying & taking
    return made, rest + [made], taking - made, taking


def _size(letters, sizes):
    return math.prod(sizes[letter] for letter in letters)


def _cost(letters, is_summed, count, sizes):
    return _size(letters, sizes) * (max(1, count - 1) + (1 if is_summed else 0))


def _greedy(inputs, output, sizes, limit):
    if len(inputs) <= 2:
        return [tuple(range(len(inputs)))]
    _, _, removed, taking = _contraction(range(len(inputs)), inputs, output)
    naive, spent, path, known = _cost(taking, removed, len(inputs), sizes), 0, [], []
    pairs = itertools.combinations(range(len(inputs)), 2)

    def candidate(pair):
        made, rest, removed, taking = _contraction(pair, inputs, output)
        size = _size(made, sizes)
        if size > limit:
            return None
        gone = sum(_size(inputs[at], sizes) for at in pair) - size
        cost = _cost(taking, removed, 2, sizes)
        return None if spent + cost > naive else ((-gone, cost), pair, rest)

    for _ in range(len(inputs) - 1):
        for pair in pairs:
            found = None if inputs[pair[0]].isdisjoint(inputs[pair[1]]) else candidate(pair)
            known += [found] if found else []
        if not known:
            known = [found for found in map(candidate, itertools.combinations(range(len(inputs)), 2)) if found]
        if not known:
            path.append(tuple(range(len(inputs))))
            break
        best = min(known, key=lambda one: one[0])
        known = _after(known, best)
        inputs = best[2]
        last = len(inputs) - 1
        pairs = [(at, last) for at in range(last)]
        path.append(best[1])
        spent += best[0][1]
    return path


def _after(known, best):
    """The other candidates, as they are once the best one is contracted."""
    left, right = best[1]
    made = []
    for cost, (x, y), rest in known:
        if x in best[1] or y in best[1]:
            continue
        rest = list(rest)
        del rest[right - (right > x) - (right > y)]
        del rest[left - (left > x) - (left > y)]
        rest.insert(-1, best[2][-1])
        made.append((cost, (x - (x > left) - (x > right), y - (y > left) - (y > right)), rest))
    return made


def _optimal(inputs, output, sizes, limit):
    results = [(0, [], inputs)]
    for step in range(len(inputs) - 1):
        found = []
        for cost, positions, rest in results:
            for pair in itertools.combinations(range(len(inputs) - step), 2):
                made, after, removed, taking = _contraction(pair, rest, output)
                if _size(made, sizes) <= limit:
                    found.append((cost + _cost(taking, removed, 2, sizes), positions + [pair], after))
        if not found:
            return min(results, key=lambda one: one[0])[1] + [tuple(range(len(inputs) - step))]
        results = found
    return min(results, key=lambda one: one[0])[1]


def einsum_path(subscripts, operands, optimize):
    """The path, and a text about its cost."""
    limit = None
    kind = "greedy" if optimize is True else False if optimize is None else optimize
    if not (kind is False or isinstance(kind, str)):
        if len(kind) == 2 and isinstance(kind[0], str) and isinstance(kind[1], (int, float)):
            kind, limit = kind[0], int(kind[1])
        elif not len(kind) or kind[0] != "einsum_path":
            raise TypeError(f"Did not understand the path: {kind}")
    text = subscripts.replace(" ", "")
    if "." in text:
        raise NotImplementedError("einsum_path() with '...' is not part of attn's numpy")
    before, arrow, after = text.partition("->")
    if not arrow:
        after = "".join(sorted(one for one in set(before) - {","} if before.count(one) == 1))
    terms, sizes = before.split(","), {}
    if len(terms) != len(operands):
        raise ValueError("Number of einsum subscripts must be equal to the number of operands.")
    for term, one in zip(terms, operands):
        for letter, size in zip(term, numpy.shape(one)):
            sizes[letter] = max(sizes.get(letter, 1), size)
    inputs, output, letters = [set(term) for term in terms], set(after), set(before) - {","}
    limit = max(_size(term, sizes) for term in [*terms, after]) if limit is None else limit
    naive = _cost(letters, sum(map(len, terms)) > len(letters), len(terms), sizes)
    if isinstance(kind, (list, tuple)):
        path = list(kind[1:])
    elif kind is False or len(terms) in (1, 2) or letters == output:
        path = [tuple(range(len(terms)))]
    elif kind in ("greedy", "optimal"):
        path = (_greedy if kind == "greedy" else _optimal)(inputs, output, sizes, limit)
    else:
        raise KeyError("Path name %s not found", kind)
    costs, scales, largest, rows = [], [], [], []
    for number, positions in enumerate(path):
        positions = tuple(sorted(positions, reverse=True))
        made, inputs, removed, taking = _contraction(positions, inputs, output)
        costs.append(_cost(taking, removed, len(positions), sizes))
        scales.append(len(taking))
        largest.append(_size(made, sizes))
        taken = [terms.pop(at) for at in positions]
        result = after if number == len(path) - 1 else "".join(one for _, one in sorted((sizes[one], one) for one in made))
        terms.append(result)
        rows.append((scales[-1], ",".join(taken) + "->" + result, ",".join(terms) + "->" + after))
    total = sum(costs) + 1
    lines = [
        f"  Complete contraction:  {before}->{after}", f"         Naive scaling:  {len(letters)}",
        f"     Optimized scaling:  {max(scales)}", "      Naive FLOP count:  %.3e" % naive,
        "  Optimized FLOP count:  %.3e" % total, "   Theoretical speedup:  %3.3f" % (naive / total),
        "  Largest intermediate:  %.3e elements" % max(largest), "-" * 74,
        "%6s %24s %40s" % ("scaling", "current", "remaining"), "-" * 74, *("%4d    %24s %40s" % row for row in rows),
    ]
    return ["einsum_path"] + path, "\n".join(lines)
