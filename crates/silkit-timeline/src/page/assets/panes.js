// The panes: curves, passes, code, Swift source, graphs, choice of a function.

/** Creates an HTML element. Text is set as text. */
function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) element.append(child);
  return element;
}

/** Returns a number with its sign; nothing for 0. */
function signed(number) {
  return number > 0 ? "+" + number.toLocaleString("en") : number < 0 ? "−" + (-number).toLocaleString("en") : "";
}

const SERIES = [["insts", INSTS, "insts"], ["retains", RETAINS, "retains"], ["releases", RELEASES, "releases"], ["calls", CALLS, "calls"]];

/** Draws the curves of `points`, each with counts by series and a mark. `here` is the index of the shown one. */
function drawStrip(element, points, here, onPick) {
  const width = 1000, height = 92, top = 22, bottom = 8;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none" });
  const x = (i) => 10 + (points.length > 1 ? (i * (width - 20)) / (points.length - 1) : 0);
  const legend = html("div", { class: "legend" });
  const most = Math.max(1, ...SERIES.slice(1).map(([, field]) => points.reduce((max, p) => Math.max(max, p.counts[field]), 0)));
  for (const [label, field, name] of SERIES) {
    // Instructions have their own scale; the others share one.
    const max = field === INSTS ? points.reduce((max, p) => Math.max(max, p.counts[INSTS]), 1) : most;
    let d = "";
    points.forEach((p, i) => {
      const y = height - bottom - (p.counts[field] * (height - top - bottom)) / max;
      d += i ? `H${x(i).toFixed(1)}V${y.toFixed(1)}` : `M${x(i).toFixed(1)} ${y.toFixed(1)}`;
    });
    root.append(svg("path", { d, class: name }));
    const shown = points[here] || points[points.length - 1];
    if (shown) legend.append(html("span", { class: name }, `${label} ${shown.counts[field].toLocaleString("en")}`));
  }
  points.forEach((p, i) => {
    if (p.mark) root.append(svg("line", { x1: x(i), x2: x(i), y1: height - 5, y2: height - 1, class: "touch" }));
  });
  if (points[here]) root.append(svg("line", { x1: x(here), x2: x(here), y1: 2, y2: height, class: "here" }));
  element.replaceChildren(root, legend);
  element.onclick = (event) => {
    const box = element.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width * width - 10) / (width - 20) * (points.length - 1);
    onPick(Math.max(0, Math.min(points.length - 1, Math.round(at))));
  };
}

/** Fills the list of passes with the versions at `shown`; `here` is the index of the one that is shown. */
function fillList(element, data, versions, shown, here, onPick) {
  const rows = [];
  let stage = null;
  for (const at of shown) {
    const { step, before, after, isFirst, changes } = versions[at];
    const name = (step[MANDATORY] ? "m" : "") + step[STAGE];
    if (name !== stage) {
      stage = name;
      if (step[STAGE] >= 0) rows.push(html("h3", {}, data.stages[step[STAGE]], ...(step[MANDATORY] ? [html("i", {}, " · always runs")] : [])));
    }
    const by = isFirst ? 0 : count(data, after, INSTS) - count(data, before, INSTS);
    const mark = html("b", { class: by > 0 ? "more" : by < 0 ? "less" : "" }, after < 0 ? "removed" : isFirst ? "first" : signed(by));
    const row = html("div", { class: (changes || isFirst ? "" : "same ") + (at === here ? "on" : "") }, html("span", {}, `${numberOf(step)} ${passOf(data, step)}`.trim()), mark);
    row.onclick = () => onPick(at);
    rows.push(row);
  }
  element.replaceChildren(...rows);
  const on = element.querySelector(".on");
  if (on) on.scrollIntoView({ block: "nearest" });
}

/** Returns the parts of a line of code: values and blocks can be picked, comments are dim. */
function codeParts(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(/%(?:old)?\d+|\bbb(?:old)?\d+|"(?:[^"\\]|\\.)*"|\/\/.*/g)) {
    if (match[0][0] === '"') continue;
    parts.push(text.slice(from, match.index));
    parts.push(match[0][0] === "/" ? html("i", {}, match[0]) : html("u", {}, match[0]));
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}

/** The number of lines above which only the lines around changes are shown. */
const LONG = 3000;
const AROUND = 30;

/** Fills the pane of code with the rows of a comparison. */
function fillCode(element, rows, options) {
  const near = rows.length > LONG ? nearChanges(rows) : null;
  const all = [];
  if (options.note) all.push(html("div", { class: "note" }, options.note));
  let wasHidden = false;
  rows.forEach((row, i) => {
    if (near && !near.has(i)) {
      if (!wasHidden) all.push(html("div", { class: "row gap" }, "⋮"));
      wasHidden = true;
      return;
    }
    wasHidden = false;
    const text = options.locations ? row.text : withoutLocation(row.text);
    const kind = row.side === "-" ? "del" : row.side === "+" ? "add" : "";
    const element = html("div", { class: `row ${kind} ${/^bb\d/.test(text) ? "header" : ""}`, "data-side": row.side }, ...codeParts(text));
    row.element = element;
    all.push(element);
  });
  // Rows have one width, so that those out of sight need no layout.
  element.style.setProperty("--columns", Math.max(40, ...rows.map((row) => row.text.length)));
  element.replaceChildren(...all);
  element.onclick = (event) => {
    const name = event.target.tagName === "U" ? event.target.textContent : null;
    const same = element.querySelector(".same-value");
    const isOff = same && same.textContent === name;
    for (const u of element.querySelectorAll("u")) u.classList.toggle("same-value", !isOff && u.textContent === name);
    const row = rows.find((row) => row.element === event.target.closest(".row"));
    if (row) options.onLine(row);
  };
}

