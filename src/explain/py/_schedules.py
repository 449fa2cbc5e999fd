"""What is watched of schedules: how often they step, and by which factors they change the rate."""

import math
import sys

from _events import is_own

# How a variable is called that has the rate of a step.
RATES = ("lr", "learning_rate", "cur_lr", "current_lr", "lr_now", "rate")


def scheduled(watch, schedule, at, call, args, kwargs):
    """A step of a schedule. One that steps others counts once."""
    outer = watch.scheduling == 0
    watch.scheduling += 1
    try:
        return call(schedule, *args, **kwargs)
    finally:
        watch.scheduling -= 1
        optimizer = getattr(schedule, "optimizer", None)
        if outer and at is not None and len(watch.schedules) < 64:
            _, _, count, steps = watch.schedules.get(id(schedule), (schedule, at, 0, 0))
            watch.schedules[id(schedule)] = (schedule, at, count + 1, getattr(optimizer, "_watched_steps", 0))
            note_factor(watch, schedule)


def note_factor(watch, schedule):
    """Notes by which factor a schedule has just changed the rate, if it is the largest so far."""
    rate, base = schedule.optimizer.param_groups[0]["lr"], next(iter(getattr(schedule, "base_lrs", [])), 0)
    if base and type(rate) is float and len(watch.factors) < 64:
        watch.factors[id(schedule)] = max(rate / base, watch.factors.get(id(schedule), 0))


def fast_schedules(watch):
    """Schedules that make more steps than their optimizer."""
    for schedule, at, count, steps in watch.schedules.values():
        if 0 < 2 * steps <= count:
            observed = f"{type(schedule).__name__} made {count} steps, and its optimizer {steps}."
            watch.add("schedule-outruns", at, observed, "scheduler.step() after optimizer.step(), and only there")


def slow_schedules(watch):
    """A schedule whose length is the number of the optimizer's steps, and that made few of its own."""
    for schedule, at, count, _ in watch.schedules.values():
        end = getattr(schedule, "total_steps", None) or getattr(schedule, "T_max", None)
        steps = getattr(getattr(schedule, "optimizer", None), "_watched_steps", 0)
        if type(end) is int and end >= 16 and 0.8 * end <= steps <= 1.2 * end and 4 * count <= end:
            observed = f"{type(schedule).__name__} is made for {end} steps, its optimizer made {steps}, and the schedule {count}: the rate is still near its beginning when the training ends."
            watch.add("schedule-outruns", at, observed, "scheduler.step() after each optimizer.step()")


def idle_schedules(watch):
    """Schedules that nothing steps, although their optimizer makes steps. One that steps others calls them itself."""
    stepped = [schedule for schedule, *_ in watch.schedules.values()]
    inside = [it for schedule, _ in watch.made_schedules for it in getattr(schedule, "_schedulers", [])]
    for schedule, at in watch.made_schedules:
        steps = getattr(getattr(schedule, "optimizer", None), "_watched_steps", 0)
        if steps >= 2 and all(schedule is not it for it in [*stepped, *inside]):
            observed = f"Its optimizer made {steps} steps, and step() of {type(schedule).__name__} was never called: the rate stays as it began."
            watch.add("schedule-unused", at, observed, "scheduler.step() after optimizer.step(), or after each epoch if it counts epochs")


def passed_schedules(watch):
    """A cosine that is stepped beyond its end, where the rate rises again."""
    for schedule, at, count, _ in watch.schedules.values():
        end = getattr(schedule, "T_max", None)
        if type(schedule).__name__ == "CosineAnnealingLR" and type(end) is int and count >= 1.5 * end:
            observed = f"T_max is {end}, and the schedule made {count} steps: the rate falls to its end in {end} steps, and rises again after it."
            watch.add("schedule-outruns", at, observed, f"T_max={count}; or a step for each epoch, not for each batch")


def factors_of_rate(watch):
    """A function of LambdaLR that returns rates: its largest factor is the rate that it is multiplied with."""
    for schedule, at, *_ in watch.schedules.values():
        rates, factor = getattr(schedule, "base_lrs", []), watch.factors.get(id(schedule), 0)
        if type(schedule).__name__ == "LambdaLR" and rates and 0 < rates[0] < 0.5 and abs(factor - rates[0]) <= 1e-3 * rates[0]:
            observed = f"The largest factor that LambdaLR got is {factor:.3g}, which is the rate {rates[0]:.3g} of the optimizer itself: the rate is at most {factor * rates[0]:.3g}."
            watch.add("rate-squared", at, observed, "return a factor from 0 to 1: LambdaLR multiplies the optimizer's rate with it")


def squared_rates(watch):
    """A rate that falls at once to its own share of what it was: from there on it is multiplied with itself."""
    for key, (rates, at) in watch.rates_of_steps.items():
        base = watch.rates.get(key)
        falls = [step for step in range(1, len(rates)) if base and abs(rates[step] - base * rates[step - 1]) <= 0.1 * base * rates[step - 1]]
        if base and base < 0.1 and falls and max(rates[falls[0] :]) <= 2 * base * base:
            observed = f"After {falls[0]} steps the rate falls at once from {rates[falls[0] - 1]:.3g} to {rates[falls[0]]:.3g}, which is {base:.3g} times as much, and {base:.3g} is the rate of the optimizer: it is multiplied with itself."
            watch.add("rate-squared", at, observed, "return a factor from 0 to 1: LambdaLR multiplies the optimizer's rate with it")


