// The state of the page, its keys, and what is shown.

const byId = (id) => document.getElementById(id);

/** What is shown: a function and one of its versions, or the overview. */
const state = { data: null, fn: -1, versions: [], shown: [], at: -1, rows: [], tab: "CFG", found: -1, changes: [], isAlone: false, drawing: 0 };

/** Returns the indices of the versions that are listed. */
function listed() {
  const all = state.versions.map((_, at) => at);
  if (!byId("hide").checked) return all;
  return all.filter((at) => state.versions[at].changes || state.versions[at].isFirst);
}

/** Shows a function at one of its versions: the first one with a change if none is given. */
function showFunction(index, at = null) {
  state.fn = index;
  state.versions = versionsOf(state.data, index);
  state.shown = listed();
  const first = state.shown.find((at) => state.versions[at].changes);
  byId("function").textContent = nameOf(state.data, index);
  byId("function").title = state.data.functions[index][0];
  const changed = state.versions.filter((version) => version.changes).length;
  byId("counted").textContent = state.isAlone ? "" : `${state.versions.length} passes printed, ${changed} changed it`;
  document.body.querySelector("main").classList.toggle("alone", state.isAlone);
  byId("side").hidden = false;
  showVersion(at ?? first ?? state.shown[0] ?? 0);
}

/** Shows a version of the function. */
function showVersion(at) {
  const { data } = state;
  state.at = at;
  const version = state.versions[at];
  const points = state.shown.map((at) => {
    const { after, changes } = state.versions[at];
    return { counts: [0, 1, 2, 3].map((field) => count(data, after, field)), mark: changes };
  });
  byId("strip").hidden = state.isAlone;
  if (!state.isAlone) {
    drawStrip(byId("strip"), points, state.shown.indexOf(at), (i) => showVersion(state.shown[i]));
    fillList(byId("list"), data, state.versions, state.shown, at, showVersion);
  }
  const after = linesOf(data, version.after);
  const before = version.isFirst ? after : linesOf(data, version.before);
  const drop = byId("locations").checked ? (line) => line : withoutLocation;
  state.rows = compare(before.map(drop), after.map(drop), byId("renumber").checked);
  // The Swift positions are those of the full lines.
  const full = state.rows.map((row) => ({ ...row, text: row.side === "-" ? before[row.at] : after[row.at] }));
  fillCode(byId("code"), state.rows, { locations: true, note: noteOf(version), onLine: (row) => pickSwift(full[state.rows.indexOf(row)]) });
  state.found = -1;
  const change = state.rows.find((row) => row.side !== " " && row.element);
  byId("code").scrollTop = 0;
  if (change) change.element.scrollIntoView({ block: "center" });
  byId("code").scrollLeft = 0;
  fillSwift(byId("swift"), data, full, pickLine);
  state.graphLines = version.after < 0 ? before : after;
  state.changed = new Set(state.rows.filter((row) => row.side === "+").map((row) => row.at));
  // The graph is drawn when the code is shown.
  clearTimeout(state.drawing);
  state.drawing = setTimeout(() => showTab(state.tab), 0);
  const step = version.step;
  if (!state.isAlone) history.replaceState(null, "", `#${new URLSearchParams({ f: data.functions[state.fn][0], at })}`);
  document.title = `${numberOf(step)} ${passOf(data, step)} · ${nameOf(data, state.fn)}`.trim();
}

/** Returns what to say about a version besides its rows. */
function noteOf(version) {
  if (state.isAlone) return "";
  const { step } = version;
  const place = step[LINE] ? `line ${step[LINE].toLocaleString("en")} of the log` : "";
  const time = step[TIME] ? `, ${step[TIME]} ms` : "";
  const stop = step[NUMBER] >= 0 && !step[MANDATORY] ? ` · -sil-opt-pass-count=${step[NUMBER]} stops before it` : "";
  const what = version.isFirst ? "printed for the first time" : version.after < 0 ? "removed from the module" : version.changes ? "" : "no change";
  return `${numberOf(step)} ${passOf(state.data, step)}: ${place}${time}${stop}${what ? " · " + what : ""}`;
}

