// The control flow of a body, computed from its text: blocks, dominators, loops, live ranges and scopes.

/** Instructions that begin a scope, and those that end it. */
const SCOPES = {
  begin_borrow: "end_borrow", load_borrow: "end_borrow", store_borrow: "end_borrow", begin_access: "end_access",
  alloc_stack: "dealloc_stack", alloc_pack: "dealloc_pack", begin_apply: "end_apply|abort_apply",
  begin_cow_mutation: "end_cow_mutation", partial_apply: "dealloc_stack", alloc_ref: "dealloc_stack_ref",
  mark_dependence: "end_borrow", copy_value: "destroy_value", alloc_box: "dealloc_box",
};

/** Reads a body: its blocks with lines, instructions, successors and predecessors. */
function readBody(lines) {
  const blocks = [], byName = new Map();
  let current = null;
  lines.forEach((line, at) => {
    const header = /^(bb\d+)(?:\((.*)\))?:/.exec(line);
    if (header) {
      current = { name: header[1], index: blocks.length, at, header: line, insts: [], succs: [], preds: [] };
      current.args = (header[2] || "").match(/%\d+/g) || [];
      blocks.push(current);
      byName.set(current.name, current);
    } else if (current && /^ {2}[a-z(%]/.test(line)) {
      const inst = /^ {2}(?:\(?(%[^=]*?)\)? = )?([a-z_0-9]+)(.*)/.exec(line);
      if (!inst) return;
      const plain = inst[3].replace(/"(?:[^"\\]|\\.)*"/g, '""');
      current.insts.push({
        at, op: inst[2], results: (inst[1] || "").match(/%\d+/g) || [], operands: plain.match(/%\d+/g) || [],
        text: line.trim(), rest: plain,
      });
    }
  });
  for (const block of blocks) {
    const last = block.insts[block.insts.length - 1];
    if (!last) continue;
    for (const [name, label] of targets(last)) {
      const to = byName.get(name);
      if (to) {
        block.succs.push({ to, label });
        to.preds.push(block);
      }
    }
  }
  return { blocks, byName, lines };
}

