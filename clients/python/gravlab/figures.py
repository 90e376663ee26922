"""Draws pages of gravlab with matplotlib, as SVG, PDF or PNG.

The program calls it as `python3 -I figures.py`. Standard input is JSON: a format, and pages with their CSV. Standard output
has a line with the lengths of the files, and then the files. Exit code 3: Python has no matplotlib.
"""
import csv
import io
import itertools
import json
import math
import sys
import warnings

try:
    import matplotlib
except ImportError:
    sys.exit(3)
matplotlib.use("Agg")
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator  # noqa: E402
from matplotlib.transforms import blended_transform_factory  # noqa: E402

DPI = 150
MOST_LINES = 11  # of a table
INK, QUIET, GRID = "#141414", "#696969", "#dedede"
# Okabe & Ito 2008, safe for the common colour blindnesses; the program's plots have the same, in the same order.
COLOURS = ["#1e78be", "#e69f00", "#009e73", "#cc79a7", "#786e00", "#d55e00", "#0072b2"]
# Papers: unfilled marks in grey, so that no mark has the colour of a measured curve.
MARKS = ["s", "D", "^", "v", "P", "X", "p", "h", "<", ">"]
GREYS = ["#141414", "#707070"]
DASHES = (0, (4, 3))
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 11, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": GRID, "axes.titlesize": 11, "axes.titlelocation": "left",
    "lines.linewidth": 2.2, "lines.markersize": 6.5, "legend.frameon": False, "svg.fonttype": "none",
    "svg.hashsalt": "gravlab", "pdf.fonttype": 42,
}

# What is drawn of a CSV: for each page its plots. `y`: columns along the axis, each (column, scale, column of the spread,
# words behind the curve's name); a scale below 0 is divided by the number. `guides`: lines (name, column, scale, power of x,
# unit), y = scale * column * x^power. `suffix`: a number behind the name, (column, scale, words before, words behind).
FORCE = ("interactions_per_second", 1e-9, "spread", "")
STEP_TIME = ("ms_per_step", 1, "step_spread", "")
STEPS = {"ylabel": "steps/s", "y": [("ms_per_step", -1e3, "", "")], "ylog": True}


def rates(label, **more):
    return {"xlabel": label, "ylabel": "G interactions/s, forces only", "y": [FORCE], "ticks": True, **more}


def energy_error(label):
    return [{"xlabel": label, "ylabel": "largest |E - E0| / |E0|", "y": [("largest_error", 1, "", "")], "ylog": True,
             "suffix": ("slope", 1, ", slope ", ""), "each": "precision"}]


def found(**more):
    return {"xlabel": "bodies", "ylabel": "milliseconds from positions to the result", "y": [STEP_TIME], "ylog": True, **more}


TIMES = {"xlabel": "bodies", "ylabel": "seconds for 1,000 steps", "y": [STEP_TIME],
         "suffix": ("factor_over_serial", 1, ": ", " x faster")}
SHARES = rates("", ylabel="fraction of each device's issue bound [%]",
               y=[("interactions_per_second", 100, "spread", "")], over="bound_interactions_per_second")
