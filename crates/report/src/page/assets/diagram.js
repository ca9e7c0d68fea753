// The lanes with their events. Only what can be seen is in the document, however long the execution is.

/** So much above and below what can be seen is drawn too. */
const MARGIN = 240;
/** A pointer that moves farther while it is pressed, in pixels, scrolls or selects and does not click. */
const MOST_WOBBLE = 6;

drawers.push((execution, { relaid }) => {
  if (relaid) {
    const { style } = part("plane");
    style.width = `${layout.width}px`;
    style.height = `${layout.height}px`;
    drawHeads(execution);
  }
  drawPlane(execution);
});

/** The names of the lanes, and above them those of their groups. */
function drawHeads(execution) {
  const lanes = part("lanes");
  lanes.style.width = `${layout.width}px`;
  const groups = [];
  for (const column of layout.columns) {
    const last = groups[groups.length - 1];
    if (column.group === undefined) continue;
    if (last && last.group === column.group) last.right = column.left + column.width;
    else
      groups.push({
        group: column.group,
        left: column.left,
        right: column.left + column.width,
        collapsed: column.collapsed,
      });
  }
  const sizes = groupsOf(execution);
  const toggles = groups.map(({ group, left, right, collapsed }) => {
    const words = `${collapsed ? "▸" : "▾"} ${group} × ${sizes.get(group).length}`;
    const title = collapsed ? "Show each of them" : "Show them as one";
    const toggle = () => toggleGroup(group);
    const style = `left:${left}px;width:${right - left}px`;
    return make(
      "button",
      { class: "group", style, title, "aria-expanded": String(!collapsed), click: toggle },
      make("span", {}, words),
    );
  });
  const heads = layout.columns.map((column) => {
    const kind = column.handler ? "handler" : "thread";
    const style = `left:${column.left}px;width:${column.width}px`;
    const name = column.collapsed ? `${kind}s` : column.name;
    const label = make("span", { class: "name", title: column.name }, name);
    return make(
      "div",
      { class: `head ${kind}`, style },
      label,
      column.collapsed ? null : make("span", { class: "what" }, kind),
    );
  });
  lanes.classList.toggle("grouped", groups.length > 0);
  put(lanes, make("div", { class: "corner" }, "step"), ...toggles, ...heads);
}

function toggleGroup(group) {
  const collapsed = new Set(view.collapsed);
  if (!collapsed.delete(group)) collapsed.add(group);
  show({ collapsed });
}

/** What of the plane can be seen, with a margin. */
function seen() {
  const scroll = part("scroll");
  return {
    top: scroll.scrollTop - MARGIN,
    bottom: scroll.scrollTop + scroll.clientHeight + MARGIN,
    left: scroll.scrollLeft - MARGIN,
    right: scroll.scrollLeft + scroll.clientWidth + MARGIN,
  };
}

function drawPlane(execution) {
  const window = seen();
  const [first, end] = rowsBetween(window.top, window.bottom);
  const rows = layout.rows.slice(first, end);
  const around = shownOrder(execution);
  const inSight = ({ left, width }) => left + width > window.left && left < window.right;
  const columns = layout.columns.filter(inSight);
  const numbers = rows.map((row) => number(row)).filter(Boolean);
  const chips = rows.map((row) => drawRow(execution, row, around, inSight)).filter(Boolean);
  put(
    part("plane"),
    make("div", { class: "gutter" }, numbers),
    currentBand(),
    ...columns.map((column) =>
      make("div", { class: "lifeline", style: at(column.left + column.width / 2, 0, 1, layout.height) }),
    ),
    ...drawBoxes(execution, window, columns),
    drawArrows(execution, rows, around),
    ...chips,
  );
}

/** The order around an event, if one asks for it: by the pointer, or by pinning the current one. */
function shownOrder(execution) {
  const event = view.hovered ?? (view.pinned && view.step > 0 ? view.step - 1 : undefined);
  return event === undefined ? undefined : orderAround(execution, event);
}

function number(row) {
  if (row.kind !== "event") return null;
  const style = `top:${row.top}px;height:${row.height}px`;
  return make("span", { class: row.event === view.step - 1 ? "now" : undefined, style }, String(row.event + 1));
}

/** A band behind the row of the current event. */
function currentBand() {
  if (view.step === 0) return null;
  const row = layout.rows[layout.rowOf[view.step - 1]];
  return make("div", { class: "band", style: `top:${row.top}px;height:${row.height}px` });
}

function drawRow(execution, row, around, inSight) {
  if (row.kind === "fold") return drawFold(execution, row, around);
  if (row.kind !== "event") return drawBanner(row);
  const column = layout.columnOf[laneOf(execution, row.event)];
  if (!inSight(column)) return null;
  const event = execution.events[row.event];
  const pair = execution.why?.pair ?? [];
  const classes = ["chip", event.kind];
  if (event.faults) classes.push("bad");
  if (pair.includes(row.event)) classes.push("decides");
  if (row.event === view.step - 1) classes.push("current");
  if (row.event >= view.step) classes.push("later");
  if (isSought(event)) classes.push("sought");
  if (around) classes.push(row.event === around.event ? "self" : (around.of(row.event) ?? "unrelated"));
  const place = event.place ? `\n${placeWords(event.place)}` : "";
  const chip = make(
    "button",
    {
      class: classes.join(" "),
      style: at(column.left, row.top + 2, column.width, row.height - 4),
      title: `${row.event + 1}. ${taskWords(execution, event.task)}: ${event.words}${place}`,
      tabindex: -1,
      "data-event": row.event,
    },
    row.lines.join("\n"),
  );
  if (pair.includes(row.event)) chip.append(make("span", { class: "tag" }, pair.indexOf(row.event) === 0 ? "1" : "2"));
  return chip;
}

