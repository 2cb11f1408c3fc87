// Draws the page's pictures by Observable Plot (vendor/). Their data is in #pictures, made by pictures.py. Colours
// are CSS variables, so that light, dark and paper differ in style.css alone.
"use strict";
const pictures = JSON.parse(document.getElementById("pictures").textContent);
const drawn = new Map(); // figure: its width when it was drawn

function scaled(value, base, units) {
  let unit = 0;
  while (Math.abs(value) >= base && unit + 1 < units.length) (value /= base), unit++;
  return `${+value.toPrecision(3)} ${units[unit]}`;
}
const bytes = value => scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
const seconds = value => (value === 0 ? "0" : Math.abs(value) >= 1 ? `${+value.toPrecision(3)} s` : scaled(value * 1e6, 1000, ["us", "ms"]));
const formats = {s: seconds, B: bytes, "B/s": value => `${bytes(value)}/s`};
const coloured = name => ({value: name, scale: null});
const longest = texts => Math.min(160, 14 + 6.6 * Math.max(3, ...texts.map(text => text.length)));

// What a picture has of numbers, each with its text.
function cellsOf(picture) {
  const {names, each, unit} = picture.columns;
  const shown = unit === "s" ? seconds : bytes;
  const value = number => (picture.unit === "B" ? bytes(number) : `${Math.round(number)} %`);
  const place = column => (names.length ? `to ${names[column]}` : `${shown(column * each)} to ${shown((column + 1) * each)}`);
  return picture.table.flatMap((numbers, row) =>
    numbers.flatMap((number, column) => {
      const at = {row, column, value: number * picture.scale};
      return number > 0 ? [{...at, text: `${picture.rows[row]}, ${place(column)}: ${value(at.value)}`}] : [];
    }));
}
function barsOf(picture) {
  const shown = formats[picture.unit];
  return picture.bars.map(([row, part, begin, end]) => {
    const bar = {row: picture.rows[row], part: picture.parts[part], begin: begin * picture.scale, end: end * picture.scale};
    const from = picture.lanes ? ` from ${shown(bar.begin)} on` : "";
    return {...bar, text: `${bar.row}, ${bar.part}: ${shown(bar.end - bar.begin)}${from}`};
  });
}
const rangesOf = picture =>
  picture.ranges.map(([row, least, median, most]) => ({row, least, median, most, text: `${row}: ${[least, median, most].map(seconds).join(" · ")}`}));
for (const picture of pictures) picture.items = {heat: cellsOf, bars: barsOf, ranges: rangesOf}[picture.kind](picture);

// Marks that show d.text where the pointer is.
const withTip = {title: "text", tip: true};

function heat(picture, base) {
  const most = d3.max(picture.items, cell => cell.value);
  const shade = cell => `color-mix(in oklab, var(--low), var(--high) ${Math.round((100 * cell.value) / most)}%)`;
  const {names} = picture.columns;
  const ends = new Map([[0, 0], [Math.floor(picture.width / 2), 1], [picture.width - 1, 2]]);
  const every = Math.ceil(picture.rows.length / 16);
  return Plot.plot({
    ...base,
    marginLeft: longest(picture.rows),
    marginRight: 36,  // half of the last label
    height: 50 + Math.max(40, (picture.rows.length > 32 ? 8 : 16) * picture.rows.length),
    x: {
      domain: d3.range(picture.width), label: null, padding: 0,
      ticks: names.length ? d3.range(0, picture.width, Math.ceil(picture.width / 8)) : [...ends.keys()],
      tickFormat: column => (names.length ? names[column] : picture.ends[ends.get(column)]),
    },
    y: {domain: d3.range(picture.rows.length), label: null, padding: 0.05, ticks: d3.range(0, picture.rows.length, every), tickFormat: row => picture.rows[row]},
    marks: [Plot.cell(picture.items, {x: "column", y: "row", fill: coloured(shade), inset: 0.25, ...withTip})],
  });
}

