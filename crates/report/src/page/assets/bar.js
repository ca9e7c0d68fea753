// Stepping by hand, and what else there is to press.

drawers.push((execution, { moved, relaid }) => {
  if (!part("bar").firstChild) makeBar();
  if (moved || relaid) drawBar(execution);
});

const THEMES = ["auto", "light", "dark"];

function makeBar() {
  const press = (id, words, title, click) => make("button", { id, title, "aria-label": title, click }, words);
  put(
    part("bar"),
    make(
      "div",
      { class: "steps" },
      press("first", "⇤", "To the beginning (Home)", () => show({ step: 0 })),
      press("previous", "←", "One step back (←)", () => stepBy(-1)),
      press("next", "→", "One step on (→)", () => stepBy(1)),
      press("last", "⇥", "To the end (End)", () => show({ step: current().events.length })),
    ),
    make("input", {
      id: "slider",
      type: "range",
      min: 0,
      value: 0,
      "aria-label": "Step",
      input: ({ target }) => show({ step: Number(target.value) }),
    }),
    make("output", { id: "where" }),
    press("failure", "✗ failure", "To the failure (f)", () => show({ step: current().failure })),
    press("folds", "", "Show or hide what need not be read (e)", toggleFolds),
    press("groups", "", "Lanes of one kind as one, or each for itself (c)", toggleGroups),
    press("order", "order", "What happens before and after this step (o)", () =>
      show({ pinned: !view.pinned }, { reveal: false }),
    ),
    make("input", {
      id: "find",
      type: "search",
      placeholder: "find  /",
      "aria-label": "Find events",
      input: ({ target }) => show({ sought: target.value.trim().toLowerCase() }, { reveal: false }),
      keydown: findNext,
    }),
    press("theme", "", "Light or dark (t)", nextTheme),
    press("keys", "?", "All keys (?)", showHelp),
  );
}

function drawBar(execution) {
  const total = execution.events.length;
  const slider = part("slider");
  slider.max = total;
  slider.value = view.step;
  part("where").textContent = `${view.step} / ${total}`;
  part("previous").disabled = part("first").disabled = view.step === 0;
  part("next").disabled = part("last").disabled = view.step === total;
  part("failure").hidden = execution.verdict !== "fails";
  part("folds").hidden = execution.folds.length === 0;
  part("folds").textContent = view.folded && view.opened.size < execution.folds.length ? "unfold" : "fold";
  const groups = collapsible(execution);
  part("groups").hidden = groups.length === 0;
  part("groups").textContent = view.collapsed.size > 0 ? "all lanes" : "fewer lanes";
  part("order").setAttribute("aria-pressed", String(view.pinned));
  part("theme").textContent = { auto: "◐", light: "☀", dark: "☾" }[document.documentElement.dataset.theme ?? "auto"];
}

function toggleFolds() {
  const isFolded = view.folded && view.opened.size < current().folds.length;
  show({ folded: !isFolded, opened: new Set() });
}

function collapsible(execution) {
  return [...groupsOf(execution)].filter(([, lanes]) => lanes.length > 1).map(([group]) => group);
}

function toggleGroups() {
  show({ collapsed: view.collapsed.size > 0 ? new Set() : new Set(collapsible(current())) });
}

/** Light, dark, or as the system has it. */
function nextTheme() {
  const { dataset } = document.documentElement;
  const next = THEMES[(THEMES.indexOf(dataset.theme ?? "auto") + 1) % THEMES.length];
  if (next === "auto") delete dataset.theme;
  else dataset.theme = next;
  show({}, { reveal: false, relay: true });
}

function isSought(event) {
  return view.sought !== "" && event.words.toLowerCase().includes(view.sought);
}

/** Enter goes to the next event that is looked for, with the shift key to the one before. */
function findNext(press) {
  if (press.key === "Escape") {
    press.target.value = "";
    press.target.blur();
    show({ sought: "" }, { reveal: false });
  }
  if (press.key !== "Enter" || view.sought === "") return;
  const { events } = current();
  const direction = press.shiftKey ? -1 : 1;
  for (let tried = 1; tried <= events.length; tried++) {
    const event = (((view.step - 1 + direction * tried) % events.length) + events.length) % events.length;
    if (isSought(events[event])) return showEvent(event);
  }
}
