// Arrows between events: from post to start, fork, join, signal, lock. They run in the gaps between lanes, so they cross no words.

const NAMES_OF_ARROWS = {
  post: "posts",
  fork: "forks",
  join: "is waited for",
  signal: "signals",
  lock: "hands over the lock",
  cycle: "has to come before",
  conflict: "conflicts",
};
const CORNER = 6;
/** Arrows beside each other in one gap are so far apart. */
const TRACKS = [0, 4, -4, 8, -8];

/** The arrows from and to events in these rows, and with the order around an event what it comes directly after and what comes directly after it. */
function drawArrows(execution, rows, around) {
  const arrows = [];
  const seen = new Set();
  const add = (from, to, because, isWanted) => {
    const name = `${from} ${to}`;
    if (!isWanted || seen.has(name)) return;
    seen.add(name);
    arrows.push(drawArrow(execution, from, to, because, around));
  };
  for (const row of rows) {
    if (row.kind !== "event") continue;
    const isCentre = around && around.event === row.event;
    const isWanted = (because) => ARROWS.includes(because) || (isCentre && because === "conflict");
    for (const [from, because] of execution.events[row.event].after ?? [])
      add(from, row.event, because, isWanted(because));
    for (const [to, because] of execution.followers[row.event]) add(row.event, to, because, isWanted(because));
  }
  if (execution.why?.pair) arrows.push(drawArrow(execution, ...execution.why.pair, "decides", around));
  const markers = [...ARROWS, "conflict", "decides"].map(marker);
  return draw(
    "svg",
    { class: "arrows", width: layout.width, height: layout.height },
    draw("defs", {}, markers),
    arrows,
  );
}

function marker(kind) {
  const tip = draw("path", { d: "M0 0 L8 4 L0 8 Z", class: `tip ${kind}` });
  return draw(
    "marker",
    {
      id: `tip-${kind}`,
      viewBox: "0 0 8 8",
      refX: 7,
      refY: 4,
      markerWidth: 8,
      markerHeight: 8,
      markerUnits: "userSpaceOnUse",
      orient: "auto",
    },
    tip,
  );
}

function drawArrow(execution, from, to, because, around) {
  const classes = ["arrow", because];
  if (to >= view.step) classes.push("later");
  if (around) {
    const part = (event) => (event === around.event ? "self" : around.of(event));
    const [one, other] = [part(from), part(to)];
    const together = one === other || one === "self" || other === "self";
    if (!one || !other || !together) classes.push("unrelated");
  }
  const title = draw("title", {}, `${from + 1} ${NAMES_OF_ARROWS[because] ?? "before"} ${to + 1}`);
  return draw(
    "path",
    { class: classes.join(" "), d: way(execution, from, to), "marker-end": `url(#tip-${because})` },
    title,
  );
}

/** Where an event can be left or reached. */
function edges(execution, event) {
  const row = layout.rows[layout.rowOf[event]];
  const column = layout.columnOf[laneOf(execution, event)];
  return { left: column.left, right: column.left + column.width, y: row.top + row.height / 2, column };
}

/** Along the row of the first event, down the gap beside the column of the second, into the second. */
function way(execution, from, to) {
  const start = edges(execution, from);
  const end = edges(execution, to);
  const track = TRACKS[(from + to) % TRACKS.length];
  const same = start.column === end.column;
  const rightwards = end.left > start.left;
  const begin = same || rightwards ? start.right : start.left;
  const target = same ? end.right : rightwards ? end.left : end.right;
  const outside = same || !rightwards ? 1 : -1;
  const channel = target + outside * (GAP / 2) + track / 2;
  const down = end.y >= start.y ? 1 : -1;
  if (Math.abs(end.y - start.y) < 2 * CORNER) return `M${begin} ${start.y} L${target} ${end.y}`;
  const into = Math.sign(channel - begin) || 1;
  const out = Math.sign(target - channel) || -1;
  const bend = Math.min(CORNER, Math.abs(channel - begin), Math.abs(target - channel));
  return (
    `M${begin} ${start.y} H${channel - into * bend} Q${channel} ${start.y} ${channel} ${start.y + down * bend} ` +
    `V${end.y - down * bend} Q${channel} ${end.y} ${channel + out * bend} ${end.y} H${target}`
  );
}
