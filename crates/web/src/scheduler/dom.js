// The document as shared memory. Changes are what the browser's own mutation observer tells at the end
// of each microtask; reads are told by the rewritten scripts and by wrapped queries.

// The event that put a node into the document.
const creators = new native.WeakMap();
// Gates and scripts that the parser has come to.
const arrived = [];
const selectors = new native.Map();

function describe(node) {
  if (node === document || node === W) return node === W ? "window" : "document";
  if (!(node instanceof W.Node)) return node.constructor ? node.constructor.name : "object";
  if (node.nodeType !== 1) return node.parentNode ? describe(node.parentNode) : "#text";
  if (node.id) return "#" + node.id;
  const name = node.localName;
  if (name === "body" || name === "head" || name === "html") return name;
  const first = node.classList && node.classList[0];
  return first ? name + "." + first : name;
}

const nodeLocations = new native.WeakMap();
function touchNode(node, aspect, mode, site) {
  let aspects = nodeLocations.get(node);
  if (aspects === undefined) nodeLocations.set(node, aspects = new native.Map());
  let location = aspects.get(aspect);
  if (location === undefined) aspects.set(aspect, location = new Location("!", describe(node) + " " + aspect));
  return touch(location, mode, site === undefined ? lastSite : site);
}
function touchHandlers(target, type, mode, site) { return touchNode(target, "on" + type, mode, site); }

const READS_CHILDREN = new Set(["children", "childNodes", "firstChild", "lastChild", "firstElementChild", "lastElementChild", "childElementCount",
  "innerHTML", "outerHTML", "innerText", "textContent", "hasChildNodes", "cloneNode", "length", "options", "elements", "rows", "cells"]);
const WRITES_CHILDREN = new Set(["innerHTML", "innerText", "textContent"]);
const READS_SIBLINGS = new Set(["nextSibling", "previousSibling", "nextElementSibling", "previousElementSibling", "parentNode", "parentElement"]);
const READS_VALUE = new Set(["value", "checked", "selectedIndex", "selected", "files"]);
const READS_ATTRIBUTE = new native.Map([["className", "class"], ["classList", "class"], ["src", "src"], ["href", "href"], ["disabled", "disabled"],
  ["hidden", "hidden"], ["title", "title"], ["alt", "alt"], ["name", "name"], ["complete", "src"]]);

function nodeAccess(node, key, mode, site) {
  if (typeof key === "symbol") return;
  if (key.startsWith("on") && key in node) {
    if (mode === WRITE) touchHandlers(node, key.slice(2), WRITE, site);
    return;
  }
  if (READS_VALUE.has(key) && key in node) {
    if (mode === READ) touchNode(node, "value", READ, site);
    else {
      const entry = touchNode(node, "value", WRITE, site);
      const before = node[key];
      written.push({ entry, mode: WRITE, same: () => node[key] === before });
    }
    return;
  }
  if (node === document) {
    if (key === "readyState") touchNamed("document.readyState", READ, site);
    if (key === "cookie") touchNamed("cookie", mode, site);
    if (key === "title") touchNamed("document.title", mode, site);
    if (key === "activeElement") touchNamed("document.activeElement", READ, site);
    if (key in node) return;
  }
  // The browser tells of changes; whoever writes what is there already is told by nobody else.
  const kept = WRITES_CHILDREN.has(key) ? "children" : READS_ATTRIBUTE.get(key);
  if (mode === WRITE && kept && key in node) { touchNode(node, kept, KEEP, site); return; }
  if (mode === READ && READS_CHILDREN.has(key)) { touchNode(node, "children", READ, site); return; }
  if (mode === READ && READS_SIBLINGS.has(key)) { if (node.parentNode) touchNode(node.parentNode, "children", READ, site); return; }
  if (mode === READ && READS_ATTRIBUTE.has(key)) { touchNode(node, READS_ATTRIBUTE.get(key), READ, site); return; }
  if (key in node && !hasOwn.call(node, key)) return;
  const record = recordOf(node);
  if (mode === READ) touch(propertyOf(record, key), READ, site); else writeProperty(node, record, key, site);
}

