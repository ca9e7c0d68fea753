// What is looked at now, and how that changes. Everything that is drawn follows from this.

const view = {
  execution: 0,
  /** So many events have happened. */
  step: 0,
  /** The event under the pointer, if there is one. */
  hovered: undefined,
  /** Is the order around the current event shown, without a pointer? */
  pinned: false,
  /** Are stretches folded that need not be read? */
  folded: true,
  /** Folds that were opened by hand. */
  opened: new Set(),
  /** Groups of lanes that are shown as one. */
  collapsed: new Set(),
  /** On narrow screens one part is shown at a time. */
  tab: "lanes",
  /** Words that are looked for. */
  sought: "",
};

/** More lanes than this, and large groups are shown as one until somebody asks for them. */
const MANY_LANES = 16;
const LARGE_GROUP = 6;

/** The layout, as long as nothing changes that it depends on. */
let layout;
/** What draws itself: called with what is looked at, and whether the layout is new. */
const drawers = [];

function current() {
  return prepared(view.execution);
}

/** Looks at something else. `reveal` scrolls to the current event; `relay` lays everything out anew, because there is another amount of room for it. */
function show(change, { reveal = true, relay = false } = {}) {
  const before = { ...view };
  Object.assign(view, change);
  const execution = current();
  view.step = Math.max(0, Math.min(view.step, execution.events.length));
  const relaid = relay || !layout || ["execution", "folded", "opened", "collapsed"].some((name) => name in change);
  if (relaid) layout = lay(execution);
  const moved = before.step !== view.step || before.execution !== view.execution;
  drawers.forEach((drawer) => drawer(execution, { relaid, moved, another: before.execution !== view.execution }));
  if (reveal && (moved || relaid)) revealStep();
  remember();
}

/** Looks at another execution: at its failure, or its end. */
function showExecution(number, step) {
  const execution = prepared(number);
  view.hovered = undefined;
  show({
    execution: number,
    step: step ?? execution.failure,
    opened: new Set(),
    collapsed: collapsedAtFirst(execution),
  });
}

function collapsedAtFirst(execution) {
  const groups = groupsOf(execution);
  if (execution.lanes.length <= MANY_LANES) return new Set();
  return new Set([...groups].filter(([, lanes]) => lanes.length >= LARGE_GROUP).map(([group]) => group));
}

/** Looks at an event, even if it is in a fold. */
function showEvent(event) {
  const fold = layout.foldOf(event);
  const change = { step: event + 1 };
  if (fold !== undefined) change.opened = new Set([...view.opened, fold]);
  show(change);
}

/** The next place to stop at, forwards or backwards. What is folded is one step. */
function stepBy(direction) {
  const { stops } = layout;
  const here = stops.findIndex((stop) => stop >= view.step);
  const exact = stops[here] === view.step;
  const next = direction > 0 ? (exact ? here + 1 : here) : here - 1;
  show({ step: stops[Math.max(0, Math.min(next, stops.length - 1))] });
}

/** The next event of the same task. */
function stepInTask(direction) {
  const execution = current();
  if (view.step === 0) return stepBy(direction);
  const { events } = execution.tasks[execution.events[view.step - 1].task];
  const next = events[events.indexOf(view.step - 1) + direction];
  if (next !== undefined) showEvent(next);
}

/** The address says what is looked at, so that it can be sent to somebody and survives a reload. */
function remember() {
  const words = [`execution=${view.execution + 1}`, `step=${view.step}`];
  try {
    history.replaceState(null, "", `#${words.join("&")}`);
  } catch {
    // Some browsers refuse that for files. Nothing depends on it.
  }
}

/** What the address asks for. */
function recall() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const execution = Number(asked.get("execution") ?? 1) - 1;
  const known = Number.isInteger(execution) && execution in page.executions;
  const step = asked.has("step") ? Number(asked.get("step")) : undefined;
  showExecution(known ? execution : 0, Number.isInteger(step) ? step : undefined);
}
