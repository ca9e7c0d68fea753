// Where things stand: columns for lanes, rows for events, folds, failures and the end. Time goes down.

const GUTTER = 56;
const GAP = 26;
const FIRST_GAP = 18;
const LINE = 18;
const ROW_PADDING = 10;
const CHIP_PADDING = 10;
const FEWEST_CHARACTERS = 12;
/** Columns are as wide as their words, but not wider than these: the first that lets everything stand side by side, or the last. */
const MOST_CHARACTERS = [60, 40, 34, 28, 24, 20, 17, 15, 13];
const MOST_CHARACTERS_IF_NONE_FITS = 24;

/** Lanes by group, in order; only groups of several can be shown as one. */
function groupsOf(execution) {
  const groups = new Map();
  execution.lanes.forEach((lane, number) => {
    if (!groups.has(lane.group)) groups.set(lane.group, []);
    groups.get(lane.group).push(number);
  });
  return groups;
}

function lay(execution) {
  const columns = columnsOf(execution);
  const columnOf = new Array(execution.lanes.length);
  columns.forEach((column) => column.lanes.forEach((lane) => (columnOf[lane] = column)));
  const space = part("scroll").clientWidth;
  const needed = charactersOf(execution, columns, columnOf);
  const fits = MOST_CHARACTERS.some((most) => placeColumns(columns, needed, most) <= space);
  const width = Math.max(fits ? 0 : placeColumns(columns, needed, MOST_CHARACTERS_IF_NONE_FITS), space);
  const { rows, height, rowOf, stops } = rowsOf(execution, columnOf);
  const foldOf = (event) => (rows[rowOf[event]].kind === "fold" ? rows[rowOf[event]].fold : undefined);
  return { columns, columnOf, width, rows, height, rowOf, stops, foldOf };
}

/** A column for each lane, or for a group that is shown as one. */
function columnsOf(execution) {
  const columns = [];
  for (const [group, lanes] of groupsOf(execution)) {
    const one = lanes.length > 1 && view.collapsed.has(group);
    if (one) columns.push({ name: group, group, lanes, collapsed: true, handler: execution.lanes[lanes[0]].handler });
    else
      for (const lane of lanes) {
        const { name, handler } = execution.lanes[lane];
        columns.push({ name, group: lanes.length > 1 ? group : undefined, lanes: [lane], collapsed: false, handler });
      }
  }
  return columns;
}

/** The words of an event in its column: where several lanes are shown as one, with the name of its own. */
function wordsIn(execution, event, column) {
  const { words, last } = execution.events[event];
  const end = last ? " ∎" : "";
  return column.collapsed ? `${execution.lanes[laneOf(execution, event)].name}: ${words}${end}` : words + end;
}

/** How many characters the widest words of each column have. */
function charactersOf(execution, columns, columnOf) {
  const needed = new Map(columns.map((column) => [column, Math.max(FEWEST_CHARACTERS, widthOf(column.name))]));
  execution.events.forEach((_, number) => {
    const column = columnOf[laneOf(execution, number)];
    const characters = widthOf(wordsIn(execution, number, column));
    if (characters > needed.get(column)) needed.set(column, characters);
  });
  return needed;
}

/** Places the columns, and gives the width of all. */
function placeColumns(columns, needed, most) {
  let left = GUTTER + FIRST_GAP;
  for (const column of columns) {
    column.characters = Math.min(most, needed.get(column));
    column.left = left;
    column.width = Math.ceil(column.characters * characterWidth()) + 2 * CHIP_PADDING + 4;
    left += column.width + GAP;
  }
  return left;
}

function rowsOf(execution, columnOf) {
  const { events, folds, end } = execution;
  const rows = [];
  const rowOf = new Int32Array(events.length);
  const stops = [0];
  const wide = Math.max(24, Math.floor((part("scroll").clientWidth - GUTTER - 60) / characterWidth()));
  let height = ROW_PADDING;
  const add = (row, lines) => {
    rows.push({ ...row, top: height, height: lines * LINE + ROW_PADDING });
    height += lines * LINE + ROW_PADDING;
  };
  const addFaults = (faults, event) => {
    for (const fault of faults ?? []) {
      const lines = wrap(`✗ ${fault.words}`, wide);
      add({ kind: "fault", lines, event }, lines.length);
    }
  };
  let fold = 0;
  for (let event = 0; event < events.length; event++) {
    while (fold < folds.length && folds[fold].to <= event) fold++;
    const folded = view.folded && fold < folds.length && folds[fold].from === event && !view.opened.has(fold);
    if (folded) {
      rowOf.fill(rows.length, event, folds[fold].to);
      add({ kind: "fold", fold, event, to: folds[fold].to }, 1);
      event = folds[fold].to - 1;
    } else {
      rowOf[event] = rows.length;
      const column = columnOf[laneOf(execution, event)];
      const lines = wrap(wordsIn(execution, event, column), column.characters);
      add({ kind: "event", event, lines }, lines.length);
      addFaults(events[event].faults, event);
    }
    stops.push(event + 1);
  }
  for (const words of [end.words, ...(end.waiting ?? [])].filter(Boolean)) {
    const lines = wrap(words, wide);
    add({ kind: "end", lines, event: events.length - 1 }, lines.length);
  }
  addFaults(end.faults, events.length - 1);
  return { rows, height: height + ROW_PADDING, rowOf, stops };
}

/** The rows between two heights: the first, and one past the last. */
function rowsBetween(top, bottom) {
  const { rows } = layout;
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].top + rows[middle].height < top) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < rows.length && rows[end].top < bottom) end++;
  return [low, end];
}

/** Breaks a text into lines of so many characters, between words where it can. */
function wrap(text, characters) {
  const lines = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (let word of paragraph.split(" ")) {
      if (line !== "" && widthOf(line) + 1 + widthOf(word) > characters) {
        lines.push(line);
        line = "";
      }
      while (widthOf(word) > characters) {
        const head = fitting(word, characters);
        lines.push(head);
        word = word.slice(head.length);
      }
      line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

/** As many characters of a word as fit, at least one. */
function fitting(word, characters) {
  let head = "";
  for (const character of word) {
    if (head !== "" && widthOf(head + character) > characters) break;
    head += character;
  }
  return head;
}

const PLAIN = /^[\x20-\x7e∎✗→…]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]/u;

/** How many characters of the usual width a text takes. */
function widthOf(text) {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}

let measured;
function characterWidth() {
  if (measured === undefined) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = getComputedStyle(part("plane")).font;
    measured = pen.measureText("0".repeat(100)).width / 100 || 8;
  }
  return measured;
}