PAIR = 20e-9  # 20 floating-point operations, in giga
RADIUS = {"x": "radius", "xlabel": "radius", "xlog": False, "series": ""}
FIGURES = {
    "unroll": [rates("unroll factor", best=True)],
    "block": [rates("block size [threads]", best=True)],
    "bodies": [rates("bodies")],
    "card": [rates("bodies", ylabel="G interactions/s", series="",
                   y=[("step_interactions_per_second", 1e-9, "step_spread", "whole steps"), FORCE[:3] + ("forces only",)])],
    "split": [rates("split [parts of the sources]", ylabel="G interactions/s",
                    y=[("step_interactions_per_second", 1e-9, "step_spread", ", whole steps"), FORCE[:3] + (", forces only",)])],
    "block-split": [{"kind": "map", "x": "block", "series": "split", "xlabel": "block size [threads]", "ylabel": "split",
                     "title": "G interactions/s, whole steps", "y": [("step_interactions_per_second", 1e-9, "", "")]}],
    "waves": [rates("blocks N/p; the line: one for each multiprocessor", ticks=False, mark="multiprocessors"),
              {"kind": "map", "x": "block", "series": "n", "xlabel": "threads of a block", "ylabel": "N", "y": [FORCE],
               "title": "blocks N/p; *: fewer than multiprocessors; bright: near the best rate with these N",
               "mark": "multiprocessors", "text": "blocks"}],
    "ladder": [{"kind": "bars", "xlabel": "times the first rung", "y": [FORCE]}],
    "threads": [{"xlabel": "CPU threads", "ylabel": "speed-up over one thread", "y": [("speed_up", 1, "spread", "")],
                 "guides": [("perfect scaling", "", 1, 1, "")], "ticks": True},
                {"xlabel": "CPU threads", "ylabel": "efficiency: speed-up over threads [%]",
                 "y": [("efficiency", 100, "spread", "")], "guides": [("perfect scaling", "", 100, 0, "")], "ticks": True}],
    "devices": [{"xlabel": "devices", "ylabel": "speed-up over one device", "y": [("speed_up", 1, "step_spread", "")],
                 "guides": [("perfect scaling", "", 1, 1, "")], "ticks": True},
                {"xlabel": "devices", "ylabel": "efficiency: speed-up over devices [%]",
                 "y": [("efficiency", 100, "step_spread", "")], "guides": [("perfect scaling", "", 100, 0, "")], "ticks": True}],
    "roofline": [{"x": "flop_per_byte", "series": "kernel", "xlabel": "operations per byte read", "ylabel": "GFLOP/s",
                  "ylog": True, "y": [("interactions_per_second", PAIR, "", "")], "widen": 8,
                  "guides": [("memory", "peak_bytes_per_second", 1e-9, 1, "B/s"),
                             ("multiply-adds only", "peak_multiply_adds_per_second", 2e-9, 0, "FLOP/s"),
                             ("one inverse root per pair", "peak_inverse_roots_per_second", PAIR, 0, "FLOP/s"),
                             ("issue bound", "bound_interactions_per_second", PAIR, 0, "FLOP/s")]}],
    "matrix": [{"x": "block", "xlabel": "threads per block", "ylabel": "G pairs/s", "ticks": True,
                "y": [("pairs_per_second", 1e-9, "spread", "")]},
               {"x": "block", "xlabel": "threads per block", "ylabel": "bytes written, share of the memory's bandwidth [%]",
                "y": [("share_of_bandwidth", 100, "spread", "")], "ticks": True}],
    "cpu-gpu": [{**TIMES, "ylog": True, "ticks": True},
                {**TIMES, "ylabel": "seconds for 1,000 steps, linear", "xlog": False, "zoom": True}],
    "accuracy": [{"xlabel": "accuracy", "ylabel": "relative error of the force", "ylog": True,
                  "y": [("rel_error_p99", 1, "", ", 99 %"), ("rel_error_median", 1, "", ", median")],
                  "guides": [("allowed for 99 %", "", 1, 1, "")]}, {"xlabel": "accuracy", **STEPS}],
    "crossover": [{"xlabel": "bodies; dashed: where a tree becomes faster", **STEPS, "crossings": True}],
    "energy-dt": energy_error("time step [T]"),
    "energy-softening": energy_error("softening [L]"),
    "groups": [found()],
    "depth": [found(), found(ylabel="visits of nodes and edges per body", y=[("visits_per_body", 1, "", "")])],
    # Paper 004: with rows of equal lengths, a thread a row is about three times faster than a thread an element.
    "bonds": [{"x": "imbalance", "series": "kernel", "xlabel": "longest row over the mean one", "ylog": True,
               "ylabel": "G ends of bonds per second", "y": [("ends_per_second", 1e-9, "spread", "")],
               "guides": [("paper 004: 3 times bonds-per-element, for equal rows", "ends_per_second", 3e-9, 0, "",
                           "bonds-per-element")]}],
    "energy": [{"x": "t", "xlabel": "t", "ylabel": "|E - E0| / |E0|", "xlog": False, "ylog": True, "series": "", "size": True,
                "y": [("relative_energy_error", 1, "", "")]}],
    "energy-signed": [{"x": "t", "xlabel": "t", "ylabel": "(E - E0) / |E0|", "xlog": False, "series": "",
                       "y": [("relative_energy_error", 1, "", "")]}],
    "profile": [{**RADIUS, "ylabel": "rotation", "y": [("v_phi", 1, "", "measured"), ("v_circular", 1, "", "v_c, radial force"),
                                                       ("v_circular_mass", 1, "", "v_c, mass within")]},
                {**RADIUS, "ylabel": "surface density", "ylog": True, "y": [("surface_density", 1, "", "")]},
                {**RADIUS, "ylabel": "velocity dispersion", "y": [("sigma_r", 1, "", "sigma_R"), ("sigma_z", 1, "", "sigma_z")]},
                {**RADIUS, "ylabel": "Toomre Q: sigma_R kappa / (3.36 G Sigma)", "y": [("toomre_q", 1, "", "")]}],
    "paths-xy": [{"kind": "paths", "plane": "xy"}],
    "paths-planes": [{"kind": "paths", "plane": plane} for plane in ("xy", "xz", "yz")],
    "paths-3d": [{"kind": "paths", "plane": "xyz"}],
}


