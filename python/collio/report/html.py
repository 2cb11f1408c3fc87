"""A report as one HTML page that needs nothing else: no network, no scripts, light and dark."""

from __future__ import annotations

from html import escape

from collio.report import network as report_network
from collio.report import summary as report
from collio.report.records import CallRecord, Document, FileRecord
from collio.report.summary import Spread
from collio.wording import counted, format_bytes, format_seconds

COLOURS = {
    "flatten": "#8e6bbf", "digest": "#c08bd8", "plan": "#9aa3ad", "pack": "#e0a63a", "exchange": "#3f7fd0",
    "place": "#3fb3c4", "read": "#5aa469", "write": "#2e8b57", "wait": "#d9604f", "agree": "#a0785a", "other": "#c9ced6",
}

STYLE = """
:root{--ink:#1c232b;--dim:#66707c;--paper:#f6f7f9;--card:#fff;--line:#e3e7ec;--soft:#eef1f5;--warn:#9a6700;--warnbg:#fff6e0}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--dim:#97a2b0;--paper:#14181d;--card:#1c2229;--line:#2d353f;--soft:#252c35;--warn:#e7b95a;--warnbg:#33290f}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,sans-serif}
main{max-width:1040px;margin:0 auto;padding:32px 24px 64px}h1{font-size:24px;margin:0 0 4px}
h2{font-size:17px;margin:0;overflow-wrap:anywhere}code,.num{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:13px}
.dim{color:var(--dim)}.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:20px 24px;margin-top:20px}
.facts{display:flex;flex-wrap:wrap;gap:12px;margin-top:20px}.fact{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 18px;min-width:130px}
.fact b{display:block;font-size:21px;font-weight:600}.fact span{color:var(--dim);font-size:13px}
.command{display:block;background:var(--soft);border-radius:6px;padding:10px 14px;margin-top:12px;overflow-wrap:anywhere}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin-top:10px;font-size:13px}.legend i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px}
.call{border-top:1px solid var(--line);margin-top:18px;padding-top:16px}.head{display:flex;align-items:baseline;gap:4px 12px}.head>*{white-space:nowrap}.head .why{flex:1;white-space:normal}
.head .time{margin-left:auto;font-weight:600}.pill{background:var(--soft);border-radius:99px;padding:1px 10px;font-size:13px;font-weight:600}
.warn{background:var(--warnbg);color:var(--warn);border-radius:6px;padding:8px 12px;margin-top:10px}
svg{display:block;width:100%;height:26px;margin:8px 0 4px;border-radius:5px;background:var(--soft)}
table{border-collapse:collapse;margin-top:8px;font-size:13px}td,th{padding:3px 22px 3px 0;text-align:right}td:first-child,th:first-child,td:last-child{text-align:left}
th{color:var(--dim);font-weight:500}summary{cursor:pointer;color:var(--dim);font-size:13px}
.hints span{display:inline-block;background:var(--soft);border-radius:5px;padding:0 8px;margin:6px 6px 0 0}
"""


_FAILED = '<div class="warn">a call like this failed</div>'


def page(document: Document) -> str:
    """The whole page."""
    longest = max((report.total(call).max for _, call in report.calls(document)), default=0.0)
    files = "".join(_file(file, longest) for file in document["files"]) or _nothing(document)
    command = document.get("command")
    heading = f'<code class="command">{escape(" ".join(command))}</code>' if command else ""
    about = " · ".join(
        f"{label} {escape(str(value))}".strip()
        for label, value in (("collio", document.get("collio")), ("exit code", document.get("exit_code")))
        if value is not None
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>collio report</title><style>{STYLE}</style></head><body><main>"
        f'<h1>collio report</h1><div class="dim">{about}</div>{heading}{_facts(document)}{_overview(document)}{files}'
        "</main></body></html>\n"
    )


def _facts(document: Document) -> str:
    all_calls = [call for _, call in report.calls(document)]
    inside = sum(report.total(call).max for call in all_calls)
    moved = sum(call.get("bytes", 0) for call in all_calls)
    facts = [
        (f"{sum(int(file.get('files', 1)) for file in document['files']):,}", "files"),
        (f"{sum(int(call.get('repeats', 1)) for call in all_calls):,}", "collective calls"),
        (format_bytes(moved), "moved"),
        (format_seconds(inside), "in these calls"),
    ]
    if inside > 0:
        facts.append((f"{format_bytes(moved / inside)}/s", "on average"))
    if document.get("seconds"):
        facts.append((format_seconds(document["seconds"]), "the whole job"))
    return '<div class="facts">' + "".join(f'<div class="fact"><b>{escape(str(n))}</b><span>{what}</span></div>' for n, what in facts) + "</div>"


