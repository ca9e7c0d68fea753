// What a user does. The whole of an action is one event: all its parts are dispatched one after the other.

function find(selector) {
  try { return native.querySelector.call(document, selector); } catch { return null; }
}

// For the driver: the event that put an element there, if it is there. Without a selector the page is meant.
function present(selector) {
  if (selector === null) return document.body ? 1 : null;
  const element = find(selector);
  return element ? creators.get(element) || 1 : null;
}

function readPath(element, type) {
  for (let node = element; node; node = node.parentNode) touchHandlers(node, type, READ, 0);
  touchHandlers(W, type, READ, 0);
}

function fire(element, type, Kind, options) {
  readPath(element, type);
  return native.dispatchEvent.call(element, new Kind(type, native.Object.assign({ bubbles: true, cancelable: true, composed: true, view: W }, options)));
}

function mouse(element, type, options) {
  const box = element.getBoundingClientRect();
  const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, button: 0, detail: 1 };
  return fire(element, type, type.startsWith("pointer") ? PointerEvent : MouseEvent, native.Object.assign(at, options));
}

function focus(element) {
  const target = element.closest("input,textarea,select,button,a[href],[tabindex],[contenteditable]");
  if (target && document.activeElement !== target) {
    readPath(target, "focus");
    target.focus();
  } else if (!target && document.activeElement && document.activeElement !== document.body) {
    document.activeElement.blur();
  }
}

const actions = {
  click(selector) {
    const element = find(selector);
    queried(selector);
    if (element.disabled) return;
    hoverParts(element);
    mouse(element, "pointerdown", { buttons: 1 });
    if (mouse(element, "mousedown", { buttons: 1 })) focus(element);
    mouse(element, "pointerup");
    mouse(element, "mouseup");
    if (element.isConnected) mouse(element, "click");
  },
  hover(selector) {
    queried(selector);
    hoverParts(find(selector));
  },
  type(selector, character) {
    queried(selector);
    const element = find(selector);
    focus(element);
    const go = key(element, "keydown", character) && key(element, "keypress", character);
    if (go && fire(element, "beforeinput", InputEvent, { data: character, inputType: "insertText" })) {
      insert(element, character);
      fire(element, "input", InputEvent, { data: character, inputType: "insertText", cancelable: false });
    }
    key(element, "keyup", character);
  },
  press(keys) {
    // `Control+a`: what stands before the last plus is held down.
    const [, held, name] = /^(?:(.*)\+)?(.+)$/s.exec(keys);
    modifiers = new Set(held ? held.split("+") : []);
    const element = document.activeElement || document.body;
    const go = key(element, "keydown", name);
    if (go && name.length === 1) key(element, "keypress", name);
    if (go && modifiers.size === 0) pressed(element, name);
    if (element.isConnected) key(element, "keyup", name);
    modifiers = new Set();
  },
  trigger(selector, type) {
    queried(selector);
    const element = find(selector);
    if (type === "click") { actions.click(selector); return; }
    if (type.startsWith("key")) { key(element, type, "a"); return; }
    if (type === "submit" && element.requestSubmit) { readPath(element, "submit"); element.requestSubmit(); return; }
    if (/^dr[ao]/.test(type)) { fire(element, type, DragEvent, { dataTransfer: carried }); return; }
    fire(element, type, /^(mouse|pointer|dbl|context)/.test(type) ? MouseEvent : Event, { bubbles: !/^(mouseenter|mouseleave|focus|blur|scroll)$/.test(type) });
  },
};

// What is dragged from one element to another.
const carried = new DataTransfer();

let hovered = null;
function hoverParts(element) {
  if (hovered === element) return;
  if (hovered && hovered.isConnected) {
    for (const type of ["pointerout", "mouseout"]) mouse(hovered, type, { relatedTarget: element });
    for (const type of ["pointerleave", "mouseleave"]) mouse(hovered, type, { relatedTarget: element, bubbles: false });
  }
  hovered = element;
  for (const type of ["pointerover", "mouseover"]) mouse(element, type);
  for (const type of ["pointerenter", "mouseenter"]) mouse(element, type, { bubbles: false });
  for (const type of ["pointermove", "mousemove"]) mouse(element, type);
}

const CODES = { Enter: 13, Escape: 27, Tab: 9, Backspace: 8, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Delete: 46, " ": 32, Home: 36, End: 35 };
let modifiers = new Set();
function key(element, type, name) {
  const code = name.length === 1 ? name.toUpperCase().charCodeAt(0) : CODES[name] || 0;
  const event = new KeyboardEvent(type, { key: name, code: name.length === 1 ? "Key" + name.toUpperCase() : name, bubbles: true, cancelable: true, composed: true, view: W,
    ctrlKey: modifiers.has("Control"), shiftKey: modifiers.has("Shift"), altKey: modifiers.has("Alt"), metaKey: modifiers.has("Meta") });
  // Pages still ask for the numbers of keys.
  for (const field of ["keyCode", "which", "charCode"]) native.Object.defineProperty(event, field, { get: () => (field === "charCode" && type !== "keypress" ? 0 : code) });
  readPath(element, type);
  return native.dispatchEvent.call(element, event);
}

function insert(element, text) {
  touchNode(element, "value", WRITE, 0);
  if (element.isContentEditable) { element.textContent += text; return; }
  const prototype = element instanceof W.HTMLTextAreaElement ? W.HTMLTextAreaElement.prototype : W.HTMLInputElement.prototype;
  const value = native.Object.getOwnPropertyDescriptor(prototype, "value");
  if (element instanceof W.HTMLInputElement || element instanceof W.HTMLTextAreaElement) value.set.call(element, value.get.call(element) + text);
}

function pressed(element, name) {
  if (name === "Enter" && element instanceof W.HTMLInputElement && element.form) { readPath(element.form, "submit"); element.form.requestSubmit(); }
  else if ((name === "Enter" || name === " ") && /^(BUTTON|A|SUMMARY)$/.test(element.tagName)) mouse(element, "click");
  else if (name.length === 1 && "value" in element) insert(element, name);
  else if (name === "Backspace" && "value" in element) {
    touchNode(element, "value", WRITE, 0);
    element.value = element.value.slice(0, -1);
    fire(element, "input", InputEvent, { inputType: "deleteContentBackward", cancelable: false });
  }
}

async function act(position, clock, mayPaint, next, name, ...args) {
  begin(position, clock, mayPaint, next);
  native.queueMicrotask(() => actions[name](...args));
  await settle();
  return report();
}

// Elements with handlers, in document order, for pages that are tried without a list of actions.
const USER_EVENTS = ["click", "dblclick", "contextmenu", "mousedown", "mouseup", "pointerdown", "touchstart", "mouseover", "mouseenter", "mousemove",
  "mouseout", "mouseleave", "wheel", "scroll", "dragstart", "dragover", "drop", "input", "change", "keydown", "keypress", "keyup", "submit", "focus", "blur"];
function handlers() {
  const found = [];
  for (const element of native.querySelectorAll.call(document, "*")) {
    const types = listeners.get(element) || new Set();
    for (const type of USER_EVENTS) {
      if (types.has(type) || typeof element["on" + type] === "function") found.push([pathTo(element), type]);
    }
  }
  return JSON.stringify(found);
}

function pathTo(element) {
  if (element.id) return "#" + escapeName(element.id);
  if (!element.parentElement) return element.localName;
  const alike = [...element.parentElement.children].filter((child) => child.localName === element.localName);
  const own = alike.length > 1 ? `${element.localName}:nth-of-type(${alike.indexOf(element) + 1})` : element.localName;
  return pathTo(element.parentElement) + ">" + own;
}
