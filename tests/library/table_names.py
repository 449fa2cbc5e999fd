for name, params in composed.items():
    function = getattr(torch._composed, name, None)
    if function is None:
        print(f"_composed.py has no function {name}")
    elif not params <= (taken := set(inspect.signature(function).parameters)):
        print(f"{name} of _composed.py does not take {sorted(params - taken)}")
for name in sorted(set(torch._more.__all__) & rows - {"tensordot"}):
    print(f"{name} is in the table and in _more.py")
for place, names in torch._names._KNOWN.items():
    for name in sorted(set(names.split()) & set(vars(importlib.import_module(place)))):
        print(f"{place}.{name} is there, and _names.py says that it is not")
for place, names in (torch, functions), (torch.zeros(2, 2), methods):
    for name in names.split():
        if hasattr(place, name):
            print(f"{name} is there, and an absent_*.txt says that it is not")
