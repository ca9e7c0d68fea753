// What a page looks like when nothing is left to do.

// The document in a frame, where it may be seen.
function contentOf(node) {
  if (!(node instanceof W.HTMLIFrameElement)) return null;
  try { return node.contentDocument && node.contentDocument.documentElement; } catch { return null; }
}

function canonical(node) {
  if (node.nodeType === 3) return node.data.replace(/[&<]/g, (c) => (c === "&" ? "&amp;" : "&lt;"));
  if (node.nodeType === 8) return `<!--${node.data}-->`;
  if (node.nodeType !== 1) return [...node.childNodes].map(canonical).join("\n");
  const attributes = [...node.attributes].filter((a) => a.name !== MARK).map((a) => [a.name, a.name === "class" ? [...node.classList].sort().join(" ") : withoutChance(a.value)]);
  if (node instanceof W.HTMLInputElement && node.type !== "file") {
    attributes.push(["·value", node.value]);
    if (node.checked) attributes.push(["·checked", ""]);
  } else if (node instanceof W.HTMLTextAreaElement || node instanceof W.HTMLSelectElement) {
    attributes.push(["·value", node.value]);
  }
  attributes.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const open = node.localName + attributes.map(([name, value]) => ` ${name}="${value.replace(/"/g, "&quot;")}"`).join("");
  const parts = [...node.childNodes].map(canonical);
  const shadow = shadows.get(node);
  if (shadow) parts.unshift(`<#shadow>\n${canonical(shadow)}\n</#shadow>`);
  const framed = contentOf(node);
  if (framed) parts.unshift(canonical(framed));
  const inner = parts.join("\n");
  return inner ? `<${open}>\n${inner}\n</${node.localName}>` : `<${open}></${node.localName}>`;
}

const HEAP_NODES = 20000;
const HEAP_DEPTH = 12;

// Every path from `window` to a value, without what every page has. Shared objects are told by the
// first path that leads to them.
function heap() {
  const found = {};
  const first = new native.Map();
  let budget = HEAP_NODES;
  const queue = [];
  const say = (path, value) => { if (budget-- > 0) found[path] = value; };
  const visit = (path, value, depth) => {
    if (budget <= 0) return;
    switch (typeof value) {
      case "string": say(path, JSON.stringify((value = withoutChance(value)).length > 300 ? value.slice(0, 300) + "…" : value)); return;
      case "function": {
        say(path, "function " + value.name);
        if (!first.has(value)) { first.set(value, path); queue.push([path, value, depth]); }
        return;
      }
      case "object": break;
      default: say(path, String(value)); return;
    }
    if (value === null) { say(path, "null"); return; }
    if (value === W) { say(path, "window"); return; }
    if (first.has(value)) { say(path, "→ " + first.get(value)); return; }
    first.set(value, path);
    if (value instanceof W.Node) { say(path, "node " + (value.isConnected ? pathOf(value) : describe(value) + " (detached)")); return; }
    queue.push([path, value, depth]);
  };
  const enter = (path, value, depth) => {
    if (depth > HEAP_DEPTH) { say(path, "…"); return; }
    if (typeof value !== "function") say(path, Array.isArray(value) ? `array of ${value.length}` : native.Object.prototype.toString.call(value).slice(8, -1));
    if (value instanceof RealDate) { say(path, value.getTime() + ""); return; }
    if (value instanceof W.Map || value instanceof Set) {
      let i = 0;
      for (const [key, inner] of disguise.get(value.entries).call(value)) visit(`${path}{${isObject(key) ? i : String(key)}}`, inner, depth + 1), i++;
      return;
    }
    for (const key of native.baselineKeys(value)) {
      const own = native.Object.getOwnPropertyDescriptor(value, key);
      if (!own || !("value" in own)) continue;
      visit(/^[\w$]+$/.test(key) ? (/^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`) : `${path}[${JSON.stringify(key)}]`, own.value, depth + 1);
    }
  };
  for (const key of native.baselineKeys(W)) {
    if (native.baseline.has(key) || key.startsWith(NAME)) continue;
    const own = native.Object.getOwnPropertyDescriptor(W, key);
    if (own && "value" in own) visit(key, own.value, 0);
  }
  while (queue.length > 0 && budget > 0) enter(...queue.shift());
  for (const storage of ["localStorage", "sessionStorage"]) {
    try { for (const key of native.baselineKeys(W[storage])) say(`${storage}.${key}`, JSON.stringify(disguise.get(getItem).call(W[storage], key))); } catch { /* No storage here. */ }
  }
  try { if (document.cookie) say("document.cookie", JSON.stringify(document.cookie)); } catch { /* No cookies here. */ }
  databaseContents(say);
  if (budget <= 0) note("the heap is compared up to " + HEAP_NODES + " values");
  return found;
}
const functionKeys = new Set(["length", "name", "prototype", "arguments", "caller"]);
const ownKeys = disguise.get(Object.getOwnPropertyNames) || Object.getOwnPropertyNames;
native.baselineKeys = (value) => {
  const keys = ownKeys(value);
  if (typeof value === "function") return keys.filter((key) => !functionKeys.has(key));
  return Array.isArray(value) ? keys.filter((key) => key !== "length") : keys;
};

function pathOf(node) {
  const parts = [];
  for (; node && node !== document; node = node.parentNode) {
    parts.unshift(node.nodeType === 1 ? (node.id ? "#" + node.id : node.localName) + "[" + [...node.parentNode.childNodes].indexOf(node) + "]" : "text");
    if (node.nodeType === 1 && node.id) break;
  }
  return parts.join("/");
}

function finalState(expressions) {
  const asserts = expressions.map((expression) => {
    try { return [expression, Boolean(helpers.eval.call(W, expression)), ""]; } catch (error) { return [expression, false, String(error)]; }
  });
  judgeWrites();
  return JSON.stringify({ dom: document.documentElement ? canonical(document.documentElement) : "", heap: heap(), asserts, address: location.pathname + location.search + location.hash, notes });
}

// Before the picture is taken: a caret blinks.
function still() {
  const style = document.createElement("style");
  style.textContent = "*{caret-color:transparent!important}";
  (document.head || document.documentElement).appendChild(style);
}

define(W, NAME, { step, settled, settledWithWorkers, act, begin, report, present, handlers, accesses, finalState, still, adoptFrame });

// A picture that never comes until the driver says so holds back `load`.
const loadGate = document.createElement("img");
loadGate.src = CONFIG.origin + "/" + SELF + "/load";
native.loadGate = loadGate;
