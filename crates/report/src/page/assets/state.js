// What variables, locks and mailboxes hold after the current step, and what the step changed.

/** Longer arrays show only their values; who wrote one shows when one points at it. */
const LONG_ARRAY = 12;
const ELEMENT = /^(.*?)((?:\[[^\[\]]*\])+)$/;

drawers.push((execution, { moved, relaid }) => {
  if (moved || relaid) drawState(execution);
});

function drawState(execution) {
  const changed = new Set((execution.events[view.step - 1]?.changes ?? []).map(([object]) => object));
  const read = new Set(execution.events[view.step - 1]?.reads ?? []);
  const rows = byArray(execution).map((entry) => rowOfState(execution, entry, changed, read));
  const waiting = waitingAfter(execution, view.step);
  const queues = execution.lanes
    .map((lane, number) => (lane.handler ? queueOf(lane, waiting.get(number) ?? []) : null))
    .filter(Boolean);
  const shown = queues.length > 12 ? queues.filter((queue) => !queue.classList.contains("empty")) : queues;
  put(
    part("state"),
    rows.length > 0 && make("h2", {}, `State after step ${view.step}`),
    rows.length > 0 && make("table", { class: "values" }, make("tbody", {}, rows)),
    queues.length > 0 && make("h2", {}, "Mailboxes"),
    queues.length > 0 &&
      make(
        "table",
        { class: "queues" },
        make("tbody", {}, shown.length > 0 ? shown : make("tr", {}, make("td", {}, "all are empty"))),
      ),
  );
}

/** Elements of an array stand in one row. */
function byArray(execution) {
  const entries = new Map();
  execution.objects.forEach((object, number) => {
    const match = ELEMENT.exec(object.name);
    const name = match ? match[1] : object.name;
    const key = `${object.kind} ${name}${match ? "[" : ""}`;
    if (!entries.has(key)) entries.set(key, { name, kind: object.kind, elements: [] });
    entries.get(key).elements.push({ number, index: match ? match[2] : "" });
  });
  return [...entries.values()];
}

function rowOfState(execution, { name, kind, elements }, changed, read) {
  const single = elements.length === 1;
  const cells = elements.map(({ number, index }) =>
    cellOf(execution, number, {
      index: single ? "" : index,
      isChanged: changed.has(number),
      isRead: read.has(number),
      isShort: elements.length > LONG_ARRAY,
    }),
  );
  const label = single ? name + elements[0].index : name;
  const sign = { lock: "lock", semaphore: "semaphore" }[kind];
  return make(
    "tr",
    { class: elements.some(({ number }) => changed.has(number)) ? "changed" : undefined },
    make("th", { scope: "row" }, label, sign && make("span", { class: "what" }, sign)),
    make("td", {}, cells),
  );
}

function cellOf(execution, number, { index, isChanged, isRead, isShort }) {
  const object = execution.objects[number];
  const { value, entry, before } = valueAfter(object, view.step);
  const shown = value ?? (object.kind === "lock" ? "free" : entry ? "written" : "initial");
  const classes = ["cell", isChanged ? "new" : "", isRead ? "read" : "", entry ? "" : "initial"]
    .filter(Boolean)
    .join(" ");
  const writer = entry && execution.events[entry.event];
  const title = entry
    ? `Step ${entry.event + 1}, ${taskWords(execution, writer.task)}: ${writer.words}`
    : "As at the beginning";
  const old = isChanged && before !== value && object.kind !== "lock" ? make("s", {}, before ?? "?") : null;
  const by =
    entry && (!isShort || isChanged)
      ? make("button", { class: "by", title, click: () => showEvent(entry.event) }, `${entry.event + 1}`)
      : null;
  return make(
    "span",
    { class: classes, title },
    index && make("span", { class: "index" }, index),
    old,
    old && " → ",
    make("b", {}, shown),
    by,
  );
}

function queueOf(lane, tasks) {
  const names = tasks.map((task) =>
    make(
      "button",
      { class: "message", title: `Posted in step ${task.creator + 1}`, click: () => showEvent(task.creator) },
      task.name,
    ),
  );
  return make(
    "tr",
    { class: tasks.length === 0 ? "empty" : undefined },
    make("th", { scope: "row" }, lane.name),
    make("td", {}, names.length > 0 ? names : make("span", { class: "nothing" }, "empty")),
  );
}
