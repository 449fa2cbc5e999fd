"""`tqdm` without a progress bar: iterates over its argument."""

__version__ = "4.67.1"


class tqdm:
    def __init__(self, iterable=None, desc=None, total=None, **options):
        self.iterable = iterable
        self.desc = desc
        self.total = len(iterable) if total is None and hasattr(iterable, "__len__") else total
        self.n = 0

    def __iter__(self):
        for element in self.iterable:
            yield element
            self.n += 1

    def __len__(self):
        return self.total

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def update(self, n=1):
        self.n += n

    def set_description(self, desc=None, refresh=True):
        self.desc = desc

    def set_postfix(self, ordered_dict=None, refresh=True, **values):
        pass

    set_postfix_str = set_description_str = set_description

    def close(self):
        pass

    refresh = reset = clear = close

    @staticmethod
    def write(text, file=None, end="\n", nolock=False):
        print(text, file=file, end=end)


def trange(*args, **options):
    return tqdm(range(*args), **options)
