// Differences of two texts, which may ignore the numbers of values and blocks.

/** The names in a line: values and blocks, not in strings. */
const NAMES = /%\d+|\bbb\d+|"(?:[^"\\]|\\.)*"/g;

/** Returns a line without its location in Swift. */
function withoutLocation(line) {
  return line.replace(/, loc (?:\* ?)?"(?:[^"\\]|\\.)*"(?::\d+)*/g, "").replace(/, scope \d+/g, "");
}

/** Returns a line without the numbers of values and blocks. */
function keyOf(line) {
  return line.replace(NAMES, (name) => (name[0] === '"' ? name : name[0] === "%" ? "%" : "bb"));
}

/** Returns the names that a line defines: results, or a block and its arguments. */
function definedIn(line) {
  if (/^bb\d/.test(line)) return line.match(/%\d+|^bb\d+/g);
  const results = /^ {2}(\(?%[^=]*) = /.exec(line);
  return results ? results[1].match(/%\d+/g) : [];
}

/** Returns pairs of indices of equal items, by the algorithm of Myers; without them if the lists differ too much. */
function aligned(a, b) {
  let start = 0, endA = a.length, endB = b.length;
  while (start < endA && start < endB && a[start] === b[start]) start++;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) { endA--; endB--; }
  const pairs = [];
  for (let i = 0; i < start; i++) pairs.push([i, i]);
  middle(a, b, start, endA, start, endB, pairs);
  for (let i = endA, j = endB; i < a.length; i++, j++) pairs.push([i, j]);
  return pairs;
}

/** Adds the pairs in the parts of two lists that begin and end differently. */
function middle(a, b, startA, endA, startB, endB, pairs) {
  const n = endA - startA, m = endB - startB;
  if (!n || !m) return;
  const limit = Math.min(n + m, 2500);
  const trace = [];
  let v = new Int32Array(2 * limit + 3);
  for (let d = 0; d <= limit; d++) {
    trace.push(v.slice(limit - d, limit + d + 3));
    for (let k = -d; k <= d; k += 2) {
      const at = k + limit + 1;
      let x = k === -d || (k !== d && v[at - 1] < v[at + 1]) ? v[at + 1] : v[at - 1] + 1;
      let y = x - k;
      while (x < n && y < m && a[startA + x] === b[startB + y]) { x++; y++; }
      v[at] = x;
      if (x >= n && y >= m) return walkBack(trace, d, n, m, startA, startB, pairs);
    }
  }
}

/** Adds the pairs on the way back through the traces. */
function walkBack(trace, last, n, m, startA, startB, pairs) {
  const found = [];
  let x = n, y = m;
  for (let d = last; d >= 0; d--) {
    const v = trace[d];
    const k = x - y;
    const get = (k) => v[k + d + 1];
    const down = k === -d || (k !== d && get(k - 1) < get(k + 1));
    const before = down ? k + 1 : k - 1;
    const fromX = d ? get(before) : 0;
    const fromY = d ? fromX - before : 0;
    while (x > fromX && y > fromY) { x--; y--; found.push([startA + x, startB + y]); }
    [x, y] = [fromX, fromY];
  }
  pairs.push(...found.reverse());
}

/**
 * Compares two texts. Returns rows: the side (" ", "-", "+"), the text, and the index of the line in the new text, or
 * else in the old one. Ignoring numbers, lines are the same if their values have the same definitions; what only the old
 * text has gets names such as %old3.
 */
function compare(before, after, ignoresNumbers) {
  const keys = ignoresNumbers ? keyOf : (line) => line;
  const pairs = aligned(before.map(keys), after.map(keys));
  const renamed = new Map();
  if (ignoresNumbers) {
    for (const [i, j] of pairs) {
      const [old, now] = [definedIn(before[i]), definedIn(after[j])];
      for (let k = 0; k < old.length; k++) renamed.set(old[k], now[k]);
    }
  }
  const rename = (line) => !ignoresNumbers ? line : line.replace(NAMES, (name) => {
    if (name[0] === '"') return name;
    return renamed.get(name) || (name[0] === "%" ? "%old" + name.slice(1) : "bbold" + name.slice(2));
  });
  const rows = [];
  let [i, j] = [0, 0];
  const flush = (endI, endJ) => {
    for (; i < endI; i++) rows.push({ side: "-", text: rename(before[i]), at: i });
    for (; j < endJ; j++) rows.push({ side: "+", text: after[j], at: j });
  };
  let [pendingI, pendingJ] = [[], []];
  const flushPending = () => {
    for (const k of pendingI) rows.push({ side: "-", text: rename(before[k]), at: k });
    for (const k of pendingJ) rows.push({ side: "+", text: after[k], at: k });
    [pendingI, pendingJ] = [[], []];
  };
  for (const [x, y] of pairs) {
    if (i < x || j < y) flushPending();
    flush(x, y);
    if (rename(before[x]) === after[y]) {
      flushPending();
      rows.push({ side: " ", text: after[y], at: y });
    } else {
      pendingI.push(x);
      pendingJ.push(y);
    }
    [i, j] = [x + 1, y + 1];
  }
  flushPending();
  flush(before.length, after.length);
  return rows;
}