def plain(text):
    """A text without the letters that start mathtext, and without control characters."""
    kept = "".join(c for c in str(text) if c.isprintable() or c == "\n").replace("$", r"\$")
    return " " + kept if kept.startswith("_") else kept  # a legend leaves out names that begin with _


def tick_text(value):
    """A number as the program writes it on an axis; the compiler's choice of an unroll factor is left of 1."""
    size = abs(value)
    if value == 0:
        return "0"
    if size >= 1e7 or size < 1e-4:
        return f"{value:.3g}"
    return f"{value:.6g}" if size < 1000 or value != math.floor(value) else f"{value:,.0f}"


def brief(value):
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def with_prefix(value, unit):
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")):
        if value >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def wrapped(text, letters):
    """Lines of at most so many letters."""
    lines = [""]
    for word in plain(text).split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= letters:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def number(row, column):
    """A cell as a number; NaN: there is none."""
    try:
        return float(row.get(column) or "nan")
    except ValueError:
        return math.nan


def rows_of(text):
    """The rows of a CSV, and the units in its head line. Rows that failed their check are left out."""
    lines = list(csv.reader(line for line in io.StringIO(text) if not line.startswith("#")))
    names = [cell.split(" [")[0] for cell in lines[0]]
    units = {name: cell[len(name) + 1:] for name, cell in zip(names, lines[0])}
    rows = [dict(zip(names, line)) for line in lines[1:]]
    return rows, units


def verified(row):
    return row["verified"] == "true" if "verified" in row else not row.get("note")


def height(row, panel, curve):
    column, scale = curve[:2]
    value = number(row, column) / (number(row, panel["over"]) if panel.get("over") else 1)
    if panel.get("size"):
        value = max(abs(value), 1e-17) if number(row, panel["x"]) else math.nan  # a logarithm has no zero
    return scale * value if scale > 0 else -scale / value if value else math.nan


def curves_of(panel, rows, each):
    """The curves by their names: points (x, y, half bar, extrapolated), and the name in the legend."""
    curves = {}
    for curve, row in itertools.product(panel["y"], rows):
        x, y = number(row, panel.get("x", "x")), height(row, panel, curve)
        if not (verified(row) and math.isfinite(x) and math.isfinite(y)) or (each is not None and row[panel["each"]] != each):
            continue
        if (panel.get("xlog", True) and x <= 0) or (panel.get("ylog") and y <= 0) or (curve[2] and y <= 0):
            continue
        spread = number(row, curve[2]) if curve[2] else 0
        found = curves.setdefault(row.get(panel.get("series", "series"), "") + curve[3], {"points": [], "suffix": ""})
        found["points"].append((x, y, 0.5 * y * spread if math.isfinite(spread) else 0, row.get("extrapolated") == "true"))
        if panel.get("suffix"):
            column, scale, before, behind = panel["suffix"]
            value = scale * number(row, column)
            found["suffix"] = "" if not math.isfinite(value) or value in (0, 1) else before + brief(value) + behind
    return curves


