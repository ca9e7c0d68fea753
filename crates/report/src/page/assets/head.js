// What stands above everything: the verdict, what is wrong, why, and what was explored.

const VERDICTS = { fails: "fails", passes: "passes" };
const OTHERS = { fails: "see the one that fails", passes: "see the one that passes", neutral: "see the other one" };

drawers.push((execution, { another, relaid }) => {
  if (another || relaid) drawHead(execution);
});

function drawHead(execution) {
  document.body.dataset.verdict = execution.verdict;
  put(
    part("head"),
    make(
      "div",
      { class: "headline" },
      execution.verdict in VERDICTS &&
        make("span", { class: `verdict ${execution.verdict}` }, VERDICTS[execution.verdict]),
      make("h1", {}, execution.name),
      make("p", { class: "subject" }, page.subject),
    ),
    execution.why && drawWhy(execution),
    ...execution.notes.map((note) => make("p", { class: "note" }, note)),
    drawMore(execution),
  );
}

function drawWhy(execution) {
  const { words, pair, other, parts } = execution.why;
  const links = (pair ?? []).map((event) =>
    make("button", { class: "link", click: () => showEvent(event) }, `step ${event + 1}`),
  );
  const compare =
    other !== undefined &&
    make(
      "button",
      { class: "link", click: () => showExecution(other, parts === undefined ? undefined : parts + 1) },
      OTHERS[page.executions[other].verdict],
    );
  return make(
    "p",
    { class: "why" },
    words,
    links.length > 0 && [" (", links[0], " before ", links[1], ")"],
    compare && [" · ", compare],
  );
}

/** What one reads once, folded away. */
function drawMore(execution) {
  if (page.facts.length === 0 && !execution.replay) return null;
  const replay = execution.replay && make("p", {}, "To see it again: ", make("code", {}, execution.replay));
  return make(
    "details",
    { class: "more" },
    make("summary", {}, "About this exploration"),
    ...page.facts.map((fact) => make("p", {}, fact)),
    replay,
  );
}