function drawFold(execution, row, around) {
  const { words } = execution.folds[row.fold];
  const classes = ["fold"];
  if (row.to === view.step) classes.push("current");
  if (around) classes.push("unrelated");
  const button = make(
    "button",
    { title: "Show these events", "data-fold": row.fold, tabindex: -1 },
    `⋯ ${count(row.to - row.event, "event")}: ${words}`,
  );
  return make(
    "div",
    {
      class: classes.join(" "),
      style: `top:${row.top + 2}px;height:${row.height - 4}px;width:${layout.width - GUTTER}px`,
    },
    button,
  );
}

function drawBanner(row) {
  const style = `top:${row.top}px;height:${row.height}px;width:${layout.width - GUTTER}px`;
  return make("div", { class: `banner ${row.kind}`, style }, make("span", {}, row.lines.join("\n")));
}

/** A box for each message, from its start to its end; a line for each thread. */
function drawBoxes(execution, window, columns) {
  const boxes = [];
  const visible = new Set(columns.filter((column) => !column.collapsed));
  execution.tasks.forEach((task) => {
    const column = layout.columnOf[task.lane];
    if (task.events.length === 0 || !visible.has(column)) return;
    const first = layout.rows[layout.rowOf[task.events[0]]];
    const last = layout.rows[layout.rowOf[task.events[task.events.length - 1]]];
    if (last.top + last.height < window.top || first.top > window.bottom) return;
    const style = column.handler
      ? at(column.left - 6, first.top, column.width + 12, last.top + last.height - first.top)
      : at(column.left + column.width / 2 - 1, first.top + first.height / 2, 3, last.top - first.top);
    const later = task.events[0] >= view.step ? " later" : "";
    boxes.push(make("div", { class: (column.handler ? "box" : "life") + later, style }));
  });
  return boxes;
}

/** How much of the height is left below the names of the lanes. */
function spaceForRows() {
  return part("scroll").clientHeight - part("lanes").offsetHeight;
}

/** Scrolls so that the current event can be seen. */
function revealStep() {
  const scroll = part("scroll");
  const space = spaceForRows();
  if (view.step === 0) {
    scroll.scrollTop = 0;
    return;
  }
  const event = view.step - 1;
  const row = layout.rows[layout.rowOf[event]];
  const last = event === current().events.length - 1 ? layout.height : row.top + row.height + 2 * LINE;
  if (row.top - 2 * LINE < scroll.scrollTop) scroll.scrollTop = row.top - space / 3;
  else if (last > scroll.scrollTop + space) scroll.scrollTop = Math.min(last - space, row.top - LINE);
  if (row.kind !== "event") return;
  const column = layout.columnOf[laneOf(current(), event)];
  if (column.left - GUTTER - GAP < scroll.scrollLeft) scroll.scrollLeft = column.left - GUTTER - FIRST_GAP;
  else if (column.left + column.width + GAP > scroll.scrollLeft + scroll.clientWidth)
    scroll.scrollLeft = column.left + column.width + GAP - scroll.clientWidth;
}

/** Scrolling, the pointer and clicks. */
function listenToDiagram() {
  const scroll = part("scroll");
  const plane = part("plane");
  let asked = false;
  const again = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      drawPlane(current());
      drawWindow();
    });
  };
  scroll.addEventListener("scroll", again, { passive: true });
  const eventAt = (target) => target.closest?.("[data-event]")?.dataset.event;
  const hover = (event) => {
    if (view.hovered === event) return;
    view.hovered = event;
    again();
  };
  plane.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "touch") return;
    const event = eventAt(target);
    hover(event === undefined ? undefined : Number(event));
  });
  plane.addEventListener("pointerleave", () => hover(undefined));
  // Not "click": what is under the pointer may be drawn anew between pressing and letting go, and then there is none.
  let pressed;
  plane.addEventListener("pointerdown", ({ clientX, clientY, button }) => {
    pressed = button === 0 ? [clientX, clientY] : undefined;
  });
  plane.addEventListener("pointerup", ({ clientX, clientY }) => {
    if (!pressed || Math.hypot(clientX - pressed[0], clientY - pressed[1]) > MOST_WOBBLE) return;
    const target = document.elementFromPoint(clientX, clientY);
    const event = eventAt(target);
    const fold = target.closest("[data-fold]")?.dataset.fold;
    if (event !== undefined) show({ step: Number(event) + 1 }, { reveal: false });
    if (fold !== undefined) show({ opened: new Set([...view.opened, Number(fold)]) }, { reveal: false });
  });
  new ResizeObserver(() => show({}, { reveal: false, relay: true })).observe(scroll);
}