def crossing(first, other):
    """The x above which the other is higher, on logarithmic axes; 0: there is none."""
    at, last, lasts = 0, None, dict((x, y) for x, y, *_ in other)
    for x, y, *_ in first:
        if x not in lasts:
            continue
        now = math.log(lasts[x] / y)
        at = 0 if now < 0 else at
        if last and last[1] < 0 <= now:
            at = last[0] * (x / last[0]) ** (last[1] / (last[1] - now))
        last = (x, now)
    return at


def guides_of(panel, rows, xs):
    """Lines beside the curves. One that rises ends at the highest level one, as a roof does."""
    if not panel.get("guides"):
        return {}
    low, high = min(xs) / panel.get("widen", 1), max(xs) * panel.get("widen", 1)
    values = []
    for name, column, scale, power, unit, *series in panel.get("guides", []):
        numbers = [number(row, column) for row in rows if not series or row[panel["series"]] == series[0]]
        numbers = [n for n in numbers if n > 0]
        value = scale * ((numbers[0] if series else max(numbers)) if numbers else 1 if not column else math.nan)
        if math.isfinite(value):
            values.append((name + (": " + with_prefix(1e9 * value, unit) if unit else ""), value, power))
    roof = max((value for _, value, power in values if power == 0), default=math.inf)
    places = [low * (high / low) ** (k / 64) for k in range(65)]
    return {name: [(x, min(roof, value * x ** power)) for x in places] for name, value, power in values}


def set_axis(axes, letter, log, points, ticks=(), top=None):
    scaled = getattr(axes, f"{letter}axis")
    if log:
        getattr(axes, f"set_{letter}scale")("log")
    low, high = (min(points), max(points)) if points else (0.1, 1)
    if log:
        room = max((high / low) ** 0.05, 1.05)
        low, high = low / room, high * room
    else:
        room = (0.06 if letter == "y" else 0.03) * (high - low or abs(high) or 1)
        low, high = 0 if letter == "y" and 0 <= low < 0.5 * high else low - room, top or high + room
    scaled.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    scaled.set_minor_formatter(NullFormatter())
    if log and not ticks and high / low < 100:
        values = [m * 10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)]
        scaled.set_ticks([v for v in values if low <= v <= high])
    if ticks:
        # Names that would touch their neighbours are left out; the lines stay.
        shown, last, letters = [], -math.inf, 90 * axes.get_position().width
        for value in ticks:
            name = "auto" if value == 0.5 else tick_text(value)
            at, half = letters * math.log(value / low) / math.log(high / low), 0.6 * (len(name) + 1)
            shown.append(name if at - half >= last else "")
            last = at + half if shown[-1] else last
        scaled.set_ticks(ticks, shown)
        scaled.set_minor_locator(NullLocator())
    getattr(axes, f"set_{letter}lim")(low, high)