/** Returns the indices of the rows near changes; of the first rows if nothing changed. */
function nearChanges(rows) {
  const near = new Set();
  rows.forEach((row, i) => {
    if (row.side === " " && i >= AROUND) return;
    for (let j = Math.max(0, i - AROUND); j <= Math.min(rows.length - 1, i + AROUND); j++) near.add(j);
  });
  if (rows.every((row) => row.side === " ")) for (let i = 0; i < LONG; i++) near.add(i);
  return near;
}

/** Returns the Swift line of a line of SIL: file and number; nothing if it has none. */
function swiftLine(text) {
  const match = /, loc (?:\* ?)?"((?:[^"\\]|\\.)*)":(\d+):\d+/.exec(text);
  return match && match[2] !== "0" ? { file: match[1], line: Number(match[2]) } : null;
}

/** Returns the last part of a path. */
function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

const ARC = /^(?:strong_|unowned_|weak_)?(?:retain|release)(?:_value|_addr)?|^(?:copy_value|destroy_value|destroy_addr|load \[copy\]|strong_copy_\w+|copy_unmanaged_value)/;

/** Fills the pane of Swift source with the lines that the rows name. Returns false if there is nothing to show. */
function fillSwift(element, data, rows, onLine) {
  const files = new Map();
  for (const row of rows) {
    const at = swiftLine(row.text);
    if (!at) continue;
    const lines = files.get(at.file) || new Map();
    files.set(at.file, lines);
    const line = lines.get(at.line) || { insts: 0, arc: 0, touched: false };
    lines.set(at.line, line);
    if (row.side !== "-") {
      line.insts++;
      line.arc += ARC.test(row.text.trim().replace(/^[(%][^=]* = /, "")) ? 1 : 0;
    }
    line.touched = line.touched || row.side !== " ";
  }
  const all = [];
  const counts = (line) => (line ? `${line.insts} inst${line.arc ? `, ${line.arc} ARC` : ""}` : "");
  const add = (file, number, text, line) => {
    const row = html("div", { class: line && line.touched ? "touched" : "" }, html("i", {}, String(number)), html("span", {}, text), html("b", {}, counts(line)));
    row.dataset.file = baseName(file);
    row.dataset.line = number;
    row.onclick = () => onLine(file, number);
    all.push(row);
  };
  for (const [name, text] of data.sources) {
    const key = [...files.keys()].find((file) => file === name || baseName(file) === baseName(name));
    const lines = files.get(key);
    files.delete(key);
    if (!lines && files.size) continue;
    if (data.sources.length > 1) all.push(html("h3", {}, name));
    text.split("\n").forEach((line, i) => add(name, i + 1, line, lines && lines.get(i + 1)));
  }
  for (const [file, lines] of files) {
    all.push(html("h3", {}, file));
    for (const number of [...lines.keys()].sort((a, b) => a - b)) add(file, number, "", lines.get(number));
  }
  element.replaceChildren(...all);
  const touched = element.querySelector(".touched") || [...element.querySelectorAll("b")].find((b) => b.textContent);
  if (touched) touched.scrollIntoView({ block: "center" });
}

const TABS = ["CFG", "Dominators", "Loops", "Liveness", "Scopes"];

/** Draws the graph of a tab. `changed` has the lines that the step changed. */
function fillGraph(element, tab, lines, changed, onLine) {
  const flow = readBody(lines);
  const show = (block) => onLine(block.at);
  const note = (text) => element.replaceChildren(html("div", { class: "note" }, text));
  if (!flow.blocks.length) return note("no body");
  if (tab === "CFG") element.replaceChildren(drawFlow(flow, changed, show));
  if (tab === "Dominators") element.replaceChildren(drawDominators(flow, show));
  if (tab === "Liveness") element.replaceChildren(drawLanes(flow, liveRanges(flow).filter((value) => value.uses.length), changed));
  if (tab === "Scopes") {
    const scopes = scopesOf(flow);
    if (!scopes.length) return note("no borrow, access or stack allocation, no copy or box with its end");
    element.replaceChildren(drawLanes(flow, scopes, changed));
  }
  if (tab === "Loops") {
    const { loops } = analyze(flow);
    if (!loops.length) return note("no loop");
    const list = html("div", { class: "loops" });
    for (const loop of loops) {
      const insts = [...loop.blocks].reduce((sum, block) => sum + block.insts.length, 0);
      const row = html("div", { style: `padding-left: ${(loop.depth - 1) * 20}px` },
        `${loop.header.name}: ${loop.blocks.size} blocks, ${insts} instructions, back from ${loop.latches.map((b) => b.name).join(", ")}; ` +
        [...loop.blocks].map((b) => b.name).join(" "));
      row.onclick = () => show(loop.header);
      list.append(row);
    }
    element.replaceChildren(list);
  }
}
