// Keys, and the window that lists them.

const KEYS = [
  [["ArrowRight", "ArrowDown", "j", "l"], "→ ↓ j", "one step on", () => stepBy(1)],
  [["ArrowLeft", "ArrowUp", "k", "h"], "← ↑ k", "one step back", () => stepBy(-1)],
  [["J", "N"], "J", "on to the next event of this task", () => stepInTask(1)],
  [["K", "P"], "K", "back to the previous event of this task", () => stepInTask(-1)],
  [["Home"], "Home", "to the beginning", () => show({ step: 0 })],
  [["End"], "End", "to the end", () => show({ step: current().events.length })],
  [["f"], "f", "to the failure", () => show({ step: current().failure })],
  [["n"], "n", "the next execution", () => otherExecution(1)],
  [["p"], "p", "the previous execution", () => otherExecution(-1)],
  [["o"], "o", "what happens before and after this step", () => show({ pinned: !view.pinned }, { reveal: false })],
  [["e"], "e", "show or hide what need not be read", () => toggleFolds()],
  [["c"], "c", "lanes of one kind as one, or each for itself", () => toggleGroups()],
  [["t"], "t", "light or dark", () => nextTheme()],
  [["/"], "/", "find events", () => part("find").focus()],
  [["?"], "?", "these keys", () => showHelp()],
];

function otherExecution(direction) {
  const { length } = page.executions;
  if (length > 1) showExecution((view.execution + direction + length) % length);
}

function listenToKeys() {
  document.addEventListener("keydown", (press) => {
    if (press.ctrlKey || press.metaKey || press.altKey || part("help").open) return;
    if (press.target.matches("input[type=search]")) return;
    const entry = KEYS.find(([keys]) => keys.includes(press.key));
    if (!entry) return;
    press.preventDefault();
    entry[3]();
  });
}

const LEGEND = [
  ["post", "a message or thread begins"],
  ["join", "an end is waited for"],
  ["signal", "a signal lets go on"],
  ["lock", "a lock is handed over"],
  ["decides", "the order that decides"],
];

function showHelp() {
  const help = part("help");
  const keys = KEYS.map(([, name, words]) =>
    make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, name)), make("td", {}, words)),
  );
  const legend = LEGEND.map(([kind, words]) =>
    make("tr", {}, make("th", { scope: "row" }, make("span", { class: `sample ${kind}` })), make("td", {}, words)),
  );
  put(
    help,
    make("h2", {}, "Keys"),
    make("table", {}, make("tbody", {}, keys)),
    make("h2", {}, "Arrows"),
    make("table", {}, make("tbody", {}, legend)),
    make(
      "p",
      {},
      "Point at an event: what happens before it and after it stays bright. ∎ is the last event of its thread or message.",
    ),
    make("button", { click: () => help.close() }, "Close"),
  );
  help.showModal();
}