def draw_plot(axes, panel, rows, units, each, papers, looks):
    """Draws one plot; `looks` remembers the style and the handle of each name, so that all plots of a page share them."""
    curves = curves_of(panel, rows, each)
    if panel.get("crossings"):
        first, *others = curves.values()
        for other in others:
            at = crossing(first["points"], other["points"])
            other["suffix"] = f", faster from {at:,.0f}" if at else ""
            if at:
                axes.axvline(at, color="#c80000", linestyle=DASHES, linewidth=1.3, alpha=0.7)
    points = [point for curve in curves.values() for point in curve["points"]]
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    marked = sorted(set(xs) | {x for paper in papers for x in paper["x"]})
    for name, curve in curves.items():
        style = looks.setdefault(name, {"color": COLOURS[len([k for k in looks if not k.startswith("paper ")]) % len(COLOURS)],
                                        "marker": "" if panel.get("x") == "t" else "o",
                                        "label": name + (curve["suffix"] if each is None else "")})
        x, y, error, hollow = zip(*curve["points"])
        if each is not None and curve["suffix"]:  # plots share their names, and each has numbers of its own
            end = max(range(len(x)), key=lambda k: x[k])
            axes.annotate(plain(curve["suffix"].lstrip(", ")), (x[end], y[end]), xytext=(-6, 4), textcoords="offset points",
                          ha="right", va="bottom", fontsize=9, color=style["color"])
        axes.plot(x, y, color=style["color"], marker=style["marker"], zorder=3)
        if any(error):
            axes.errorbar(x, y, yerr=[min(e, 0.999 * v) if panel.get("ylog") else e for e, v in zip(error, y)], fmt="none",
                          ecolor=style["color"], elinewidth=1.2, capsize=2.5)
        empty = [(a, b) for a, b, h in zip(x, y, hollow) if h]
        if empty:
            axes.plot(*zip(*empty), "o", color=style["color"], markerfacecolor="white", zorder=5)
    for name, line in guides_of(panel, rows, xs).items() if points else ():
        style = looks.setdefault(name, {"color": COLOURS[len(looks) % len(COLOURS)], "marker": "", "label": name, "linestyle": DASHES})
        axes.plot(*zip(*line), color=style["color"], linestyle=DASHES, linewidth=1.6)
        ys += [y for _, y in line]
        xs += [x for x, _ in line]
    for paper in papers:
        count = len([k for k in looks if k.startswith("paper ")])
        style = looks.setdefault(paper["label"], {"color": GREYS[count % 2], "marker": MARKS[count % len(MARKS)],
                                                  "label": paper["label"], "linestyle": DASHES, "empty": True})
        axes.plot(paper["x"], paper["y"], color=style["color"], marker=style["marker"], linestyle=DASHES, linewidth=1.2,
                  markerfacecolor="white", zorder=4)
        xs += paper["x"]
        ys += paper["y"]
    if panel.get("best") and len(curves) == 1 and not papers:
        axes.axvline(max(points, key=lambda point: point[1])[0], color="#c80000", linestyle=DASHES, linewidth=1.3, alpha=0.7)
    if panel.get("mark"):
        axes.axvline(max(number(row, panel["mark"]) for row in rows), color="#c80000", linestyle=DASHES, linewidth=1.3, alpha=0.7)
    tops = sorted(max(y for _, y, *_ in curve["points"]) for curve in curves.values())
    top = 1.2 * tops[min(1, len(tops) - 1)] if panel.get("zoom") and tops else None
    set_axis(axes, "x", panel.get("xlog", True), xs, marked if panel.get("ticks") else ())
    set_axis(axes, "y", panel.get("ylog", bool(papers) and "fraction" not in panel["ylabel"]), ys, (), top)
    x_unit, y_unit = units.get(panel.get("x", "x"), ""), units.get(panel["y"][0][0], "")
    axes.set_xlabel(plain(" ".join(filter(None, (panel["xlabel"], x_unit)))))
    axes.set_title(plain("\n".join(filter(None, (each, " ".join(filter(None, (panel["ylabel"], y_unit))))))), color=QUIET)


def ordered(rows, column):
    """The texts of a column, ascending by their numbers."""
    return sorted({row[column]: None for row in rows}, key=lambda text: number({"": text}, ""))


