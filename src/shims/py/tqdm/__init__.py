"""`tqdm`: iterates over its argument. On a terminal, a bar on stderr shows how far it is; it is removed at the end."""

import sys
import time

__version__ = "4.67.1"

BLOCKS = " ▏▎▍▌▋▊▉█"
COLUMNS = 10


def _bar(share):
    eighths = int(share * COLUMNS * 8)
    whole, part = divmod(eighths, 8)
    return ("█" * whole + (BLOCKS[part] if whole < COLUMNS else "")).ljust(COLUMNS)


def _clock(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"


def _number(value):
    return f"{value:.3g}" if isinstance(value, (int, float)) else str(value)


class tqdm:
    def __init__(self, iterable=None, desc=None, total=None, leave=True, file=None, ncols=None, mininterval=0.1, *,
                 disable=False, unit="it", initial=0, postfix=None, **options):
        self.iterable = iterable
        self.desc = desc or ""
        self.total = len(iterable) if total is None and hasattr(iterable, "__len__") else total
        self.n = self.initial = initial
        self.unit = unit
        self.disable = bool(disable)
        self.mininterval = mininterval
        self.postfix = ""
        self.start_t = time.perf_counter()
        self.drawn = self.start_t - mininterval
        if postfix:
            self.set_postfix(postfix, refresh=False)

    def __iter__(self):
        self._draw()
        try:
            for element in self.iterable:
                yield element
                self.update()
        finally:
            self.close()

    def __len__(self):
        return self.total

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()
        return False

    def __str__(self):
        elapsed = time.perf_counter() - self.start_t
        done = self.n - self.initial
        rate = done / elapsed if elapsed > 0 and done else None
        speed = f"{rate:5.2f}{self.unit}/s" if rate else f"?{self.unit}/s"
        head = f"{self.desc}: " if self.desc else ""
        tail = f", {self.postfix}" if self.postfix else ""
        if not self.total:
            return f"{head}{self.n}{self.unit} [{_clock(elapsed)}, {speed}{tail}]"
        share = min(self.n / self.total, 1)
        left = _clock((self.total - self.n) / rate) if rate else "?"
        return (f"{head}{share:4.0%}|{_bar(share)}| {self.n}/{self.total} "
                f"[{_clock(elapsed)}<{left}, {speed}{tail}]")

    def _draw(self, now=False):
        moment = time.perf_counter()
        if not self.disable and (now or moment - self.drawn >= self.mininterval):
            self.drawn = moment
            sys.__stderr__.progress(str(self))

    def update(self, n=1):
        self.n += n
        self._draw()

    def set_description(self, desc=None, refresh=True):
        self.desc = desc or ""
        self._draw()

    def set_postfix(self, ordered_dict=None, refresh=True, **values):
        values = {**(ordered_dict or {}), **values}
        self.postfix = ", ".join(f"{name}={_number(value)}" for name, value in values.items())
        if refresh:
            self._draw()

    def set_postfix_str(self, s="", refresh=True):
        self.postfix = str(s)
        if refresh:
            self._draw()

    set_description_str = set_description

    def refresh(self, *args, **options):
        self._draw(now=True)
        return True

    def clear(self, *args, **options):
        if not self.disable:
            sys.__stderr__.progress("")

    def close(self):
        self.clear()

    @staticmethod
    def write(text, file=None, end="\n", nolock=False):
        print(text, file=file, end=end)


def trange(*args, **options):
    return tqdm(range(*args), **options)
