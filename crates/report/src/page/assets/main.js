// The beginning.

const TABS = [
  ["lanes", "Order"],
  ["state", "State"],
  ["source", "Source"],
  ["list", "Executions"],
];

/** On narrow screens there is room for one part at a time. */
function drawTabs() {
  document.body.dataset.tab = view.tab;
  const shown = TABS.filter(([tab]) => tab !== "list" || page.executions.length > 1);
  const tabs = shown.map(([tab, words]) =>
    make(
      "button",
      { role: "tab", "aria-selected": String(tab === view.tab), click: () => show({ tab }, { relay: true }) },
      words,
    ),
  );
  put(part("tabs"), ...tabs);
}

if (page.executions.length === 0) {
  put(part("head"), make("h1", {}, page.title), ...page.facts.map((fact) => make("p", {}, fact)));
} else {
  drawers.unshift(drawTabs);
  recall();
  listenToDiagram();
  listenToOverview();
  listenToKeys();
  addEventListener("hashchange", recall);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show({}, { reveal: false, relay: true }));
  part("scroll").focus({ preventScroll: true });
}