def draw_map(axes, panel, rows):
    columns, lines = ordered(rows, panel["x"]), ordered(rows, panel["series"])
    by_place = {(row[panel["series"]], row[panel["x"]]): row for row in rows if verified(row)}
    values = [[height(by_place[line, c], panel, panel["y"][0]) if (line, c) in by_place else math.nan for c in columns] for line in lines]
    if panel.get("text"):  # shares of the best in a row
        values = [[value / max((v for v in line if math.isfinite(v)), default=1) for value in line] for line in values]
    known = [v for line in values for v in line if math.isfinite(v)] or [0]
    axes.imshow(values, cmap="cividis", aspect="auto", vmin=min(known), vmax=max(known))
    axes.grid(False)
    axes.set_xticks(range(len(columns)), [tick_text(float(c)) for c in columns])
    axes.set_yticks(range(len(lines)), [tick_text(float(line)) for line in lines])
    axes.set_xlabel(panel["xlabel"])
    axes.set_ylabel(panel["ylabel"], rotation=0, ha="right", va="bottom", y=1.01)
    axes.set_title("\n".join(wrapped(panel["title"], 100 * axes.get_position().width / 0.9)), color=QUIET)
    for r, line in enumerate(lines):
        for c, column in enumerate(columns):
            value, row = values[r][c], by_place.get((line, column), {})
            text = "-" if not math.isfinite(value) else f"{value:,.0f}" if value >= 10 else f"{value:.2f}"
            if panel.get("text") and row:
                text = tick_text(number(row, panel["text"])) + (" *" if number(row, panel["text"]) < number(row, panel["mark"]) else "")
            axes.text(c, r, text, ha="center", va="center",
                      color="black" if not math.isfinite(value) or value > 0.5 * (min(known) + max(known)) else "white")


def draw_bars(axes, panel, rows, papers):
    """Each rung with its fastest verified launch, and its rate over that of the first."""
    rungs = {}
    for row in rows:
        key, rate = (row.get("backend"), row.get("kernel")), height(row, panel, panel["y"][0]) if verified(row) else math.nan
        refused = not verified(row) and not number(row, "rel_error_p999") > 0  # no force of it was checked
        if not refused and (key not in rungs or rate > rungs[key][1] or not math.isfinite(rungs[key][1])):
            rungs[key] = (row, rate)
    first = next((rate for _, rate in rungs.values() if math.isfinite(rate)), 1)
    marks = {key: [(p["label"].split(" ")[0][2:], p["y"][0]) for p in papers if p["label"].split(" ")[1] == key[1]] for key in rungs}
    shown = [(name, column, scale, end) for name, column, scale, end in
             (("G/s", "interactions_per_second", 1e-9, ""), ("bound", "share_of_bound", 100, " %"), ("lines", "lines", 1, ""),
              ("registers", "registers", 1, "")) if any(number(row, column) > 0 for row, _ in rungs.values())]
    factors = [rate / first for _, rate in rungs.values() if math.isfinite(rate)]
    factors += [value for one in marks.values() for _, value in one]
    axes.set_xscale("log")
    axes.set_xlim(0.7 * min(factors), 3.5 * max(factors))
    axes.set_ylim(len(rungs) - 0.4, -0.6)
    axes.set_yticks([])
    axes.grid(axis="y", visible=False)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value) + " x"))
    axes.xaxis.set_minor_locator(NullLocator())
    size = min(11, 260 / max(len(rungs), 1))
    place = blended_transform_factory(axes.figure.transFigure, axes.transData)
    above = blended_transform_factory(axes.figure.transFigure, axes.transAxes)
    edges = [0.25 + 0.05 * k for k in range(len(shown))]
    for edge, (name, *_) in zip(edges, shown):
        axes.text(edge, 1.012, name, transform=above, ha="right", color=QUIET, fontsize=10)
    count = next(iter(rungs.values()))[0].get("n", "")
    axes.text(0.022, 1.012, f"N = {tick_text(float(count or 0))}, forces only", transform=above, color=QUIET, fontsize=10)
    axes.set_title(panel["xlabel"] + ("; circles: papers, times their own plain loop" if papers else ""), color=QUIET, fontsize=10)
    for k, (key, (row, rate)) in enumerate(rungs.items()):
        axes.text(0.022, k, plain(row["series"]), transform=place, va="center", fontsize=size)
        if not math.isfinite(rate):
            axes.text(axes.get_xlim()[0], k, " FAILED ITS CHECK: no rate", va="center", color="#be1e1e", fontsize=size)
            continue
        for edge, (_, column, scale, end) in zip(edges, shown):
            value = scale * number(row, column)
            axes.text(edge, k, (brief(value) if not end else f"{value:.0f}") + end if value > 0 else "-", transform=place, ha="right",
                      va="center", fontsize=size)
        axes.barh(k, rate / first, height=0.72, color=COLOURS[0 if key[0] == "cpu" else 1])
        # The number stands behind the circles that are at the end of the bar.
        label = rate / first
        for _, value in sorted(marks[key], key=lambda mark: mark[1]):
            label = value * 1.2 if label / 1.3 < value < label * 2.2 else label
        axes.text(label * 1.06, k, brief(rate / first) + " x", va="center", fontsize=size)
        for digit, value in marks[key]:
            axes.plot(value, k, "o", markersize=size, color=INK, markerfacecolor="white", zorder=5)
            axes.text(value, k, plain(digit), ha="center", va="center", fontsize=0.75 * size, zorder=6)