function showTab(tab) {
  state.tab = tab;
  byId("tabs").replaceChildren(...TABS.map((name, i) => {
    const button = html("button", { role: "tab", title: `${i + 1}`, class: name === tab ? "on" : "" }, name);
    button.onclick = () => showTab(name);
    return button;
  }));
  byId("graph").scrollTop = byId("graph").scrollLeft = 0;
  fillGraph(byId("graph"), tab, state.graphLines || [], state.changed || new Set(), showLine);
  const drawn = byId("graph").querySelector("svg.graph");
  if (drawn) byId("graph").scrollLeft = Number(drawn.dataset.entry) - byId("graph").clientWidth / 2;
}

/** Scrolls to a line of the new text. */
function showLine(at) {
  const row = state.rows.find((row) => row.side !== "-" && row.at === at);
  if (row && row.element) mark(row.element);
}

function mark(element) {
  for (const old of document.querySelectorAll("#code .found")) old.classList.remove("found");
  element.classList.add("found");
  element.scrollIntoView({ block: "center" });
}

/** Marks the Swift line of a row. */
function pickSwift(row) {
  for (const old of document.querySelectorAll("#swift .picked")) old.classList.remove("picked");
  const at = row && swiftLine(row.text);
  if (!at) return;
  const lines = [...document.querySelectorAll("#swift div")];
  const line = lines.find((line) => line.dataset.file === baseName(at.file) && Number(line.dataset.line) === at.line);
  if (line) {
    line.classList.add("picked");
    line.scrollIntoView({ block: "nearest" });
  }
}

/** Marks the first row of a Swift line. */
function pickLine(file, number) {
  const version = state.versions[state.at];
  const after = linesOf(state.data, version.after);
  const at = after.findIndex((line) => {
    const place = swiftLine(line);
    return place && place.line === number && baseName(place.file) === baseName(file);
  });
  if (at >= 0) showLine(at);
}

/** Moves to the next or previous listed version. */
function move(by) {
  if (state.fn < 0 || state.isAlone) return;
  const i = state.shown.indexOf(state.at);
  const next = state.shown[Math.max(0, Math.min(state.shown.length - 1, (i < 0 ? 0 : i) + by))];
  if (next !== undefined && next !== state.at) showVersion(next);
}

/** Finds a text: in the rows that are shown, then in the following passes. */
function find(text) {
  if (!text || state.fn < 0) return;
  const has = (line) => line.includes(text);
  for (let i = state.found + 1; i < state.rows.length; i++) {
    if (has(state.rows[i].text) && state.rows[i].element) {
      state.found = i;
      return mark(state.rows[i].element);
    }
  }
  const start = state.shown.indexOf(state.at);
  for (let k = 1; k <= state.shown.length; k++) {
    const at = state.shown[(start + k) % state.shown.length];
    const { step, after } = state.versions[at];
    const isPass = passOf(state.data, step).includes(text) || numberOf(step) === text;
    if (!isPass && !linesOf(state.data, after).some(has)) continue;
    showVersion(at);
    const row = state.rows.findIndex((row) => has(row.text) && row.element);
    if (row >= 0) {
      state.found = row;
      mark(state.rows[row].element);
    }
    return;
  }
}

/** Returns the functions, those with the most changes first. */
function ranked() {
  return state.changes.map((changed, index) => ({ index, changed })).sort((a, b) => b.changed - a.changed);
}