def note_rate(watch, optimizer, at, frame):
    """Notes the rate of a step, and what a variable of that name says that it is."""
    rates, _ = watch.rates_of_steps.setdefault(id(optimizer), ([], at))
    rate = optimizer.param_groups[0].get("lr")
    if len(rates) >= 10000 or not isinstance(rate, float):
        return
    rates.append(rate)
    for line, angle in watch.angles.items():
        watch.cosines.setdefault((id(optimizer), line), []).append((angle, rate))
    watch.angles = {}
    own = {} if frame is None else frame.f_locals
    named = next((name for name in RATES if type(own.get(name)) is float), None)
    if named is not None:
        watch.named_rates.setdefault(id(optimizer), (named, []))[1].append(own[named])


def unread_rates(watch):
    """A variable in the loop that says the rate of each step, where the optimizer's stays as it began."""
    for key, (name, said) in watch.named_rates.items():
        rates, at = watch.rates_of_steps[key]
        if len(set(rates)) == 1 and len(said) == len(rates) and len(set(said)) >= 4 and sum(it != rates[0] for it in said) >= 4:
            observed = f"{name} goes from {min(said):.3g} to {max(said):.3g} in the loop, and the rate of the optimizer is {rates[0]:.3g} in each of {len(rates)} steps: nothing gives it {name}."
            watch.add("option-unread", at, observed, f'for group in optimizer.param_groups: group["lr"] = {name}')


def zero_rates(watch):
    """A rate that is 0 at the first three steps or more, and not at a later one. At the first step of a warm-up it may be 0."""
    for rates, at in watch.rates_of_steps.values():
        steps = next((step for step, rate in enumerate(rates) if rate), 0)
        if steps >= 3:
            observed = f"The rate is 0 at the first {steps} steps, which change nothing, and {rates[steps]:.3g} at the next."
            watch.add("rate-squared", at, observed, "a warm-up rises with each step: (step + 1) / warmup, not //")


def risen_rates(watch):
    """A rate that drops at once, or falls, and then rises step by step up to the last one: a fall is in the wrong direction."""
    for rates, at in watch.rates_of_steps.values():
        drop = max(range(1, len(rates)), key=lambda step: rates[step - 1] - rates[step], default=0)
        before, after = rates[:drop], rates[drop:]
        is_late = len(after) >= 8 and 2 * len(after) >= len(rates)
        if before and is_late and 2 * after[0] <= before[-1] <= 1.1 * after[-1] and before == sorted(before) and after == sorted(after):
            observed = f"After {drop} steps the rate drops from {before[-1]:.3g} to {after[0]:.3g}, and then rises up to the last step, to {after[-1]:.3g}: it is largest where the training ends."
            watch.add("rate-squared", at, observed, "0.5 * (1 + cos(pi * ratio)) falls from 1 to 0; with a minus it rises")
        least = rates.index(min(rates, default=0)) if rates else 0
        before, after = rates[: least + 1], rates[least:]
        if len(set(before)) >= 4 and len(set(after)) >= 8 and before == sorted(before)[::-1] and after == sorted(after):
            observed = f"The rate falls for {least} steps, from {before[0]:.3g} to {before[-1]:.3g}, and then rises up to the last step, to {after[-1]:.3g}."
            watch.add("rate-squared", at, observed, "a warm-up takes the smaller of two factors: min(step ** -0.5, step * warmup ** -1.5)")


def note_angle(watch, cosine, angle, /):
    """Notes the angle of a cosine that the program asks for, the last one of each line before a step."""
    frame = sys._getframe(2)
    line = frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
    if is_own(frame) and type(angle) in (int, float) and (line in watch.angles or len(watch.angles) < 64):
        watch.angles[line] = angle
    return cosine(angle)


def wrong_cosines(watch):
    """The cosine of a rate goes from 0 to pi once, by angles that lie between."""
    for (_, at), pairs in watch.cosines.items():
        angles, rates = zip(*pairs)
        cosines, turns = [math.cos(angle) for angle in angles], [angle / math.pi for angle in angles]
        if len(pairs) < 8 or list(angles) != sorted(angles):
            continue
        span, each = max(cosines) - min(cosines), angles[-1] - angles[-2]
        slope = (rates[cosines.index(max(cosines))] - rates[cosines.index(min(cosines))]) / (span or 1)
        is_rate = slope and all(abs(rate - rates[0] - slope * (cosine - cosines[0])) <= 1e-6 * max(rates) for rate, cosine in zip(rates, cosines))
        steps = 1 / each if each else 0
        if all(abs(turn - round(turn)) < 1e-9 for turn in turns) and len(set(rates)) <= 2:
            said = f"is {turns[-1]:.0f} pi at the last of {len(pairs)} steps and a whole multiple of pi at each: the rate stays as it is between them"
            fix = "a ratio between 0 and 1, with / and not //"
        elif is_rate and turns[-1] > 2.5:
            said = f"goes up to {turns[-1]:.3g} pi in {len(pairs)} steps: the rate falls, rises again, and falls again"
            fix = "math.pi * step / steps, with as many steps as the optimizer makes"
        elif is_rate and 0.5 < angles[-1] <= 1.001 and abs(steps - round(steps)) < 1e-6 * steps < abs(math.pi * steps - round(math.pi * steps)):
            said = f"goes up to {angles[-1]:.3g} in {len(pairs)} steps, of 1 / {steps:.0f} each: a ratio, and no part of pi. At 1 the cosine is 0.54, so the rate keeps over three quarters"
            fix = "0.5 * (1 + math.cos(math.pi * ratio))"
        else:
            continue
        why = "The cosine falls from 1 to -1 while its angle goes from 0 to pi, and rises again after it. A rate that follows it falls once."
        watch.add("rate-squared", at, f"The angle of the cosine {said}.", fix, None, why)
