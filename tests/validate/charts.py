"""Charts of rows, as SVG."""
import collections
import html
import math

from rows import VERDICTS, real

COLOURS = {"holds": "#1b7837", "violated": "#c51b2b", "vacuous": "#8c8c8c", "inconclusive": "#b8860b",
           "not-applicable": "#bbbbbb"}


def dot_chart(path, title, label, items, reference, log):
    """items: (text, value, low, high, verdict); a dot with its interval per item, an arrow at the right end where the value
    is infinite, a line at `reference`."""
    def place(x):
        return math.log10(x) if log else x

    def usable(x):
        return math.isfinite(x) and (not log or x > 0)

    items = [i for i in items if usable(i[1]) or i[1] == math.inf]
    finite = [i for i in items if usable(i[1])]
    if not items:
        return False
    ends = [place(reference)] + [place(x) for i in items for x in (i[1], i[2], i[3]) if usable(x)]
    if log:  # an interval that reaches to almost nothing must not squeeze everything else
        ends = [max(e, min([place(i[1]) for i in finite] or [place(reference)]) - 2) for e in ends]
    low, high = min(ends), max(ends)
    spread = (high - low) or 1
    low, high = low - 0.04 * spread, high + 0.04 * spread
    left, width, top, step = 470, 520, 46, 16
    height = top + step * len(items) + 44
    bottom = top + step * len(items) + 4

    def x_of(v):
        return left + width * (v - low) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 24}" height="{height}" '
           f'viewBox="0 0 {left + width + 24} {height}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="8" y="18" font-size="13" font-weight="bold">{html.escape(title)}</text>']
    for tick in ticks(low, high, log):
        x = x_of(tick)
        name = f"{10 ** tick:.3g}" if log else f"{tick:.3g}"
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}" stroke="#e4e4e4"/>'
                   f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{name}</text>')
    x = x_of(place(reference))
    out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4}" y2="{bottom}" stroke="black"/>')
    for n, (text, value, lo, hi, verdict) in enumerate(items):
        y, colour = top + step * n + step / 2, COLOURS.get(verdict, "black")
        shown = text if len(text) <= 70 else text[:69] + "…"
        if value == math.inf:
            out.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{html.escape(shown)}</text>'
                       f'<text x="{left + width}" y="{y + 4:.1f}" text-anchor="end" fill="{colour}">∞ ▶</text>')
            continue
        out.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{html.escape(shown)}</text>')
        ends = [min(max(place(e) if usable(e) else (low if e is lo else high), low), high) for e in (lo, hi)]
        if not (math.isnan(lo) or math.isnan(hi)):
            out.append(f'<line x1="{x_of(ends[0]):.1f}" x2="{x_of(ends[1]):.1f}" y1="{y:.1f}" y2="{y:.1f}" '
                       f'stroke="{colour}" stroke-width="2"/>')
        out.append(f'<circle cx="{x_of(place(value)):.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>')
    keys = [v for v in VERDICTS if any(i[4] == v for i in items)]
    for n, verdict in enumerate(keys):
        out.append(f'<circle cx="{left + 110 * n + 4}" cy="30" r="3.2" fill="{COLOURS[verdict]}"/>'
                   f'<text x="{left + 110 * n + 12}" y="34">{verdict}</text>')
    out.append(f'<text x="{left + width / 2}" y="{height - 8}" text-anchor="middle">{html.escape(label)}</text></svg>')
    with open(path, "w") as f:
        f.write("\n".join(out))
    return True


def ticks(low, high, log):
    if log and high - low >= 2:
        step = max(1, math.ceil((high - low) / 8))
        return range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    if log:
        values = [math.log10(m * 10 ** e) for e in range(math.floor(low) - 1, math.ceil(high) + 1)
                  for m in (1, 1.1, 1.2, 1.5, 2, 3, 5, 7)]
        values = [v for v in values if low <= v <= high]
        return [v for n, v in enumerate(values) if n == 0 or v - values[n - 1] > (high - low) / 14] or [0]
    step = 10 ** math.floor(math.log10((high - low) / 2))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 9)
    return [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def ratio_chart(path, title, rows):
    items = []
    places = collections.Counter(r["where"] for r in rows)
    for r in rows:
        expected, observed = real(r["expected"]), real(r["observed"])
        if observed > 0 and (observed == math.inf or expected == 0):
            items.append((f"{r['quantity']}: {r['where']}", math.inf, math.nan, math.nan, r["verdict"]))
        if not (math.isfinite(expected) and math.isfinite(observed) and expected > 0 and observed > 0):
            continue
        ends = [max(real(r[end]), 0) / expected if r[end] != "" else math.nan for end in ("ci_low", "ci_high")]
        short = r["quantity"].split(":")[0]
        label = f"{short}: {r['where']}" if len(short) <= 12 and short != r["quantity"] or len(short) <= 2 else r["where"]
        if label == r["where"] and places[label] > 1:
            label = f"{r['quantity']}: {label}"
        items.append((label, observed / expected, ends[0], ends[1], r["verdict"]))
    return dot_chart(path, title, "observed / expected", items, 1, True)


CURVES = ["#0072b2", "#d55e00", "#009e73"]


def share_chart(path, title, label, curves):
    """curves: (name, ascending values >= 1); the share of values up to x, x logarithmic."""
    left, width, top, height = 60, 520, 40, 300
    bottom, right = top + height, left + width
    most = max(1e-9, max(math.log10(values[-1]) for _, values in curves)) * 1.04

    def x_of(v):
        return left + width * max(0, math.log10(v)) / most

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{right + 24}" height="{bottom + 48}" '
           f'viewBox="0 0 {right + 24} {bottom + 48}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="8" y="18" font-size="13" font-weight="bold">{html.escape(title)}</text>']
    for tick in ticks(0, most, True):
        x = x_of(10 ** tick)
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}" stroke="#e4e4e4"/>'
                   f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{10 ** tick:.3g}</text>')
    for share in (0, .25, .5, .75, .9, 1):
        y = bottom - height * share
        out.append(f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e4e4e4"/>'
                   f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    for n, (name, values) in enumerate(curves):
        colour, dash = CURVES[n % len(CURVES)], "" if n == 0 else f' stroke-dasharray="{8 - 3 * n} 3"'
        steps = " ".join(f"{x_of(v):.1f},{bottom - height * (k + 1) / len(values):.1f}" for k, v in enumerate(values))
        y = bottom - 22 * (len(curves) - n) + 4
        out.append(f'<polyline points="{left},{bottom} {steps}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
                   f'<line x1="{right - 250}" x2="{right - 220}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" '
                   f'stroke-width="2"{dash}/><text x="{right - 212}" y="{y}">{html.escape(name)}</text>')
    out.append(f'<text x="{left + width / 2}" y="{bottom + 38}" text-anchor="middle">{html.escape(label)}</text>'
               f'<text x="14" y="{top + height / 2}" text-anchor="middle" '
               f'transform="rotate(-90 14 {top + height / 2})">share of arms at or below</text></svg>')
    with open(path, "w") as f:
        f.write("\n".join(out))
    return True
