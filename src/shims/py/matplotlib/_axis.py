"""One of the axes of a plot, its frame, and how data is read: for `axes`."""

from ._artists import Text, ignored, numbers, row, style


class _Axis:
    """One of the two axes: its ticks and their names."""

    def __init__(self):
        self.label, self.ticks, self.names, self.limits, self.scale = "", None, None, None, "linear"

    set_major_locator = set_minor_locator = set_major_formatter = set_minor_formatter = ignored
    set_ticks_position = set_label_position = tick_top = tick_bottom = tick_left = tick_right = ignored

    def set_visible(self, visible):
        if not visible:
            self.ticks, self.names = [], []

    def set_ticks(self, ticks, labels=None, **words):
        style("Text", words)
        self.ticks = row(ticks)
        self.names = None if labels is None else [str(name) for name in labels]

    def set_ticklabels(self, names, **words):
        style("Text", words)
        self.names = [str(getattr(name, "_text", name)) for name in names]

    def get_label(self):
        return Text(text=self.label)


class _Spine:
    set_visible = set_color = set_linewidth = set_position = set_bounds = ignored


class _Spines(dict):
    def __missing__(self, name):
        return _Spine()

    def __getattr__(self, name):
        return _Spine()

    def values(self):
        return [_Spine()] * 4


def _axis(axis, is_mesh):
    ticks = axis.ticks
    if is_mesh and ticks and any(tick % 1 for tick in ticks):
        ticks = [tick - 0.5 for tick in ticks]
    return {
        "label": axis.label,
        "ticks": ticks,
        "names": axis.names,
        "limits": None if is_mesh else axis.limits and list(axis.limits),
        "log": axis.scale == "log",
    }


def _mark(mark, axis):
    """A mark with all that it may have. Places that are names are numbered, and the axis has the names."""
    mark = {"label": None, "x": [], "y": [], "to": [], "rows": [], "names": [], "text": ""} | mark
    if mark["label"] is not None:
        mark["label"] = str(mark["label"])
    places = mark["x"]
    are_names = any(isinstance(place, str) for place in places)
    if are_names or mark["kind"] == "bars":
        # Without the digits that rounding left: 0.30000000000000004 is 0.3.
        mark["names"] = [str(place) if are_names else f"{place:.4f}".rstrip("0").rstrip(".") for place in places]
        mark["x"] = list(range(len(places)))
        if are_names:
            axis["names"] = mark["names"]
    return mark


def _dtype(data):
    """NumPy's name of the dtype of a tensor or an array; None for lists."""
    return str(data.dtype).removeprefix("torch.") if hasattr(data, "dtype") else None


def _edges(places, count, along_rows):
    """From where to where the cells of a mesh reach along one axis: places are edges, or the middles of cells."""
    places = numbers(places)
    if isinstance(places[0], list):
        places = [line[0] for line in places] if along_rows else places[0]
    if len(places) == count + 1:
        return float(places[0]), float(places[-1])
    if len(places) < 2:
        return places[0] - 0.5, places[0] + 0.5
    return places[0] - (places[1] - places[0]) / 2, places[-1] + (places[-1] - places[-2]) / 2


def _table(data):
    rows = numbers(data)
    if not (isinstance(rows, list) and rows and isinstance(rows[0], list)):
        shape = tuple(data.shape) if hasattr(data, "shape") else (len(rows),) if isinstance(rows, list) else ()
        raise TypeError(f"Invalid shape {shape} for image data")
    if rows[0] and isinstance(rows[0][0], list):
        # Colours: their mean is what a terminal can show; one channel is itself.
        rows = [[sum(colour) / len(colour) for colour in line] for line in rows]
    return rows
