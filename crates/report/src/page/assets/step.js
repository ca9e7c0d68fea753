// The current step in words: who, what, where, what is wrong, and how much happens before it.

drawers.push((execution, { moved, relaid }) => {
  if (moved || relaid) drawStep(execution);
});

function drawStep(execution) {
  const event = execution.events[view.step - 1];
  put(
    part("step"),
    event ? wordsOfStep(execution, event) : [make("h2", {}, "Before the first step")],
    faultsAt(execution).map((fault) => drawFault(execution, fault)),
  );
}

function wordsOfStep(execution, event) {
  const around = orderAround(execution, view.step - 1);
  const unordered = execution.events.length - 1 - around.before - around.after;
  return [
    make("h2", {}, `Step ${view.step} `, make("span", { class: "of" }, `of ${execution.events.length}`)),
    make("p", { class: "who" }, taskWords(execution, event.task)),
    make("p", { class: "did" }, event.words),
    event.place && make("p", { class: "where" }, placeWords(event.place)),
    make(
      "p",
      { class: "order" },
      `${around.before} before it, ${around.after} after it, ${unordered} in no order with it`,
    ),
  ];
}

/** What is wrong, with what the failed check saw and who wrote that. */
function drawFault(execution, fault) {
  const values = (fault.values ?? []).map(({ name, value, writer }) =>
    make(
      "li",
      {},
      make("code", {}, `${name} = ${value}`),
      writer !== undefined && [", written by ", stepLink(execution, writer)],
    ),
  );
  return make(
    "div",
    { class: "wrong" },
    make("strong", {}, fault.words),
    fault.place && make("p", { class: "where" }, placeWords(fault.place)),
    values.length > 0 && make("ul", {}, values),
  );
}

/** A link to a step, named after its task. */
function stepLink(execution, event) {
  return make(
    "button",
    { class: "link", click: () => showEvent(event) },
    `${taskWords(execution, execution.events[event].task)} in step ${event + 1}`,
  );
}
