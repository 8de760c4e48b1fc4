// Drawing: layered graphs and lanes as SVG.

const SVG = "http://www.w3.org/2000/svg";

/** Creates an SVG element. Text is set as text. */
function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) element.append(child);
  return element;
}

const CHAR = 5.45, ROW = 12, MAX_COLUMNS = 56, MAX_ROWS = 12;

/** Returns the lines of a block in a drawing. */
function blockLines(block, isLarge) {
  const cut = (text) => (text.length > MAX_COLUMNS ? text.slice(0, MAX_COLUMNS - 1) + "…" : text);
  const title = cut(block.header.replace(/:.*$/, ""));
  const head = block.args.length ? cut(block.header.replace(/:$/, "")) : title;
  if (isLarge) return [head];
  const insts = block.insts.map((inst) => cut(withoutLocation(inst.text)));
  if (insts.length > MAX_ROWS) {
    const left = insts.length - MAX_ROWS + 1;
    insts.splice(MAX_ROWS - 2, left, `… ${left} more`);
  }
  return [head, ...insts];
}

/**
 * Lays a graph out in layers. `nodes` have width and height; `edges` have from, to (indices) and a label. Sets x and y (the
 * middle of the top) of nodes, and the points of edges.
 */
function layOut(nodes, edges) {
  const next = nodes.map(() => []), state = nodes.map(() => 0);
  for (const edge of edges) if (edge.from !== edge.to) next[edge.from].push(edge);
  // Edges back to an open node are turned around.
  for (let root = 0; root < nodes.length; root++) {
    if (state[root]) continue;
    const stack = [[root, 0]];
    state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      const edge = next[top[0]][top[1]++];
      if (!edge) { state[top[0]] = 2; stack.pop(); continue; }
      if (state[edge.to] === 1) edge.isBack = true;
      else if (!state[edge.to]) { state[edge.to] = 1; stack.push([edge.to, 0]); }
    }
  }
  const down = edges.filter((e) => e.from !== e.to).map((e) => (e.isBack ? { edge: e, from: e.to, to: e.from } : { edge: e, from: e.from, to: e.to }));
  const into = nodes.map(() => 0), out = nodes.map(() => []);
  for (const d of down) { into[d.to]++; out[d.from].push(d); }
  const rank = nodes.map(() => 0), ready = nodes.map((_, i) => i).filter((i) => !into[i]);
  while (ready.length) {
    const node = ready.shift();
    for (const d of out[node]) {
      rank[d.to] = Math.max(rank[d.to], rank[node] + 1);
      if (!--into[d.to]) ready.push(d.to);
    }
  }
  const items = nodes.map((node, i) => ({ node, rank: rank[i], width: node.width, ups: [], downs: [] }));
  for (const d of down) {
    d.path = [items[d.from]];
    for (let r = rank[d.from] + 1; r < rank[d.to]; r++) {
      const dummy = { rank: r, width: 8, ups: [], downs: [] };
      items.push(dummy);
      d.path.push(dummy);
    }
    d.path.push(items[d.to]);
    for (let i = 1; i < d.path.length; i++) {
      d.path[i - 1].downs.push(d.path[i]);
      d.path[i].ups.push(d.path[i - 1]);
    }
  }
  const layers = [];
  for (const item of items) (layers[item.rank] = layers[item.rank] || []).push(item);
  const number = () => layers.forEach((layer) => layer.forEach((item, i) => { item.order = i; }));
  number();
  const mean = (list, of) => list.reduce((sum, item) => sum + of(item), 0) / list.length;
  for (let sweep = 0; sweep < 8; sweep++) {
    const downwards = sweep % 2 === 0;
    for (const layer of downwards ? layers : [...layers].reverse()) {
      for (const item of layer) {
        const near = downwards ? item.ups : item.downs;
        item.wish = near.length ? mean(near, (other) => other.order) : item.order;
      }
      layer.sort((a, b) => a.wish - b.wish);
      layer.forEach((item, i) => { item.order = i; });
    }
  }
  place(layers, mean);
  let y = 20;
  for (const layer of layers) {
    const height = Math.max(...layer.map((item) => (item.node ? item.node.height : 0)));
    for (const item of layer) { item.y = y; item.height = item.node ? item.node.height : height; }
    y += height + 46;
  }
  const left = Math.min(...items.map((item) => item.x - item.width / 2)) - 20;
  for (const item of items) {
    item.x -= left;
    if (item.node) { item.node.x = item.x; item.node.y = item.y; }
  }
  for (const d of down) {
    const points = [];
    for (const item of d.path) {
      if (item.node) points.push([item.x, item === d.path[0] ? item.y + item.height : item.y]);
      else points.push([item.x, item.y], [item.x, item.y + item.height]);
    }
    // A loop of two blocks has an edge in each direction.
    if (d.edge.isBack) for (const point of points) point[0] += 14;
    d.edge.points = d.edge.isBack ? points.reverse() : points;
  }
  const right = Math.max(0, ...items.map((item) => item.x + item.width / 2));
  return { width: right + 20, height: y };
}

