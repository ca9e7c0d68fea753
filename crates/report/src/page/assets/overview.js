// The whole execution in a strip: each event a dot in its lane. A click goes there.

drawers.push((execution, { relaid, moved }) => {
  if (relaid) drawOverview(execution);
  if (relaid || moved) drawWindow();
});

function drawOverview(execution) {
  const strip = part("overview");
  const canvas = strip.querySelector("canvas");
  const { width, height } = strip.getBoundingClientRect();
  if (width === 0 || height === 0) return;
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  // The canvas takes colours, not names of colours: the element resolves them.
  const colour = (name) => {
    canvas.style.color = `var(${name})`;
    return getComputedStyle(canvas).color;
  };
  const colours = {
    start: colour("--post"),
    create: colour("--post"),
    write: colour("--write"),
    sync: colour("--lock"),
    read: colour("--faint"),
    local: colour("--faint"),
  };
  const step = width / layout.columns.length;
  const size = Math.max(1, Math.min(4, (height / layout.height) * 20));
  const columns = new Map(layout.columns.map((column, number) => [column, number]));
  const mark = (event, fill, extra) => {
    const { top } = layout.rows[layout.rowOf[event]];
    const x = columns.get(layout.columnOf[laneOf(execution, event)]) * step;
    pen.fillStyle = fill;
    pen.fillRect(x + step * 0.1, (top / layout.height) * height, Math.max(1.5, step * 0.8), size + extra);
  };
  execution.events.forEach((event, number) => mark(number, colours[event.kind], 0));
  for (const event of execution.why?.pair ?? []) mark(event, colour("--decides"), 2);
  execution.events.forEach((event, number) => event.faults && mark(number, colour("--bad"), 2));
}

/** What of it can be seen beside it. */
function drawWindow() {
  const strip = part("overview");
  const { scrollTop } = part("scroll");
  const space = spaceForRows();
  const share = strip.clientHeight / Math.max(layout.height, 1);
  const { style } = strip.querySelector(".window");
  style.top = `${scrollTop * share}px`;
  style.height = `${Math.max(6, space * share)}px`;
  strip.classList.toggle("needless", layout.height <= space);
}

function listenToOverview() {
  const strip = part("overview");
  const go = ({ clientY, buttons, type }) => {
    if (type === "pointermove" && buttons === 0) return;
    const { top, height } = strip.getBoundingClientRect();
    const scroll = part("scroll");
    scroll.scrollTop = ((clientY - top) / height) * layout.height - spaceForRows() / 2;
  };
  strip.addEventListener("pointerdown", go);
  strip.addEventListener("pointermove", go);
}
