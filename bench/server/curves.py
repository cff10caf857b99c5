"""Loss over time: when it is reached, and a drawing."""

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 130, 24, 52
MOST_POINTS = 200  # of a curve
COLORS = ("#1b6ca8", "#c8553d", "#4a8c3f", "#8a4fa3", "#b8860b")


def smooth(points, window):
    """Each loss is the mean of the last ones, so many at most; the first ones, of too few, are left out."""
    result = []
    for end in range(window, len(points) + 1):
        losses = [loss for _, loss in points[end - window:end]]
        result.append((points[end - 1][0], sum(losses) / window))
    return result


def seconds_to(points, loss):
    """The first time at which the loss is reached; None if it never is."""
    return next((seconds for seconds, value in points if value <= loss), None)


def ticks(most, about=6):
    """Round numbers from 0 to at most `most`."""
    unit = 10.0 ** -6
    while most / unit > about:
        unit *= 2.5 if f"{unit:e}".startswith("2") else 2
    return [index * unit for index in range(int(most / unit + 1e-9) + 1)]


def svg(title, curves, level):
    """`curves`: points of seconds and loss, by name. `level`: the loss that is marked."""
    most_x = max(seconds for points in curves.values() for seconds, _ in points)
    most_y = max(loss for points in curves.values() for _, loss in points)

    def x(seconds):
        return LEFT + seconds / most_x * (WIDTH - LEFT - RIGHT)

    def y(loss):
        return HEIGHT - BOTTOM - loss / most_y * (HEIGHT - TOP - BOTTOM)

    def text(at_x, at_y, words, anchor="middle", more=""):
        return f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}"{more}>{words}</text>'

    def line(x1, y1, x2, y2, style):
        return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
             f"<title>{title}</title>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for tick in ticks(most_y):
        parts += [line(LEFT, y(tick), WIDTH - RIGHT, y(tick), 'stroke="#ddd"'), text(LEFT - 8, y(tick) + 4, f"{tick:g}", "end")]
    for tick in ticks(most_x):
        parts += [line(x(tick), HEIGHT - BOTTOM, x(tick), HEIGHT - BOTTOM + 5, 'stroke="#888"'),
                  text(x(tick), HEIGHT - BOTTOM + 20, f"{tick:g}")]
    parts += [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "seconds since the first step"),
              text(18, HEIGHT / 2, "training loss", more=f' transform="rotate(-90 18 {HEIGHT / 2:.1f})"'),
              line(LEFT, y(level), WIDTH - RIGHT, y(level), 'stroke="#444" stroke-dasharray="5 4"'),
              text(WIDTH - RIGHT + 8, y(level) + 4, f"loss {level:g}", "start")]
    for index, (name, points) in enumerate(curves.items()):
        color = COLORS[index % len(COLORS)]
        path = " ".join(f"{x(seconds):.1f},{y(loss):.1f}" for seconds, loss in points[::len(points) // MOST_POINTS + 1])
        key = TOP + 14 + 22 * index
        parts += [f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.8"/>',
                  line(WIDTH - RIGHT + 8, key, WIDTH - RIGHT + 32, key, f'stroke="{color}" stroke-width="3"'),
                  text(WIDTH - RIGHT + 40, key + 4, name, "start")]
    return "\n".join([*parts, "</svg>"]) + "\n"
