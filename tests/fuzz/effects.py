"""Whether an argument makes a difference: looks for two calls that differ in one argument and in what they give.

Runs after generate.py and check.py. `without_effect(row, tries)` names the parameters of a row for which no such pair
was found; a parameter whose word says that it has no effect (`hint`, `only`, `device`, ...) is left out.
"""

NO_EFFECT = ("hint", "only", "device", "layout", "format", "out", "index")


def outcome(expression, given):
    """What a call gives and leaves behind, in one text; None if it raises."""
    torch.manual_seed(1)
    names = {name: eval(text, globals()) for name, text, _ in given}
    try:
        result = eval(expression, {"torch": torch, "F": F, "mk": mk}, names)
    except Exception:
        return None
    marks = [(part.requires_grad, part.stride(), [part is value for value in names.values()]) for part in parts(result)]
    after = [told(value) for value in names.values()]
    drawn = torch.rand(1).item() if any("Generator" in text for text in expression.split("=")) else None
    return told(result), repr(marks), repr(after), drawn


def written(calls, way, arguments):
    """The source of a call with these arguments: (name, source, by keyword)."""
    texts = [f"**{{'from': {text}}}" if named and name == "from" else f"{name}={text}" if named else text for name, text, named in arguments]
    if way[0] == ".":
        return f"{texts[0]}{way}({', '.join(texts[1:])})"
    return f"{way}({', '.join(texts)})"


def ways_of(name, places):
    out = []
    if places & FUNCTION:
        out.append("torch." + name)
    if places & FUNCTIONAL:
        out.append("F." + name)
    if places & LINALG:
        out.append("torch.linalg." + name[len("linalg_"):])
    if places & (METHOD | IN_PLACE_ONLY):
        out.append("." + name)
    if not out:
        out.append("." + name + "_")
    return out


def has_effect(row, form, at, tries):
    name, places, _ = row
    way = ways_of(name, places)[0]
    for seed in range(tries):
        calls = Calls(seed * 31 + at, 0.05 if seed % 2 else 0.2)
        parameters = calls.parameters(form)
        word, wanted, default, starred = parameters[at]
        before, keyword = [], False
        for position, (other_word, other, other_default, other_starred) in enumerate(parameters):
            if other_word.rstrip("?") in NO_EFFECT or other.startswith("_"):
                keyword = True
                continue
            if position == at:
                before.append((other, None, keyword or other_starred))
                continue
            if other_default and not calls.chance(0.3):
                keyword = True
                continue
            value = calls.value(other_word, other)
            keyword = keyword or other_starred
            before.append((other, value, keyword))
        values = [calls.value(word, wanted), calls.value(word, wanted)]
        place = next(index for index, argument in enumerate(before) if argument[1] is None)
        found = []
        for value in [*values, None]:
            if value is None and not default:
                continue
            arguments = list(before)
            if value is None:
                # Left out: what follows goes by name.
                arguments = before[:place] + [(other, text, True) for other, text, _ in before[place + 1 :]]
            else:
                arguments[place] = (wanted, value, before[place][2])
            if way[0] == "." and arguments[0][2]:
                continue
            result = outcome(written(calls, way, arguments), calls.given)
            if result is not None:
                found.append(result)
        if len(set(found)) > 1:
            return True
    return False


def differ(first, second):
    """Whether two calls give what differs; a call that raises says with which exception."""
    told_of = []
    for expression in (first, second):
        torch.manual_seed(1)
        try:
            result = eval(expression)
            marks = [(part.requires_grad, part.stride()) for part in parts(result)]
            told_of.append((told(result), marks))
        except Exception as error:
            told_of.append((type(error).__name__, str(error)))
    return told_of[0] != told_of[1]


def without_effect(row, tries):
    out = []
    for number, form in enumerate(row[2]):
        parameters = Calls(0, 0).parameters(form)
        for at, (word, name, default, starred) in enumerate(parameters):
            if word.rstrip("?") in NO_EFFECT or name.startswith("_"):
                continue
            if not has_effect(row, form, at, tries):
                out.append(f"{row[0]}[{number}].{name}")
    return out