def draw_grid(axes, grid):
    axes.axis("off")
    rows = grid[:MOST_LINES + 1]
    lefts = [0.09, 0.13, 0.62, 0.73, 0.84, 0.99]
    for k, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            axes.text(lefts[column % len(lefts)], 1 - k / len(rows), plain(cell), transform=axes.transAxes, va="top",
                      ha="left" if column == 1 else "right", color=QUIET if k == 0 else INK, fontsize=9.5)


def draw_paths(axes, plane, rows, units):
    """Rings at the start, discs at the end."""
    unit = next((unit for name, unit in units.items() if name.startswith("x")), "") or "[L]"
    bodies = [name[1:] for name in units if name.startswith("x")]
    for k, body in enumerate(bodies):
        colour, along = COLOURS[k % len(COLOURS)], [[number(row, letter + body) for row in rows] for letter in plane]
        axes.plot(*along, color=colour, linewidth=1.2)
        axes.plot(*([values[0]] for values in along), "o", color=colour, markerfacecolor="white", markersize=7)
        axes.plot(*([values[-1]] for values in along), "o", color=colour, markersize=5)
    labels = [plain(f"{letter} {unit}") for letter in plane]
    if len(plane) == 3:
        for letter, label in zip(plane, labels):
            getattr(axes, f"set_{letter}label")(label, labelpad=9)
        axes.locator_params(nbins=5)
        # One scale, so that circles stay circles.
        reach = max((abs(number(row, n + b)) for row in rows for n in plane for b in bodies if math.isfinite(number(row, n + b))),
                    default=1) or 1
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach), zlim=(-reach, reach))
        axes.set_box_aspect((1, 1, 1), zoom=1.05)
    else:
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel(labels[0])
        axes.set_title(labels[1], color=QUIET)


def panels_of(page, rows):
    """The plots of the page: (panel, text of `each`), without those of which the CSV has no column."""
    name = page["name"].split("-")[0] if page["name"].startswith("profile") else page["name"]
    panels = FIGURES[name]
    if page["papers"] and name not in ("cpu-gpu", "ladder"):
        panels = [{**panels[0], "y": [FORCE], "ylabel": "G interactions/s, forces only"}, {**SHARES, "xlabel": panels[0]["xlabel"]}]
    spread = [(panel, each) for panel in panels for each in (list({row[panel["each"]]: 0 for row in rows}) if panel.get("each") else [None])]
    return [(panel, each) for panel, each in spread
            if panel.get("kind") or page["papers"] or any(math.isfinite(height(row, panel, curve)) for row in rows for curve in panel["y"])]


