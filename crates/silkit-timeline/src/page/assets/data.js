// The data of the page: unpacks the texts. `silkit-timeline/src/page/` in Rust packs them.

/** Inflates base64 of zlib data. */
async function inflated(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads the data: the JSON with steps and functions, the bodies as ids of lines, and the lines. */
async function load() {
  const bytes = await inflated(document.getElementById("data").textContent);
  const view = new DataView(bytes.buffer);
  const decoder = new TextDecoder();
  let at = 0;
  const part = () => {
    const length = view.getUint32(at, true);
    at += 4 + length;
    return bytes.subarray(at - length, at);
  };
  const data = JSON.parse(decoder.decode(part()));
  const stream = part();
  data.lines = decoder.decode(bytes.subarray(at)).split("\n");
  data.bodies = bodies(stream);
  data.shown = new Map();
  return data;
}

/** Unpacks the bodies: each is a list of ids of lines, stored as the difference from an earlier one. */
function bodies(stream) {
  const all = [];
  let at = 0, known = 0;
  const number = () => {
    let value = 0, shift = 0, byte;
    do {
      byte = stream[at++];
      value += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte > 127);
    return value;
  };
  while (at < stream.length) {
    const back = number();
    const base = back ? all[all.length - back] : [];
    const ids = new Uint32Array(number());
    for (let i = 0; i < ids.length;) {
      const from = number();
      for (let copied = number(), j = 0; j < copied; j++) ids[i++] = base[from + j];
      for (let added = number(); added > 0; added--) {
        const id = number();
        ids[i++] = id ? id - 1 : known++;
      }
    }
    all.push(ids);
  }
  return all;
}

/** Returns the lines of a body, with the numbers of values and blocks. */
function linesOf(data, body) {
  if (body < 0) return [];
  let shown = data.shown.get(body);
  if (shown) return shown;
  const place = { value: 0, block: 0 };
  shown = Array.from(data.bodies[body], (id) => decoded(data.lines[id], place));
  if (data.shown.size > 400) data.shown.clear();
  data.shown.set(body, shown);
  return shown;
}

/** Returns a line with its numbers, and moves the place: the numbers that the next definition and block would get. */
function decoded(line, place) {
  let last = null, lastResult = null, block = null;
  let out = "", from = 0;
  const isHeader = line.startsWith("bb") || line.startsWith("\u0002");
  const results = /^ {2}\(?\u0001/.test(line) ? line.indexOf(" = ") : -1;
  for (const match of line.matchAll(/([\u0001\u0002])(-?\d+);/g)) {
    out += line.slice(from, match.index);
    if (match[1] === "\u0001") {
      last = place.value + Number(match[2]);
      if (match.index < results) lastResult = last;
      out += "%" + last;
    } else {
      const number = place.block + Number(match[2]);
      if (block === null) block = number;
      out += "bb" + number;
    }
    from = match.index + match[0].length;
  }
  out += line.slice(from);
  if (isHeader) {
    if (block !== null) place.block = block + 1;
    if (last !== null) place.value = last + 1;
  } else if (lastResult !== null) {
    place.value = lastResult + 1;
  } else if (/^ {2}[a-z]/.test(out)) {
    place.value++;
  }
  return out;
}

/** The fields of a row of steps. */
const NUMBER = 0, SUB = 1, STAGE = 2, PASS = 3, RESULT = 4, LINE = 5, MANDATORY = 6, TIME = 7;
/** The fields of the counts of a body. */
const INSTS = 0, RETAINS = 1, RELEASES = 2, CALLS = 3, ALLOCATIONS = 4, BLOCKS = 5;

/** Returns a count of a body. */
function count(data, body, field) {
  return body < 0 ? 0 : data.counts[body * 6 + field];
}

/** Returns the versions of a function: the step, the bodies before and after it, and whether code changes. */
function versionsOf(data, index) {
  const flat = data.functions[index][2];
  const versions = [];
  let before = -1;
  for (let i = 0; i < flat.length; i += 3) {
    const [step, after, isFirst] = flat.slice(i, i + 3);
    const base = isFirst ? -1 : before;
    const changes = !isFirst && !sameLines(data, base, after);
    versions.push({ step: data.steps[step], before: base, after, isFirst: !!isFirst, changes });
    before = after;
  }
  return versions;
}

/** Returns true if two bodies have the same lines of code. */
function sameLines(data, a, b) {
  if (a === b) return true;
  if (a < 0 || b < 0) return false;
  const [x, y] = [data.bodies[a], data.bodies[b]];
  return x.length === y.length && x.every((id, i) => id === y[i]);
}

/** Returns the name of a function for people. */
function nameOf(data, index) {
  return data.functions[index][1] || data.functions[index][0];
}

/** Returns the name of a step: its pass, or the pipeline that begins. */
function passOf(data, step) {
  if (step[PASS] >= 0) return data.passes[step[PASS]];
  return step[STAGE] >= 0 ? "begin" : "";
}

/** Returns the number of a step as the compiler takes it. */
function numberOf(step) {
  if (step[NUMBER] < 0) return "";
  return step[SUB] < 0 ? String(step[NUMBER]) : step[NUMBER] + "." + step[SUB];
}