/** Shows the passes and functions of the whole log. */
function showOverview() {
  const { data } = state;
  state.fn = -1;
  document.body.querySelector("main").classList.remove("alone");
  byId("function").textContent = data.title;
  byId("function").title = "Choose a function (f)";
  byId("counted").textContent = `${data.steps.length.toLocaleString("en")} steps, ${data.functions.length.toLocaleString("en")} functions`;
  const totals = totalsOf(data);
  byId("strip").hidden = false;
  drawStrip(byId("strip"), totals.points, -1, () => {});
  byId("list").replaceChildren(html("h3", {}, "functions by changes"), ...ranked().slice(0, 500).map(({ index, changed }) => {
    const row = html("div", { class: changed ? "" : "same" }, html("span", {}, nameOf(data, index)), html("b", {}, String(changed)));
    row.onclick = () => showFunction(index);
    return row;
  }));
  const head = html("tr", {}, ...["pass", "steps", "changed", "instructions", "ARC", "calls"].map((name) => html("th", {}, name)));
  const pair = (gained, lost) => `${signed(gained)} ${signed(-lost)}`.trim();
  const rows = totals.passes.map((row) => html("tr", {}, ...[row.tag, row.steps.toLocaleString("en"), row.changed.toLocaleString("en"),
    pair(row.more[0], row.less[0]), pair(row.more[1], row.less[1]), pair(row.more[2], row.less[2])].map((text) => html("td", {}, text))));
  const others = data.others.map(([line, text]) => html("div", { class: "row" }, `${line}: ${text}`));
  byId("code").onclick = null;
  byId("code").replaceChildren(html("h2", {}, "What the passes changed"), html("table", {}, head, ...rows),
    ...(others.length ? [html("h2", {}, "Other lines of the log"), ...others] : []));
  byId("code").scrollTop = 0;
  byId("swift").replaceChildren();
  clearTimeout(state.drawing);
  byId("tabs").replaceChildren();
  byId("graph").replaceChildren(html("div", { class: "note" }, "Choose a function on the left, or with f."));
  history.replaceState(null, "", "#");
  document.title = data.title;
}

/** Sums over all functions: the curves over the steps, and what each pass gained and lost. */
function totalsOf(data) {
  const points = data.steps.map(() => ({ counts: [0, 0, 0, 0], mark: false }));
  const passes = new Map();
  const indexOf = new Map(data.steps.map((step, i) => [step, i]));
  data.functions.forEach((_, fn) => {
    let open = -1;
    for (const { step, before, after, isFirst, changes } of versionsOf(data, fn)) {
      const i = indexOf.get(step);
      for (let field = 0; field < 4; field++) points[i].counts[field] += count(data, after, field) - count(data, open, field);
      open = after;
      points[i].mark = points[i].mark || changes;
      if (step[PASS] < 0 || !step[RESULT]) continue;
      const tag = data.passes[step[PASS]];
      const row = passes.get(tag) || { tag, at: new Set(), changedAt: new Set(), more: [0, 0, 0], less: [0, 0, 0] };
      passes.set(tag, row);
      row.at.add(i);
      if (!changes) continue;
      row.changedAt.add(i);
      [[INSTS], [RETAINS, RELEASES], [CALLS]].forEach((fields, k) => {
        const by = isFirst ? 0 : fields.reduce((sum, field) => sum + count(data, after, field) - count(data, before, field), 0);
        row[by > 0 ? "more" : "less"][k] += Math.abs(by);
      });
    }
  });
  for (let i = 1; i < points.length; i++) for (let field = 0; field < 4; field++) points[i].counts[field] += points[i - 1].counts[field];
  const rows = [...passes.values()].map((row) => ({ ...row, steps: row.at.size, changed: row.changedAt.size }));
  return { points, passes: rows.sort((a, b) => b.changed - a.changed || b.steps - a.steps) };
}

