// The executions of this page.

const HEADINGS = { fails: "Failing", passes: "Passing", neutral: "Others" };

drawers.push((execution, { another, relaid }) => {
  if (another || relaid) drawList();
});

function drawList() {
  const list = part("list");
  list.hidden = page.executions.length < 2;
  if (list.hidden) return;
  const items = [];
  for (const verdict of ["fails", "passes", "neutral"]) {
    const numbers = page.executions.flatMap((one, number) => (one.verdict === verdict ? [number] : []));
    if (numbers.length === 0) continue;
    items.push(make("h2", {}, HEADINGS[verdict], " ", make("span", { class: "count" }, String(numbers.length))));
    items.push(...numbers.map(drawItem));
  }
  put(list, ...items);
  list.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
}

function drawItem(number) {
  const { name, verdict, events, tasks } = page.executions[number];
  const chosen = number === view.execution;
  return make(
    "button",
    {
      class: `item ${verdict}${chosen ? " chosen" : ""}`,
      "aria-current": chosen ? "true" : undefined,
      "data-execution": number,
      click: () => showExecution(number),
    },
    make("span", { class: "name" }, name),
    make("span", { class: "size" }, `${count(events.length, "event")}, ${count(tasks.length, "task")}`),
  );
}
