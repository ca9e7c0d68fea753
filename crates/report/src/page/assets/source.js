// The source with the current line. Long texts are drawn only where one looks.

const SOURCE_LINE = 20;
const SOURCE_MARGIN = 30;
/** The numbers of lines are so many characters wide. */
const SOURCE_NUMBER = 8;

/** Which source is shown: that of the current event, unless another one was asked for. */
let shownSource = 0;

drawers.push((execution, { moved, relaid }) => {
  if (!moved && !relaid) return;
  const place = currentPlace(execution);
  if (place) shownSource = place.source;
  drawSource(execution, true);
});

/** Where the current event stands, or what is wrong with the end. */
function currentPlace(execution) {
  const event = execution.events[view.step - 1];
  const fault = view.step === execution.events.length ? execution.end.faults?.find((one) => one.place) : undefined;
  return event?.place ?? fault?.place;
}

/** The lines of a source, with gaps where pieces are missing. */
function linesOf(source) {
  if (!source.all) {
    source.all = [];
    let next = 1;
    for (const { first, lines } of source.pieces) {
      if (first > next) source.all.push({ gap: first - next });
      lines.forEach((text, offset) => source.all.push({ number: first + offset, text }));
      next = first + lines.length;
    }
    source.rowOf = new Map(source.all.map((line, row) => [line.number, row]));
  }
  return source.all;
}

function drawSource(execution, reveal) {
  const section = part("source");
  const source = page.sources[shownSource];
  section.hidden = !source;
  if (!source) return;
  const lines = linesOf(source);
  if (lines.length === 0) {
    put(
      section,
      make("div", { class: "title" }, page.sources.map(sourceTab)),
      make("p", { class: "missing" }, "The text of this file is not part of the page."),
    );
    return;
  }
  let box = section.querySelector(".lines");
  if (!box || box.dataset.source !== String(shownSource)) {
    const tabs = page.sources.map((one, number) => sourceTab(one, number));
    const inner = make("div", { class: "inner" });
    box = make(
      "div",
      {
        class: "lines",
        "data-source": shownSource,
        tabindex: 0,
        role: "region",
        "aria-label": `Source of ${source.name}`,
      },
      inner,
    );
    box.addEventListener("scroll", () => drawLines(current(), box), { passive: true });
    const widest = lines.reduce((most, { text }) => Math.max(most, text ? widthOf(text) : 0), 0);
    inner.style.height = `${lines.length * SOURCE_LINE}px`;
    inner.style.width = `${widest + 9}ch`;
    put(section, make("div", { class: "title" }, ...tabs), box);
  }
  const place = currentPlace(execution);
  if (reveal && place && place.source === shownSource) {
    const top = (source.rowOf.get(place.line) ?? 0) * SOURCE_LINE;
    const space = box.clientHeight;
    if (top < box.scrollTop + SOURCE_LINE || top > box.scrollTop + space - 2 * SOURCE_LINE)
      box.scrollTop = top - space / 2;
    // Only a line that is too long is scrolled sideways.
    const left = (place.column + SOURCE_NUMBER) * characterWidth();
    box.scrollLeft = left < box.clientWidth - 2 * SOURCE_LINE ? 0 : left - box.clientWidth / 2;
  }
  drawLines(execution, box);
}

function sourceTab(source, number) {
  const chosen = number === shownSource;
  const choose = () => {
    shownSource = number;
    drawSource(current(), false);
  };
  return make(
    "button",
    { class: chosen ? "chosen" : undefined, "aria-pressed": String(chosen), click: choose },
    source.name,
  );
}

function drawLines(execution, box) {
  const source = page.sources[shownSource];
  const lines = linesOf(source);
  const place = currentPlace(execution);
  const here = place && place.source === shownSource ? place : undefined;
  const faults = faultsAt(execution).filter((fault) => fault.place?.source === shownSource);
  const first = Math.max(0, Math.floor(box.scrollTop / SOURCE_LINE) - SOURCE_MARGIN);
  const end = Math.min(lines.length, Math.ceil((box.scrollTop + box.clientHeight) / SOURCE_LINE) + SOURCE_MARGIN);
  const drawn = [];
  for (let row = first; row < end; row++) {
    const line = lines[row];
    const isHere = here && line.number === here.line;
    const isBad = faults.some((fault) => fault.place.line === line.number);
    const classes = ["line", isHere ? "here" : "", isBad ? "bad" : "", line.gap ? "gap" : ""].filter(Boolean).join(" ");
    const text = line.gap ? [`⋯ ${count(line.gap, "line")}`] : coloured(line.text, isHere ? here.column : 0);
    drawn.push(
      make(
        "div",
        { class: classes, style: `top:${row * SOURCE_LINE}px` },
        make("span", { class: "number" }, line.gap ? "" : String(line.number)),
        make("code", {}, ...text),
      ),
    );
  }
  put(box.firstElementChild, ...drawn);
}

/** What is wrong in the current step. */
function faultsAt(execution) {
  const own = execution.events[view.step - 1]?.faults ?? [];
  const final = view.step === execution.events.length ? (execution.end.faults ?? []) : [];
  return [...own, ...final];
}

/** Of both languages that are shown: `.ed` and Rust. */
const KEYWORDS = (
  "var param const handler message thread post to if else while for in assert assume atomic finally " +
  "invariant lock unlock mutex rwlock semaphore fork join choose mailbox fifo multiset let fn move async " +
  "await match return use pub struct impl mut loop break continue true false task acquire release with or " +
  "and not"
).split(" ");
const TOKENS = new RegExp(`(//.*$)|("(?:[^"\\\\]|\\\\.)*"?)|\\b(\\d[\\w.]*)\\b|\\b(${KEYWORDS.join("|")})\\b`, "g");
const TOKEN_NAMES = [undefined, "comment", "text", "figure", "keyword"];

/** A line in colours; what begins at the column is marked. */
function coloured(text, column) {
  const pieces = [];
  let done = 0;
  for (const match of text.matchAll(TOKENS)) {
    if (match.index > done) pieces.push({ from: done, text: text.slice(done, match.index) });
    const kind = TOKEN_NAMES[match.slice(1).findIndex((group) => group !== undefined) + 1];
    pieces.push({ from: match.index, text: match[0], kind });
    done = match.index + match[0].length;
  }
  if (done < text.length) pieces.push({ from: done, text: text.slice(done) });
  const marked = column > 0 ? /^(\w+|.)/u.exec([...text].slice(column - 1).join(""))?.[0] : undefined;
  const start = marked === undefined ? -1 : [...text].slice(0, column - 1).join("").length;
  return pieces.flatMap((piece) => pieceOf(piece, start, marked));
}

function pieceOf({ from, text, kind }, start, marked) {
  const wrapped = (words) => (kind ? make("span", { class: kind }, words) : words);
  if (start < from || start >= from + text.length) return [wrapped(text)];
  const offset = start - from;
  const length = Math.min(marked.length, text.length - offset);
  return [
    offset > 0 && wrapped(text.slice(0, offset)),
    make("mark", {}, text.slice(offset, offset + length)),
    offset + length < text.length && wrapped(text.slice(offset + length)),
  ].filter(Boolean);
}
