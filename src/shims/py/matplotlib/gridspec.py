"""Axes in rows and columns."""


class GridSpec:
    def __init__(self, nrows, ncols, figure=None, **words):
        self._shape = nrows, ncols

    def __getitem__(self, index):
        rows, columns = self._shape
        row, column = index if isinstance(index, tuple) else divmod(index, columns)
        first = [place.indices(size)[0] if isinstance(place, slice) else place % size for place, size in ((row, rows), (column, columns))]
        return rows, columns, first[0] * columns + first[1] + 1