/** Lets the user choose a function by a part of its name, or with `passes` a pass of this function. */
function choose(passes = false) {
  const { data } = state;
  const items = passes
    ? state.shown.map((at) => ({ text: `${numberOf(state.versions[at].step)} ${passOf(data, state.versions[at].step)}`.trim(), more: "", go: () => showVersion(at) }))
    : ranked().map(({ index, changed }) => ({ text: nameOf(data, index), more: state.isAlone ? "" : `${changed} changes`, go: () => showFunction(index) }));
  const filter = byId("filter"), list = byId("choices"), dialog = byId("chooser");
  let shown = [], on = 0;
  const draw = () => {
    const word = filter.value.toLowerCase();
    shown = items.filter((item) => item.text.toLowerCase().includes(word)).slice(0, 300);
    on = Math.max(0, Math.min(on, shown.length - 1));
    list.replaceChildren(...shown.map((item, i) => {
      const row = html("li", { class: i === on ? "on" : "" }, html("span", {}, item.text), html("b", {}, item.more));
      row.onclick = () => { dialog.close(); item.go(); };
      return row;
    }));
    const row = list.querySelector(".on");
    if (row) row.scrollIntoView({ block: "nearest" });
  };
  filter.value = "";
  filter.placeholder = passes ? "number or pass" : "function";
  filter.oninput = () => { on = 0; draw(); };
  filter.onkeydown = (event) => {
    if (event.key === "ArrowDown") on++;
    else if (event.key === "ArrowUp") on--;
    else if (event.key === "Enter" && shown[on]) { dialog.close(); return shown[on].go(); }
    else return;
    event.preventDefault();
    draw();
  };
  dialog.showModal();
  draw();
  filter.focus();
}

function onKey(event) {
  if (byId("chooser").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.tagName === "INPUT" && event.target.type !== "checkbox") {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const number = Number(event.key);
  if (event.key === "ArrowLeft" || event.key === "k") move(-1);
  else if (event.key === "ArrowRight" || event.key === "j") move(1);
  else if (event.key === "Home") move(-1e9);
  else if (event.key === "End") move(1e9);
  else if (event.key === "/") byId("search").focus();
  else if (event.key === "n") find(byId("search").value);
  else if (event.key === "g" && state.fn >= 0 && !state.isAlone) choose(true);
  else if (event.key === "f") choose();
  else if (event.key === "o" && !state.isAlone) showOverview();
  else if (event.key === "s") byId("swift").focus();
  else if (event.key === "h") byId("hide").click();
  else if (event.key === "c") byId("code").focus();
  else if (number >= 1 && number <= TABS.length && state.fn >= 0) showTab(TABS[number - 1]);
  else return;
  event.preventDefault();
}

async function begin() {
  const data = await load();
  state.data = data;
  state.isAlone = data.steps.length === 1 && data.steps[0][NUMBER] < 0 && !data.stages.length;
  for (const id of ["counted", "hide", "renumber"]) if (state.isAlone) byId(id).closest("label, span").hidden = true;
  byId("with-locations").hidden = !data.lines.some((line) => line.includes(", loc "));
  state.changes = data.functions.map((_, fn) => versionsOf(data, fn).filter((version) => version.changes).length);
  const again = () => {
    if (state.fn < 0) return;
    state.shown = listed();
    showVersion(state.shown.includes(state.at) ? state.at : state.shown[0] ?? state.at);
  };
  for (const id of ["hide", "renumber", "locations"]) byId(id).onchange = again;
  byId("function").onclick = () => choose();
  byId("search").onkeydown = (event) => {
    if (event.key === "Enter") find(byId("search").value);
  };
  byId("search").oninput = () => { state.found = -1; };
  document.addEventListener("keydown", onKey);
  const hash = new URLSearchParams(location.hash.slice(1));
  const wanted = data.functions.findIndex((fn) => fn[0] === hash.get("f"));
  if (wanted >= 0) showFunction(wanted, hash.has("at") ? Math.min(Number(hash.get("at")) || 0, data.functions[wanted][2].length / 3 - 1) : null);
  else if (data.first !== undefined && data.first !== null) showFunction(data.first);
  else if (data.functions.length === 1 || state.isAlone && data.functions.length) showFunction(0);
  else showOverview();
  document.body.dataset.ready = "true";
}

begin().catch((error) => {
  byId("code").textContent = `The data of this page cannot be read: ${error}`;
  document.body.dataset.ready = "failed";
});
