"""Line plots as SVG, written by hand: a frame, ticks, lines with marks, a legend."""

import math
from html import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 200, 36, 52
COLOURS = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#444444"]
DASHES = ["", "6 3", "2 3", "8 3 2 3", "4 4", "1 4"]


def ticks_for(low, high):
    """Round numbers between low and high."""
    step = 10 ** math.floor(math.log10((high - low) or 1))
    while (high - low) / step < 4:
        step /= 2
    first = math.ceil(low / step)
    return [step * i for i in range(first, int(high / step + 1e-9) + 1)]


def draw(title, x_name, y_name, lines, y_from_zero=True):
    """`lines` are (name, [(x, y)]); x is drawn by its logarithm to base 2."""
    points = [point for _, line in lines for point in line]
    xs, ys = [math.log2(x) for x, _ in points], [y for _, y in points]
    x_low, x_high = min(xs), max(max(xs), min(xs) + 1)
    y_low = 0.0 if y_from_zero else min(ys)
    y_high = max(max(ys) * 1.05, y_low + 1e-9)

    def place(x, y):
        return (
            LEFT + (math.log2(x) - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM),
        )

    out = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">'
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>',
        (
            f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}" '
            'fill="none" stroke="black"/>'
        ),
    ]
    for power in range(math.ceil(x_low), int(x_high + 1e-9) + 1):
        x, y = place(2.0**power, y_low)
        out.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{2 ** power}</text>')
    for value in ticks_for(y_low, y_high):
        x, y = place(2.0**x_low, value)
        out.append(f'<line x1="{x:.1f}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    out.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}"'
        f' text-anchor="middle">{escape(x_name)}</text>'
    )
    out.append(
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_name)}</text>"
    )
    for number, (name, line) in enumerate(lines):
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        placed = [place(x, y) for x, y in sorted(line)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        out.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"'
            f' stroke-dasharray="{dash}"/>'
        )
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in placed]
        y = TOP + 10 + 18 * number
        out.append(
            f'<line x1="{WIDTH - RIGHT + 10}" x2="{WIDTH - RIGHT + 34}" y1="{y}" y2="{y}" stroke="{colour}" '
            f'stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        out.append(f'<text x="{WIDTH - RIGHT + 40}" y="{y + 4}" font-size="11">{escape(name)}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"