// Queries read the set of nodes that they find; whoever changes that set writes it.
function queried(selector) {
  selector = String(selector).trim();
  if (selector === "" || selectors.size > 500) return;
  if (!selectors.has(selector)) {
    let found;
    try { found = native.querySelectorAll.call(document, selector); } catch { return; }
    selectors.set(selector, true);
    // Those who have inserted what is there have written it before anybody asked.
    const location = new Location("!", selector);
    named.set("? " + selector, location);
    const seen = new Set();
    for (const node of found) {
      const creator = creators.get(node);
      if (creator !== undefined && creator !== current) seen.add(creator);
    }
    const asking = current;
    for (const creator of [...seen].sort((a, b) => a - b)) {
      current = creator;
      touch(location, WRITE, 0);
    }
    current = asking;
  }
  touchNamed("? " + selector, READ);
}
function wroteSelector(selector) { touchNamed("? " + selector, WRITE); }

const escapeName = (name) => (W.CSS && W.CSS.escape ? W.CSS.escape(String(name)) : String(name));
wrap(W.Document.prototype, "getElementById", (original) => function (id) { queried("#" + escapeName(id)); return original.call(this, id); });
wrap(W.Document.prototype, "getElementsByName", (original) => function (name) { queried(`[name="${escapeName(name)}"]`); return original.call(this, name); });
for (const prototype of [W.Document.prototype, W.Element.prototype, W.DocumentFragment.prototype]) {
  for (const name of ["querySelector", "querySelectorAll"]) {
    wrap(prototype, name, (original) => function (selector) { if (attached(this)) queried(selector); return original.call(this, selector); });
  }
}
for (const prototype of [W.Document.prototype, W.Element.prototype]) {
  wrap(prototype, "getElementsByClassName", (original) => function (names) {
    if (attached(this)) queried(String(names).trim().split(/\s+/).map((name) => "." + escapeName(name)).join(""));
    return original.call(this, names);
  });
  wrap(prototype, "getElementsByTagName", (original) => function (name) { if (attached(this)) queried(name); return original.call(this, name); });
}
wrap(W.Element.prototype, "getAttribute", (original) => function (name) { touchNode(this, String(name), READ); return original.call(this, name); });
wrap(W.Element.prototype, "hasAttribute", (original) => function (name) { touchNode(this, String(name), READ); return original.call(this, name); });
function attached(node) { return node.isConnected; }

for (const name of ["getItem"]) {
  wrap(W.Storage.prototype, name, (original) => function (key) { touchNamed("storage " + key, READ); return original.call(this, key); });
}
const getItem = W.Storage.prototype.getItem;
for (const name of ["setItem", "removeItem"]) {
  wrap(W.Storage.prototype, name, (original) => function (...args) {
    changeNamed("storage " + args[0], () => disguise.get(getItem).call(this, args[0]));
    return original.apply(this, args);
  });
}
wrap(W.Storage.prototype, "clear", (original) => function () {
  for (const key of native.Object.keys(this)) touchNamed("storage " + key, WRITE);
  return original.call(this);
});
for (const name of ["pushState", "replaceState"]) {
  wrap(W.History.prototype, name, (original) => function (...args) { touchNamed("location", WRITE); return original.apply(this, args); });
}

// Listeners.
wrap(W.EventTarget.prototype, "addEventListener", (original) => function (type, listener, options) {
  const target = this === undefined || this === null ? W : this;
  if (listener) {
    touchHandlers(target, String(type), ADD);
    if (target instanceof W.Element) listening(target, String(type));
  }
  return original.call(target, type, listener, options);
});
wrap(W.EventTarget.prototype, "removeEventListener", (original) => function (type, listener, options) {
  const target = this === undefined || this === null ? W : this;
  touchHandlers(target, String(type), WRITE);
  return original.call(target, type, listener, options);
});
const listeners = new native.Map();
function listening(target, type) {
  let types = listeners.get(target);
  if (types === undefined) listeners.set(target, types = new Set());
  types.add(type);
}

