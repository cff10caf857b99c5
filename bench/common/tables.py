"""Numbers and tables as text."""

KIB = 1 << 10
MIB = 1 << 20


def size_in_words(size):
    """65536 → "64 KiB"."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024 or unit == "MiB":
            return f"{size:,} {unit}"
        size //= 1024


def three_digits(number):
    """0.4733 → "0.473", 35472.9 → "35,473"; None → a dash."""
    if number is None:
        return "–"
    digits = next((digits for limit, digits in ((1, 3), (10, 2), (100, 1)) if number < limit), 0)
    return f"{number:,.{digits}f}"


def aligned(rows, left=()):
    """Rows of cells as lines; columns are right-aligned, except those named as left."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    )