function bars(picture, base) {
  const {lanes} = picture;
  const span = {x1: "begin", x2: "end", fill: coloured(bar => `var(--part-${bar.part})`), ...withTip};
  return Plot.plot({
    ...base,
    marginLeft: lanes ? 40 : longest(picture.rows),
    marginRight: lanes ? longest(picture.rows) : 24,
    height: 50 + (lanes ? 3 * 14 : 26) * picture.rows.length,
    x: {label: null, ticks: base.width < 500 ? 3 : 5, tickFormat: formats[picture.unit], grid: true},
    y: {domain: lanes ? picture.parts : picture.rows, label: null, padding: lanes ? 0 : 0.2},
    ...(lanes ? {fy: {domain: picture.rows, label: null, padding: 0.1}} : {}),
    marks: [Plot.barX(picture.items, lanes ? {...span, y: "part", fy: "row", insetTop: 1} : {...span, y: "row"})],
  });
}

function ranges(picture, base) {
  const {items} = picture;
  return Plot.plot({
    ...base,
    marginLeft: longest(items.map(one => one.row)),
    height: 50 + 22 * items.length,
    x: {label: null, ticks: base.width < 500 ? 3 : 5, tickFormat: seconds, grid: true},
    y: {domain: items.map(one => one.row), label: null},
    marks: [
      Plot.ruleY(items, {x1: "least", x2: "most", y: "row", stroke: "var(--high)", strokeWidth: 3}),
      Plot.dot(items, {x: "most", y: "row", stroke: "var(--high)", fill: "var(--card)", r: 4}),
      Plot.dot(items, {x: "median", y: "row", fill: "var(--high)", r: 4.5, ...withTip}),
    ],
  });
}

const marks = (figure, picture) =>
  figure.querySelectorAll({heat: "[aria-label=cell] rect", bars: "[aria-label=bar] rect", ranges: "[aria-label=rule] line"}[picture.kind]);

// Arrow keys go from item to item and say its text.
function listen(figure, picture) {
  const said = figure.querySelector("output");
  let at = -1;
  figure.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!step || event.target !== figure) return;
    event.preventDefault();
    at = Math.max(0, Math.min(picture.items.length - 1, at + step));
    said.textContent = picture.items[at].text;
    marks(figure, picture).forEach((mark, index) => mark.classList.toggle("at", index === at));
  });
}

// The numbers as text, for readers without the picture.
function list(figure, picture) {
  const details = figure.querySelector("details");
  details.addEventListener("toggle", () => {
    if (details.querySelector("ul")) return;
    const all = document.createElement("ul");
    for (const item of picture.items) all.appendChild(document.createElement("li")).textContent = item.text;
    details.append(all);
  });
}

function draw(figure) {
  const width = Math.round(figure.clientWidth);
  if (width === 0 || drawn.get(figure) === width) return; // hidden, or as before
  const picture = pictures[Number(figure.dataset.picture)];
  if (!drawn.has(figure)) listen(figure, picture), list(figure, picture);
  drawn.set(figure, width);
  const base = {width, style: {background: "none", fontSize: "12px"}, ariaLabel: picture.title || "Where the time went", ariaDescription: picture.note};
  const svg = {heat, bars, ranges}[picture.kind](picture, base);
  svg.setAttribute("role", "img");
  figure.querySelector(".drawing").replaceChildren(svg);
}

const figures = [...document.querySelectorAll("figure[data-picture]")];
// In a later frame: what is drawn changes sizes.
const watch = new ResizeObserver(entries => requestAnimationFrame(() => entries.forEach(entry => draw(entry.target))));
figures.forEach(figure => (draw(figure), watch.observe(figure)));
// Paper shows all, and each at its place.
addEventListener("beforeprint", () => (document.querySelectorAll("details.pictures").forEach(one => (one.open = true)), figures.forEach(draw)));