def draw_page(page, form):
    width, height_in = page["width"] / DPI, page["height"] / DPI
    figure = Figure((width, height_in), dpi=DPI, facecolor="white")
    rows, units = rows_of(page["csv"])
    cells = panels_of(page, rows)
    columns = 1 if page["grid"] else 2 if len(cells) == 4 else max(len(cells), 1)
    line = 0.19 / height_in
    notes = [text for note in page["notes"] for text in wrapped(note, 13.2 * width)]
    for k, text in enumerate(reversed(notes)):
        figure.text(0.022, 0.3 * line + k * line, text, color=QUIET, fontsize=9)
    title = [text for one in page["title"].split("\n") for text in wrapped(one, 7 * width)]
    figure.text(0.022, 1 - 0.14 / height_in, "\n".join(title), fontsize=19, va="top", linespacing=1.15)
    # The legend is below the plots, where it hides no curve: its lines are counted before the plots have their place.
    looks, shapes = {}, []
    heights = [0.14 * len(page["grid"][:MOST_LINES + 1])] if page["grid"] else []
    heights += [1] * math.ceil(len(cells) / columns)
    grid = figure.add_gridspec(len(heights), columns, wspace=0.16, hspace=0.38, height_ratios=heights)
    if page["grid"]:
        draw_grid(figure.add_subplot(grid[0, 0]), page["grid"])
    for k, (panel, each) in enumerate(cells):
        kind = panel.get("kind")
        axes = figure.add_subplot(grid[k // columns + (1 if page["grid"] else 0), k % columns],
                                  projection="3d" if kind == "paths" and len(panel["plane"]) == 3 else None)
        papers = page["papers"][k] if k < len(page["papers"]) else []
        if kind == "map":
            draw_map(axes, panel, rows)
        elif kind == "bars":
            draw_bars(axes, panel, rows, papers)
        elif kind == "paths":
            draw_paths(axes, panel["plane"], rows, units)
        else:
            draw_plot(axes, panel, rows, units, each, papers, looks)
            if panel.get("each"):
                shapes.append(axes)
    for axes in shapes:  # plots of one kind have one range
        axes.set_ylim(min(a.get_ylim()[0] for a in shapes), max(a.get_ylim()[1] for a in shapes))
    named = [style for name, style in looks.items() if name]
    lines = 0
    if len(named) > 1 or (named and page["papers"]):
        longest = max(len(style["label"]) for style in named)
        per_line = max(1, min(len(named), int(width * 12.5 / (longest + 7))))
        lines = math.ceil(len(named) / per_line)
        handles = [Line2D([], [], color=s["color"], marker=s["marker"], linestyle=s.get("linestyle", "-"),
                          markerfacecolor="white" if s.get("empty") else s["color"]) for s in named]
        figure.legend(handles, [plain(s["label"]) for s in named], loc="lower center", ncol=per_line, borderaxespad=0,
                      bbox_to_anchor=(0.5, (len(notes) + 0.4) * line), handlelength=2.6, labelspacing=0.35, fontsize=10.5)
    bars = any(panel.get("kind") == "bars" for panel, _ in cells)
    grid.update(left=0.43 if bars else 0.82 / width, right=1 - 0.25 / width, top=1 - (0.55 + 0.37 * len(title)) / height_in,
                bottom=(len(notes) + 0.8) * line + (0.225 * lines + 0.55) / height_in)
    for axes in figure.axes:
        axes.set_position(axes.get_subplotspec().get_position(figure))
    texts = {key: " ".join(str(value).split()) for key, value in page["texts"].items()}
    program, facts = texts.get("Software", "gravlab"), "; ".join(f"{key}: {value}" for key, value in texts.items())
    # No date of drawing: the same numbers give the same bytes.
    known = {"png": texts, "svg": {"Date": None, "Creator": program, "Description": facts},
             "pdf": {"CreationDate": None, "Creator": program, "Subject": facts}}
    file = io.BytesIO()
    figure.savefig(file, format=form, metadata=known[form])
    return file.getvalue()


def main():
    wanted = json.load(sys.stdin)
    matplotlib.rcdefaults()
    matplotlib.use("Agg")
    matplotlib.rcParams.update(STYLE)
    warnings.filterwarnings("ignore")
    files = [draw_page(page, wanted["format"]) for page in wanted["pages"]]
    sys.stdout.buffer.write(json.dumps([len(file) for file in files]).encode() + b"\n" + b"".join(files))


if __name__ == "__main__":
    main()