// Events that the browser sends to elements, attached or not, read their handlers. They come after the event that has made the
// element, the one that has put it into the document, and the one that has given it its address.
function loaded(element, type) {
  touchHandlers(element, type, READ, 0);
  if (element.localName === "img" || element.localName === "iframe") touchNode(element, "src", READ, 0);
  for (const causing of [makers, creators, addressers]) causedBy(causing.get(element));
}
const makers = new native.WeakMap();
const addressers = new native.WeakMap();
function watchLoads(element) {
  makers.set(element, current);
  for (const type of ["load", "error"]) {
    native.addEventListener.call(element, type, () => loaded(element, type), { once: true });
  }
}
const LOADS = new Set(["img", "script", "link", "iframe", "object", "video", "audio"]);
wrap(W.Document.prototype, "createElement", (original) => function (...args) {
  const element = original.apply(this, args);
  if (LOADS.has(element.localName)) watchLoads(element);
  return element;
});
W.Image = new Proxy(W.Image, {
  construct(target, args, self) { const image = Reflect.construct(target, args, self); watchLoads(image); return image; },
});
for (const type of ["load", "error"]) {
  native.addEventListener.call(document, type, (event) => {
    if (event.target instanceof W.Element) loaded(event.target, type);
  }, true);
}
// Another address calls the picture off that was to come. In the document changes are seen anyway.
function addressed(image, address) {
  addressers.set(image, current);
  if (!image.isConnected) touchNode(image, "src", WRITE);
  // What stands in its address nobody can hold: it comes with the event that asks for it.
  if (/^(data|blob):/.test(address)) busyUntil(image, "load", "error");
}
for (const name of ["src", "srcset"]) {
  wrapAccessor(W.HTMLImageElement.prototype, name, null, (original) => function (address) {
    addressed(this, String(address));
    original.call(this, address);
  });
}
wrap(W.Element.prototype, "setAttribute", (original) => function (name, value) {
  if (this.localName === "img" && /^src(set)?$/i.test(name)) addressed(this, String(value));
  else touchNode(this, String(name), KEEP);
  return original.call(this, name, value);
});
native.addEventListener.call(document, "DOMContentLoaded", () => {
  touchHandlers(document, "DOMContentLoaded", READ, 0);
  touchNamed("document.readyState", WRITE, 0);
}, true);
native.addEventListener.call(W, "load", (event) => {
  if (event.target !== document && event.target !== W) return;
  touchHandlers(W, "load", READ, 0);
  touchNamed("document.readyState", WRITE, 0);
}, true);

// Scripts without an address that are inserted run at once: they are rewritten on the way.
function prepare(node) {
  if (node instanceof W.HTMLScriptElement && !node.src && !node.isConnected && node.text && (!node.type || /javascript|module/.test(node.type))) {
    node.text = rewriteNow(node.text, node.type === "module" ? "module" : "script");
  }
}
for (const name of ["appendChild", "insertBefore", "replaceChild"]) {
  wrap(W.Node.prototype, name, (original) => function (node, ...rest) { prepare(node); return original.call(this, node, ...rest); });
}
for (const name of ["append", "prepend", "before", "after", "replaceWith"]) {
  wrap(W.Element.prototype, name, (original) => function (...nodes) { nodes.forEach(prepare); return original.apply(this, nodes); });
}