/** Chooses the positions of items in their layers: near their neighbours, without overlaps. */
function place(layers, mean) {
  const gap = 22;
  for (const layer of layers) {
    let x = 0;
    for (const item of layer) { item.x = x + item.width / 2; x += item.width + gap; }
    for (const item of layer) item.x -= x / 2;
  }
  for (let sweep = 0; sweep < 12; sweep++) {
    const downwards = sweep % 2 === 0;
    for (const layer of downwards ? layers : [...layers].reverse()) {
      for (const item of layer) {
        const near = downwards ? item.ups : item.downs;
        item.wish = near.length ? mean(near, (other) => other.x) : item.x;
      }
      // Each item is pushed to the right of the one before it; the mean of the pushes is taken back.
      let edge = -Infinity, push = 0;
      for (const item of layer) {
        item.x = Math.max(item.wish, edge + item.width / 2);
        push += item.x - item.wish;
        edge = item.x + item.width / 2 + gap;
      }
      for (const item of layer) item.x -= push / layer.length;
    }
  }
}

/** Draws a graph. `onClick` gets a node. */
function drawGraph(nodes, edges, onClick) {
  const size = layOut(nodes, edges);
  const root = svg("svg", { width: Math.ceil(size.width), height: Math.ceil(size.height), class: "graph" });
  root.dataset.entry = nodes.length ? nodes[0].x : 0;
  const tip = svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "tip" }));
  root.append(svg("defs", {}, tip));
  for (const edge of edges) {
    let d, label;
    if (edge.from === edge.to) {
      const node = nodes[edge.from], x = node.x + node.width / 2;
      d = `M${x} ${node.y + node.height - 8}C${x + 30} ${node.y + node.height + 10} ${x + 30} ${node.y - 10} ${x} ${node.y + 8}`;
      label = [x + 24, node.y + node.height / 2];
    } else {
      const p = edge.points;
      d = `M${p[0][0]} ${p[0][1]}`;
      for (let i = 1; i < p.length; i++) {
        const [[x0, y0], [x1, y1]] = [p[i - 1], p[i]];
        const middle = (y0 + y1) / 2;
        d += x0 === x1 ? `L${x1} ${y1}` : `C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`;
      }
      label = [(p[0][0] + p[1][0]) / 2 + 4, (p[0][1] + p[1][1]) / 2 + 3];
    }
    root.append(svg("path", { d, class: edge.isBack ? "edge back" : "edge", "marker-end": "url(#tip)" }));
    if (edge.label) root.append(svg("text", { x: label[0], y: label[1], class: "label" }, edge.label));
  }
  for (const node of nodes) {
    const left = node.x - node.width / 2;
    const group = svg("g", { class: "node" + (node.mark ? " " + node.mark : "") });
    group.append(svg("rect", { x: left, y: node.y, width: node.width, height: node.height, rx: 2 }));
    node.lines.forEach((line, i) => {
      group.append(svg("text", { x: left + 5, y: node.y + 12 + i * ROW, class: i ? "" : "title" }, line));
    });
    if (node.block) group.addEventListener("click", () => onClick(node.block));
    root.append(group);
  }
  return root;
}