/** Returns the targets of a terminator, with labels. */
function targets(inst) {
  const names = [...inst.rest.matchAll(/\bbb\d+/g)];
  const label = (match, i) => {
    if (inst.op === "cond_br" || inst.op === "checked_cast_br") return i ? "false" : "true";
    const before = inst.rest.slice(0, match.index);
    const word = /(?:case #?([^,:]*?)(?:!enumelt)?: |(default|normal|error|resume|unwind) )$/.exec(before);
    return word ? (word[1] || word[2] || "").replace(/^.*\./, "") : "";
  };
  return names.map((match, i) => [match[0], label(match, i)]);
}

/** Returns the blocks in reverse postorder, those that cannot be reached last. */
function reversePostorder(flow) {
  const seen = new Set(), order = [];
  const stack = flow.blocks.length ? [[flow.blocks[0], 0]] : [];
  if (stack.length) seen.add(flow.blocks[0]);
  while (stack.length) {
    const top = stack[stack.length - 1];
    const next = top[0].succs[top[1]++];
    if (!next) order.push(stack.pop()[0]);
    else if (!seen.has(next.to)) { seen.add(next.to); stack.push([next.to, 0]); }
  }
  order.reverse();
  return order.concat(flow.blocks.filter((block) => !seen.has(block)));
}

/** Computes the immediate dominators (Cooper, Harvey and Kennedy) and natural loops. */
function analyze(flow) {
  const order = reversePostorder(flow);
  order.forEach((block, i) => { block.order = i; block.idom = null; block.depth = 0; block.loop = null; });
  const entry = order[0];
  if (!entry) return { order, loops: [] };
  entry.idom = entry;
  const meet = (a, b) => {
    while (a !== b) {
      while (a.order > b.order) a = a.idom;
      while (b.order > a.order) b = b.idom;
    }
    return a;
  };
  for (let changes = true; changes;) {
    changes = false;
    for (const block of order.slice(1)) {
      let idom = null;
      for (const pred of block.preds) if (pred.idom) idom = idom ? meet(pred, idom) : pred;
      if (idom && block.idom !== idom) { block.idom = idom; changes = true; }
    }
  }
  const dominates = (a, b) => {
    while (b.order > a.order && b.idom && b.idom !== b) b = b.idom;
    return a === b;
  };
  const loops = new Map();
  for (const block of order) {
    for (const { to } of block.succs) {
      if (!block.idom || !dominates(to, block)) continue;
      const loop = loops.get(to) || { header: to, blocks: new Set([to]), latches: [] };
      loops.set(to, loop);
      loop.latches.push(block);
      const work = [block];
      while (work.length) {
        const next = work.pop();
        if (loop.blocks.has(next)) continue;
        loop.blocks.add(next);
        work.push(...next.preds.filter((pred) => pred.idom));
      }
    }
  }
  const all = [...loops.values()];
  for (const loop of all) for (const block of loop.blocks) block.depth++;
  for (const loop of all) loop.depth = loop.header.depth;
  return { order, loops: all };
}

/** Returns the live range of each value: its definition, its uses, and the blocks through which it is live. */
function liveRanges(flow) {
  const values = new Map();
  for (const block of flow.blocks) {
    for (const arg of block.args) values.set(arg, { name: arg, block, at: block.at, uses: [], through: new Set(), op: "argument" });
    for (const inst of block.insts) {
      for (const result of inst.results) values.set(result, { name: result, block, at: inst.at, uses: [], through: new Set(), op: inst.op });
    }
  }
  for (const block of flow.blocks) {
    for (const inst of block.insts) {
      for (const name of new Set(inst.operands)) {
        const value = values.get(name);
        if (!value) continue;
        value.uses.push({ at: inst.at, op: inst.op, block });
        if (block === value.block) continue;
        const work = [block];
        while (work.length) {
          for (const pred of work.pop().preds) {
            if (pred === value.block || value.through.has(pred)) continue;
            value.through.add(pred);
            work.push(pred);
          }
        }
      }
    }
  }
  return [...values.values()];
}

/** Returns the ranges of lines in which a value is live. */
function rangesOf(value) {
  const ranges = [];
  const end = (block) => (block.insts.length ? block.insts[block.insts.length - 1].at : block.at);
  const uses = new Map();
  for (const use of value.uses) uses.set(use.block, Math.max(uses.get(use.block) || 0, use.at));
  const leaves = value.through.size > 0 || [...uses.keys()].some((block) => block !== value.block);
  ranges.push([value.at, leaves ? end(value.block) : uses.get(value.block) ?? value.at]);
  for (const block of value.through) ranges.push([block.at, end(block)]);
  for (const [block, at] of uses) if (block !== value.block && !value.through.has(block)) ranges.push([block.at, at]);
  return ranges.sort((a, b) => a[0] - b[0]);
}

/** Returns the scopes of a body: values of instructions that begin one, with only the uses that end it. */
function scopesOf(flow) {
  return liveRanges(flow).filter((value) => {
    const ends = SCOPES[value.op];
    if (!ends) return false;
    const is = new RegExp("^(?:" + ends + ")$");
    const uses = value.uses.filter((use) => is.test(use.op));
    if (!uses.length) return false;
    const names = new Set(uses.map((use) => use.block));
    // Only the blocks on a way to an end are in the scope.
    value.uses = uses;
    value.through = new Set();
    for (const block of names) {
      if (block === value.block) continue;
      const work = [block];
      while (work.length) {
        for (const pred of work.pop().preds) {
          if (pred === value.block || value.through.has(pred)) continue;
          value.through.add(pred);
          work.push(pred);
        }
      }
    }
    return true;
  });
}
