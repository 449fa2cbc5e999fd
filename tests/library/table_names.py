for name, params in composed.items():
    function = getattr(torch._composed, name, None)
    if function is None:
        print(f"_composed.py has no function {name}")
    elif not params <= (taken := set(inspect.signature(function).parameters)):
        print(f"{name} of _composed.py does not take {sorted(params - taken)}")
for name in sorted(set(torch._more.__all__) & rows - {"tensordot"}):
    print(f"{name} is in the table and in _more.py")
for place, names in re.findall(r"([\w.]+):\n((?:  .*\n)+)", absent):
    module = torch.zeros(2, 2) if place == "torch.Tensor" else importlib.import_module(place)
    # What `torch.nn` and others load when it is asked for is there as well.
    for name in names.split():
        if hasattr(module, name):
            print(f"{place}.{name} is there, and absent.txt says that it is not")
