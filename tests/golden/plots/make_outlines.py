"""Writes the outlines of a TrueType font as plain polygons, for `src/shims/plots/pixels.rs`.

Usage: python make_outlines.py DejaVuSans.ttf outlines.bin. Curves become short lines. For each character: its number (4 bytes),
its width, the count of its points (2 bytes each), then x and y of each (2 bytes each, signed); -32768 as x ends a contour.
"""

import struct
import sys

END = -32768
STEPS = 4


def number(data, at, form):
    return struct.unpack_from(">" + form, data, at)


class Font:
    def __init__(self, data):
        self.data = data
        count = number(data, 4, "H")[0]
        self.at = {data[12 + 16 * i : 16 + 16 * i]: number(data, 20 + 16 * i, "I")[0] for i in range(count)}
        self.long = number(data, self.at[b"head"] + 50, "h")[0]
        self.metrics = number(data, self.at[b"hhea"] + 34, "H")[0]

    def characters(self):
        """The glyph of each character, from a table of format 4."""
        start = self.at[b"cmap"]
        for i in range(number(self.data, start + 2, "H")[0]):
            at = start + number(self.data, start + 8 + 8 * i, "I")[0]
            if number(self.data, at, "H")[0] == 4:
                break
        count = number(self.data, at + 6, "H")[0] // 2
        ends, starts, deltas, offsets = at + 14, at + 16 + 2 * count, at + 16 + 4 * count, at + 16 + 6 * count
        for i in range(count):
            end, first = number(self.data, ends + 2 * i, "H")[0], number(self.data, starts + 2 * i, "H")[0]
            delta, offset = number(self.data, deltas + 2 * i, "H")[0], number(self.data, offsets + 2 * i, "H")[0]
            for character in range(first, min(end, 0xFFFE) + 1):
                glyph = character
                if offset:
                    glyph = number(self.data, offsets + 2 * i + offset + 2 * (character - first), "H")[0]
                if glyph := (glyph + delta) % 65536 if glyph or not offset else 0:
                    yield character, glyph

    def width(self, glyph):
        return number(self.data, self.at[b"hmtx"] + 4 * min(glyph, self.metrics - 1), "H")[0]

    def contours(self, glyph):
        """The contours of a glyph: points with whether they are on the curve."""
        form, size = ("II", 4) if self.long else ("HH", 2)
        start, end = (place * (1 if self.long else 2) for place in number(self.data, self.at[b"loca"] + size * glyph, form))
        if start == end:
            return []
        at = self.at[b"glyf"] + start
        count = number(self.data, at, "h")[0]
        at += 10
        if count < 0:
            return self.composed(at)
        ends = number(self.data, at, f"{count}H")
        at += 2 * count
        at += 2 + number(self.data, at, "H")[0]
        flags = []
        while len(flags) <= ends[-1]:
            flag = self.data[at]
            times = self.data[at + 1] + 1 if flag & 8 else 1
            flags += [flag] * times
            at += 2 if flag & 8 else 1
        axes = []
        for short, same in ((2, 16), (4, 32)):
            value, values = 0, []
            for flag in flags:
                if flag & short:
                    value += self.data[at] if flag & same else -self.data[at]
                    at += 1
                elif not flag & same:
                    value += number(self.data, at, "h")[0]
                    at += 2
                values.append(value)
            axes.append(values)
        points = [(x, y, bool(flag & 1)) for x, y, flag in zip(*axes, flags)]
        return [points[first:last + 1] for first, last in zip([0, *(end + 1 for end in ends)], ends)]

    def composed(self, at):
        contours = []
        while True:
            flags, glyph = number(self.data, at, "HH")
            assert flags & 2, "parts are placed by offsets"
            x, y = number(self.data, at + 4, "hh" if flags & 1 else "bb")
            at += 8 if flags & 1 else 6
            scale = [1.0, 0.0, 0.0, 1.0]
            if flags & 8:
                scale[0] = scale[3] = number(self.data, at, "h")[0] / 16384
                at += 2
            elif flags & 64:
                scale[0], scale[3] = (part / 16384 for part in number(self.data, at, "hh"))
                at += 4
            elif flags & 128:
                scale = [part / 16384 for part in number(self.data, at, "4h")]
                at += 8
            for contour in self.contours(glyph):
                moved = [(px * scale[0] + py * scale[2] + x, px * scale[1] + py * scale[3] + y, on) for px, py, on in contour]
                contours.append(moved)
            if not flags & 32:
                return contours


def flat(contour):
    """A contour as a polygon."""
    whole = []
    for at, (x, y, on) in enumerate(contour):
        px, py, before = contour[at - 1]
        if not on and not before:
            whole.append(((x + px) / 2, (y + py) / 2, True))
        whole.append((x, y, on))
    start = next(at for at, point in enumerate(whole) if point[2])
    whole = whole[start:] + whole[: start + 1]
    polygon = []
    for at, (x, y, on) in enumerate(whole):
        if on:
            polygon.append((x, y))
            continue
        (ax, ay, _), (bx, by, _) = whole[at - 1], whole[at + 1]
        for step in range(1, STEPS):
            t = step / STEPS
            u = 1 - t
            polygon.append((u * u * ax + 2 * u * t * x + t * t * bx, u * u * ay + 2 * u * t * y + t * t * by))
    return polygon[:-1]


def main(source, target):
    with open(source, "rb") as file:
        font = Font(file.read())
    out = bytearray()
    for character, glyph in sorted(font.characters()):
        points = []
        for contour in font.contours(glyph):
            points += [(round(x), round(y)) for x, y in flat(contour)] + [(END, 0)]
        out += struct.pack("<IHH", character, font.width(glyph), len(points))
        for point in points:
            out += struct.pack("<hh", *point)
    with open(target, "wb") as file:
        file.write(out)


main(*sys.argv[1:])
