"""What goes around the parts of a block: the sum that each part adds to, and parts that drop whole samples of what they add."""

import copy

import torch
from torch import nn
from _call import SEED
from _probe_values import same
from _unused import returning, returning_zeros, runs_of

# So many samples show which share of them is kept, and so many standard errors are no chance.
SAMPLES, ERRORS = 4096, 6


def block_of(call):
    """The input of a block, where it is, its output, and what its parts were given and returned; None where a call is no block."""
    inputs = [(where, value) for where, value in call.inputs() if value.is_floating_point()]
    if call.owner() is None or getattr(call.function, "__name__", "") != "forward" or not inputs:
        return None
    # With work of its own, after all other repetitions.
    call.done = 0
    output, ran = runs_of(call)
    return None if output is None or output.shape != inputs[0][1].shape else (*inputs[0], output, ran)


def passed_by(call):
    """The mistake if a part such as attention reaches the output only through a later one, to which it and the input of the block
    are given as a sum: the sum is not what the later part adds to."""
    call = call.like(call.arguments)
    block = block_of(call)
    if block is None:
        return []
    where, value, _, ran = block
    is_like = lambda it: it is not None and it.shape == value.shape
    wide = lambda name: sum(it.dim() >= 2 for it in getattr(call.owner(), name).parameters()) > 1
    parts = [name for name, runs in ran.items() if wide(name) and len(runs) == 1 and is_like(runs[0][0]) and is_like(runs[0][1])]
    for at, later in enumerate(parts):
        for part in parts[:at]:
            if call.is_late():
                return []
            torch.manual_seed(SEED)
            results = [torch.randn_like(value) for _ in range(2)]
            gives = lambda result: returning(part, lambda it: result)
            without = [call.repeat(prepare=lambda modules, result=result: [gives(result)(modules), returning_zeros(later)(modules)]) for result in results]
            # What the later part is given: of the input and a result, of both with the same added to the one or the other.
            one, way = results
            pairs = [(value, one), (value + way, one), (value, one + way)]
            given = [runs_of(call, {where: other}, gives(result))[1][later][0][0] for other, result in pairs]
            around = call.repeat({where: results[0]}, prepare=returning_zeros(later))
            if same(without[:1], without[1:]) and not same(given[:1], given[1:2]) and same(given[1:2], given[2:], 1e-3) and not same([around], without[:1]):
                observed = f"gives {later} the sum of what comes in and of the result of {part}. Where {later} returns zeros, the result of {part} no longer reaches the output, and what comes in does."
                return [call.found("residual-missing", observed, f"x = x + self.{part}(...), and then x = x + self.{later}(...)", line=f"self.{later}(", title="a later part adds to what the block was given, without the part before")]
    return []


def kept(part):
    """The share of the samples that a part keeps in training where it drops whole ones and keeps them as they are in evaluation, and
    what a 1 becomes that is kept."""
    ones = torch.ones(SAMPLES, 2, 2)
    twin = copy.deepcopy(part)
    if not torch.equal(twin.eval()(ones), ones):
        return None
    rows = twin.train()(ones).flatten(1)
    shares = rows[:, 0] != 0
    if rows.shape != (SAMPLES, 4) or not bool((rows == rows[:, :1]).all()) or not bool(shares.any()) or bool(shares.all()):
        return None
    values = rows[shares, 0]
    return (float(shares.float().mean()), float(values[0])) if bool((values == values[0]).all()) else None


def dropped(call):
    """The mistakes in parts that drop whole samples, as stochastic depth does: what they keep is not scaled, or what comes in goes
    through them too."""
    call, owner = call.like(call.arguments), call.owner()
    block = block_of(call)
    own = [] if block is None else [(name, it) for name, it in owner.named_children() if not any(True for _ in it.parameters()) and not type(it).__module__.startswith("torch")]
    for name, part in own:
        where, value, _, ran = block
        with torch.random.fork_rng():
            found = kept(part)
        if found is None:
            continue
        share, factor = found
        error = ERRORS * (share * (1 - share) / SAMPLES) ** 0.5
        if abs(factor * share - 1) > factor * error:
            observed = f"keeps {100 * share:.0f} % of the samples in training and makes {factor:.4g} of a 1 that is kept, so that it is {factor * share:.2f} on average; in evaluation it is 1."
            why = "In evaluation nothing is dropped, and each part then adds more than it did on average in training, or less."
            return [call.found("residual-missing", f"has {name}, which {observed}", "divide by the share that is kept: x * mask / keep", title="what is dropped at random is not scaled by the share that is kept", why=why, line=f"self.{name}(")]
        torch.manual_seed(SEED)
        others = [torch.randn_like(value) for _ in range(2)]
        last = len(ran.get(name, []))

        def without(modules):
            calls = []
            getattr(modules[0], name).register_forward_hook(lambda module, args, result: calls.append(0) or (torch.zeros_like(result) if len(calls) == last else None))

        if last and same(*([call.repeat({where: other}, prepare=without)] for other in others)):
            observed = f"returns the same whatever it is given where {name} drops all samples: what comes in goes through it too."
            return [call.found("residual-missing", observed, f"x = x + self.{name}(...)", line=f"self.{name}(", title="the sum is dropped, and not what a part adds to it")]
    return []