// Scripts that are written into the page stop the parser like those that stand there. The driver waits for them.
const writtenScripts = [];
const SCRIPT_TAG = /<script\b[^>]*?\ssrc\s*=\s*["']?([^"'\s>]+)[^>]*>/gi;
for (const name of ["write", "writeln"]) {
  wrap(W.Document.prototype, name, (original) => function (...texts) {
    for (const [tag, address] of texts.join("").matchAll(SCRIPT_TAG)) {
      const waits = !/\s(async|defer)\b|type\s*=\s*["']?module/i.test(tag);
      if (waits && URL.canParse(address, document.baseURI)) writtenScripts.push(new URL(address, document.baseURI).href);
    }
    return original.apply(this, texts);
  });
}

function inserted(node) {
  if (node.nodeType !== 1) return;
  creators.set(node, current);
  if (node.shadowRoot) watchShadow(node, node.shadowRoot);
  if (node.firstElementChild) {
    for (const inner of native.descendants.call(node, "*")) {
      creators.set(inner, current);
      if (inner.shadowRoot) watchShadow(inner, inner.shadowRoot);
    }
  }
  const mark = node.localName === "script" && node.getAttributeNode(MARK);
  if (mark) {
    arrived.push(Number(mark.value));
    node.removeAttributeNode(mark);
  }
}

// Which selectors a changed subtree concerns.
function concerned(node) {
  if (node.nodeType !== 1 || selectors.size === 0) return;
  for (const selector of selectors.keys()) {
    try {
      if (native.matches.call(node, selector) || (node.firstElementChild && W.Element.prototype.querySelector && disguise.get(W.Element.prototype.querySelector).call(node, selector))) wroteSelector(selector);
    } catch { /* A selector that does not hold outside its query. */ }
  }
}

const IGNORED_ATTRIBUTES = new Set(["style"]);
const observer = new MutationObserver((records) => mutated(records));
function mutated(records) {
  for (const record of records) {
    if (record.type === "childList") {
      const real = [...record.addedNodes, ...record.removedNodes].filter((node) => !isGate(node));
      for (const node of record.addedNodes) inserted(node);
      // A frame that is taken out does not load any more.
      for (const node of record.removedNodes) if (node.localName === "iframe") touchNode(node, "src", WRITE);
      if (real.length === 0) continue;
      touchNode(record.target, "children", WRITE);
      real.forEach(concerned);
    } else if (record.type === "attributes") {
      if (record.attributeName === MARK) continue;
      const name = record.attributeName;
      const { target, oldValue } = record;
      if (target.getAttributeNode(name) && target.getAttributeNode(name).value === oldValue) continue;
      const entry = touchNode(target, name, WRITE);
      written.push({ entry, mode: WRITE, same: () => (target.getAttributeNode(name) ? target.getAttributeNode(name).value : null) === oldValue });
      if (name === "class" || name === "id") concernedByName(record, name === "class" ? "." : "#");
    } else {
      touchNode(record.target.parentNode || record.target, "children", WRITE);
    }
  }
}
function isGate(node) { return node.nodeType === 1 && node.localName === "script" && node.src.includes("/" + SELF + "/"); }
function concernedByName(record, sign) {
  const value = record.target.getAttributeNode(record.attributeName);
  const names = new Set([...(record.oldValue || "").split(/\s+/), ...(value ? value.value : "").split(/\s+/)]);
  for (const selector of selectors.keys()) {
    for (const name of names) if (name && selector.includes(sign + name)) { wroteSelector(selector); break; }
  }
}
const EVERYTHING = { childList: true, subtree: true, attributes: true, attributeOldValue: true, characterData: true };
observer.observe(document, EVERYTHING);

// Shadow trees are documents of their own: the observer of the page does not look into them.
const shadows = new native.WeakMap();
function watchShadow(element, root) {
  if (shadows.has(element)) return;
  shadows.set(element, root);
  observer.observe(root, EVERYTHING);
}
wrap(W.Element.prototype, "attachShadow", (original) => function (...args) {
  const root = original.apply(this, args);
  watchShadow(this, root);
  return root;
});