/** Returns the node of a block. */
function nodeOf(block, lines, mark) {
  const width = Math.max(30, ...lines.map((line) => line.length * CHAR)) + 10;
  return { block, lines, width, height: lines.length * ROW + 6, mark };
}

/** Draws the control flow of a body; `changed` has the lines that the step changed. */
function drawFlow(flow, changed, onClick) {
  const isLarge = flow.blocks.length > 150;
  const { loops } = analyze(flow);
  const headers = new Set(loops.map((loop) => loop.header));
  const nodes = flow.blocks.map((block) => {
    const touched = block.insts.some((inst) => changed.has(inst.at)) || changed.has(block.at);
    return nodeOf(block, blockLines(block, isLarge), (headers.has(block) ? "header " : "") + (touched ? "changed" : ""));
  });
  const edges = flow.blocks.flatMap((block) => block.succs.map(({ to, label }) => ({ from: block.index, to: to.index, label })));
  return drawGraph(nodes, edges, onClick);
}

/** Draws the dominator tree. */
function drawDominators(flow, onClick) {
  analyze(flow);
  const nodes = flow.blocks.map((block) => nodeOf(block, [`${block.name} (${block.insts.length})`], ""));
  const edges = flow.blocks.filter((block) => block.idom && block.idom !== block)
    .map((block) => ({ from: block.idom.index, to: block.index, label: "" }));
  return drawGraph(nodes, edges, onClick);
}

/** Draws values as lanes beside the lines of a body: `values` have ranges, an operation and uses. */
function drawLanes(flow, values, changed) {
  const rows = [], rowOf = new Map();
  for (const block of flow.blocks) {
    for (const at of [block.at, ...block.insts.map((inst) => inst.at)]) { rowOf.set(at, rows.length); rows.push(at); }
  }
  const height = 14, top = 30;
  const spans = values.map((value) => {
    const ranges = rangesOf(value).map(([a, b]) => [rowOf.get(a), rowOf.get(b)]);
    return { value, ranges, start: ranges[0][0], end: Math.max(...ranges.map((range) => range[1])) };
  });
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const lanes = [];
  for (const span of spans) {
    let lane = lanes.findIndex((end) => end < span.start);
    if (lane < 0) lane = lanes.length;
    lanes[lane] = span.end;
    span.lane = lane;
  }
  const step = 11, left = 8, textAt = left + lanes.length * step + 12;
  const root = svg("svg", { width: textAt + 470, height: top + rows.length * height + 20, class: "lanes" });
  rows.forEach((at, i) => {
    const y = top + i * height;
    const isBlock = /^bb/.test(flow.lines[at]);
    if (isBlock) root.append(svg("line", { x1: 0, x2: textAt + 460, y1: y - 11, y2: y - 11, class: "rule" }));
    const text = withoutLocation(flow.lines[at]).slice(0, 84);
    root.append(svg("text", { x: textAt + (isBlock ? 0 : 10), y, class: (isBlock ? "title" : "") + (changed.has(at) ? " changed" : "") }, text.trim()));
  });
  for (const span of spans) {
    const x = left + span.lane * step;
    const group = svg("g", { class: "lane " + laneKind(span.value.op) }, svg("title", {}, `${span.value.name} = ${span.value.op}`));
    for (const [a, b] of span.ranges) {
      group.append(svg("line", { x1: x, x2: x, y1: top + a * height - 4, y2: top + b * height - 3 }));
    }
    group.append(svg("circle", { cx: x, cy: top + span.start * height - 4, r: 3 }));
    for (const use of span.value.uses) {
      const y = top + rowOf.get(use.at) * height - 4;
      group.append(svg("line", { x1: x - 3, x2: x + 3, y1: y, y2: y, class: "use" }));
    }
    root.append(group);
  }
  return root;
}

/** Returns the kind of a lane, for its color. */
function laneKind(op) {
  if (/borrow/.test(op)) return "borrow";
  if (/^alloc|partial_apply/.test(op)) return "memory";
  if (/access/.test(op)) return "access";
  if (/copy|load/.test(op)) return "copy";
  return "plain";
}
