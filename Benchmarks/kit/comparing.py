"""Whether two answers say the same, in the columns that both have."""

TOLERANCE = 1.5e-6  # ratios are rounded to 6 decimals


def _same(one, other):
    if isinstance(one, str) or isinstance(other, str) or one is None or other is None:
        return one == other
    one, other = float(one), float(other)
    return abs(one - other) <= max(TOLERANCE, 0.000501 if max(abs(one), abs(other)) > 1 else 0)


def _order(row):
    return tuple(
        (value is None, isinstance(value, str), value if value is not None else 0) for value in row
    )


def difference(ours, theirs, sums=False):
    """None, or in words what differs first. Rows are lists of dictionaries."""
    if sums:
        theirs_all = theirs[0]
        columns = [name for name in theirs_all if not ours or name in ours[0]]
        ours = [{name: sum(row[name] or 0 for row in ours) for name in columns}]
        theirs = [{name: theirs_all[name] or 0 for name in columns}]
    if len(ours) != len(theirs):
        return f"{len(ours)} rows here, {len(theirs)} there"
    if not ours:
        return "no rows to compare"
    columns = [name for name in ours[0] if name in theirs[0]]
    if not columns:
        return "no columns to compare"
    ours_rows = sorted(([row[name] for name in columns] for row in ours), key=_order)
    their_rows = sorted(([row[name] for name in columns] for row in theirs), key=_order)
    for one, other in zip(ours_rows, their_rows):
        for name, a, b in zip(columns, one, other):
            if not _same(a, b):
                return f"{name}: {a} here, {b} there (row {one} / {other})"
    return None
