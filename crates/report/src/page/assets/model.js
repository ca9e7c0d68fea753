// The executions, with what is looked up again and again. The fields that come with the page are those of `model.rs`.

const page = JSON.parse(part("data").textContent);

/** Causes that are drawn as arrows. The others show when one asks what happens before an event. */
const ARROWS = ["post", "fork", "join", "signal", "lock", "cycle"];

/** An execution, prepared when it is first looked at. */
function prepared(number) {
  const execution = page.executions[number];
  if (!execution.followers) prepare(execution);
  return execution;
}

function prepare(execution) {
  const { events, tasks, objects } = execution;
  execution.followers = events.map(() => []);
  tasks.forEach((task) => (task.events = []));
  objects.forEach((object) => (object.history = []));
  events.forEach((event, number) => {
    for (const [earlier, because] of event.after ?? []) execution.followers[earlier].push([number, because]);
    tasks[event.task].events.push(number);
    for (const [object, value] of event.changes ?? []) objects[object].history.push({ event: number, value });
  });
  const failing = events.findIndex((event) => event.faults);
  const pair = execution.verdict === "neutral" ? execution.why?.pair : undefined;
  execution.failure = failing >= 0 ? failing + 1 : pair ? pair[1] + 1 : events.length;
}

/** The lane of an event. */
function laneOf(execution, event) {
  return execution.tasks[execution.events[event].task].lane;
}

/** What an object holds after so many events, and the entry of its history that says so. */
function valueAfter(object, steps) {
  const { history } = object;
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (history[middle].event < steps) low = middle + 1;
    else high = middle;
  }
  const entry = history[low - 1];
  return {
    value: entry ? entry.value : object.initial,
    entry,
    before: low > 1 ? history[low - 2].value : object.initial,
  };
}

/** The messages that wait in the mailbox of each handler after so many events: lists by lane. */
function waitingAfter(execution, steps) {
  const waiting = new Map();
  for (const task of execution.tasks) {
    const lane = execution.lanes[task.lane];
    if (!lane.handler || task.creator === undefined || task.creator >= steps) continue;
    if (task.events.length > 0 && task.events[0] < steps) continue;
    if (!waiting.has(task.lane)) waiting.set(task.lane, []);
    waiting.get(task.lane).push(task);
  }
  for (const tasks of waiting.values()) tasks.sort((one, other) => one.creator - other.creator);
  return waiting;
}

/** The order around an event: what happens before it and after it. `of` says of another event `"past"`, `"future"` or nothing. */
function orderAround(execution, event) {
  const marks = new Uint8Array(execution.events.length);
  const walk = (next, mark) => {
    const open = [event];
    let found = 0;
    while (open.length > 0) {
      for (const [other] of next(open.pop())) {
        if (marks[other] !== 0 || other === event) continue;
        marks[other] = mark;
        found += 1;
        open.push(other);
      }
    }
    return found;
  };
  const before = walk((number) => execution.events[number].after ?? [], 1);
  const after = walk((number) => execution.followers[number], 2);
  return { event, before, after, of: (other) => [undefined, "past", "future"][marks[other]] };
}

/** `close.ed:4:3` of a place. */
function placeWords(place) {
  const column = place.column > 0 ? `:${place.column}` : "";
  return `${page.sources[place.source].name}:${place.line}${column}`;
}

/** A task as one would speak of it. */
function taskWords(execution, task) {
  const { name, lane } = execution.tasks[task];
  const { name: where, handler } = execution.lanes[lane];
  return handler ? `${name} on ${where}` : where;
}