def _overview(document: Document) -> str:
    sums = report.step_sums(call for _, call in report.calls(document))
    if not sums:
        return ""
    whole = sum(sums.values())
    legend = "".join(
        f'<span title="{report.MEANINGS[name]}"><i style="background:{COLOURS[name]}"></i>{name} '
        f'<span class="dim">{report.MEANINGS[name]} · {format_seconds(seconds)} · {100 * seconds / whole:.0f} %</span></span>'
        for name, seconds in sums.items()
    )
    return (
        f'<div class="card"><h2>Where the time went</h2>{_bar(sums, whole)}<div class="legend">{legend}</div>'
        '<div class="dim" style="font-size:13px;margin-top:8px">each step by the rank it took longest on</div></div>'
    )


def _nothing(document: Document) -> str:
    why = escape(report.why_nothing(document, environ_disabled=False))
    return f'<div class="card"><h2>collio took over no file</h2><p class="dim">Why may be: {why}.</p></div>'


def _file(file: FileRecord, longest: float) -> str:
    hints = "".join(f"<span><code>{escape(key)}={escape(value)}</code></span>" for key, value in report.chosen_hints(file).items())
    warnings = "".join(f'<div class="warn">{escape(str(text))}</div>' for text in file.get("warnings", ()))
    storage = "".join(f'<div class="dim">{escape(line)}</div>' for line in report.file_lines(file))
    calls = "".join(_call(call, longest) for call in file.get("calls", ()))
    others = f"<p class=dim>{line}</p>" if (line := report.calls_line(file)) else ""
    return (
        f'<div class="card"><h2>{escape(str(file.get("file", "?")))}</h2>'
        f'<div class="dim">{escape(report.place_of(file))}</div>{storage}'
        f'<div class="hints">{hints or "<span>all hints at their defaults</span>"}</div>{warnings}{report_network.html(file)}{calls}{others}</div>'
    )


def _call(call: CallRecord, longest: float) -> str:
    repeats = int(call.get("repeats", 1))
    numbers = [f"{format_bytes(call.get('bytes', 0))} in {counted(call.get('pieces', 0), 'piece')}"]
    numbers += report.counts_of(call)
    numbers += [counted(count, f"{kind} window") for kind, count in call.get("windows", {}).items() if count]
    steps, parts = report.steps(call), report.where_time_went(call)
    return (
        f'<div class="call"><div class="head"><b>{escape(call.get("operation", "?"))}{f" ×{repeats}" if repeats > 1 else ""}</b>'
        f'<span class="pill">{escape(call.get("path", "?"))}</span><span class="dim why">{escape(call.get("reason", ""))}</span>'
        f'<span class="time num">{format_seconds(report.total(call).max)}</span></div>'
        f"{_FAILED if call.get('failed') else ''}{_bar(parts, max(longest, sum(parts.values())))}"
        f'<div class="dim" style="font-size:13px">{" · ".join(numbers)}</div>'
        f"<details{' open' if longest and report.total(call).max >= 0.5 * longest else ''}><summary>seconds by step, over ranks</summary>"
        f"{_step_table(steps, report.total(call))}</details></div>"
    )


def _bar(parts_s: dict[str, float], whole: float) -> str:
    """Stacked seconds; the full width is `whole`."""
    parts, at = [], 0.0
    for name, seconds in parts_s.items():
        width = 100 * seconds / whole if whole else 0
        parts.append(
            f'<rect x="{at:.3f}" y="0" width="{width:.3f}" height="10" fill="{COLOURS[name]}">'
            f"<title>{name}: {format_seconds(seconds)}</title></rect>"
        )
        at += width
    return f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img">{"".join(parts)}</svg>'


def _step_table(steps: dict[str, Spread], total: Spread) -> str:
    rows = "".join(
        f"<tr><td>{name}</td>" + "".join(f'<td class="num">{format_seconds(v)}</td>' for v in (s.min, s.median, s.max))
        + f'<td class="dim">{report.MEANINGS.get(name, "")}</td></tr>'
        for name, s in {**steps, "total": total}.items()
    )
    return f"<table><tr><th>step</th><th>min</th><th>median</th><th>max</th><th></th></tr>{rows}</table>"
