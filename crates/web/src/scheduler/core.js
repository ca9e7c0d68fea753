// The table of held callbacks, and the one door through which they run.
//
// Everything that makes the browser call back later is wrapped: the callback waits in `held` until the
// driver releases it with `step`. What the page could replace later is kept in `native` first.

const W = window;

// Maps of our own keep the browser's functions when those of pages are watched.
class Table extends W.Map {}
for (const name of ["get", "set", "has", "delete", "keys", "values", "entries", Symbol.iterator]) {
  Object.defineProperty(Table.prototype, name, { value: W.Map.prototype[name] });
}

const native = {
  setTimeout: W.setTimeout.bind(W),
  now: W.performance.now.bind(W.performance),
  requestAnimationFrame: W.requestAnimationFrame.bind(W),
  postTask: W.scheduler && W.scheduler.postTask ? W.scheduler.postTask.bind(W.scheduler) : null,
  queueMicrotask: W.queueMicrotask.bind(W),
  Promise: W.Promise,
  Map: Table,
  WeakMap: W.WeakMap,
  Error: W.Error,
  Object: W.Object,
  XMLHttpRequest: W.XMLHttpRequest,
  then: W.Promise.prototype.then,
  matches: W.Element.prototype.matches,
  contains: W.Node.prototype.contains,
  addEventListener: W.EventTarget.prototype.addEventListener,
  dispatchEvent: W.EventTarget.prototype.dispatchEvent,
  querySelector: W.Document.prototype.querySelector,
  descendants: W.Element.prototype.querySelectorAll,
  querySelectorAll: W.Document.prototype.querySelectorAll,
  baseline: new Set(Object.getOwnPropertyNames(W)),
};

// Position of the event that runs now, from 1: the page's first piece.
let current = 1;
const held = new native.Map();
let nextId = 1;
let registered = [];
let withdrawn = [];
let notes = [];
// What was given up.
let cuts = [];
// Positions of events that come before the one that runs, whatever the order, as it turns out now that it runs.
let causes = [];
// Native work that an event has begun and that belongs to it: it is not over before this is 0.
let busy = 0;
// Frames are only waited for if something on the page is told by frames.
let needsFrames = false;
// A page whose stylesheets are held is not painted.
let paints = true;

function place() {
  const limit = native.Error.stackTraceLimit;
  native.Error.stackTraceLimit = 12;
  const stack = new native.Error().stack || "";
  native.Error.stackTraceLimit = limit;
  for (const line of stack.split("\n").slice(1)) {
    // Browsers name functions after what they are assigned to, so our names may stand before the address.
    const found = /(https?:\/\/[^\s)]*:\d+:\d+)/.exec(line);
    if (found && !found[1].includes(SELF)) return found[1];
  }
  return "";
}

// Registers a callback: `run` is what its release does. `extra` tells the driver how it is ordered.
function hold(kind, name, run, extra) {
  const id = nextId++;
  held.set(id, run);
  registered.push(native.Object.assign({ id, kind, name, place: place() }, extra));
  return id;
}

function withdraw(id) {
  if (held.delete(id)) withdrawn.push(id);
}

function note(text) {
  notes.push(String(text));
}

function causedBy(position) {
  if (position !== undefined && position < current) causes.push(position);
}

function during(promise) {
  busy++;
  const done = () => { busy--; };
  native.then.call(promise, done, done);
  return promise;
}

// After everything that is queued in this process, of whatever priority.
function turn() {
  return native.postTask
    ? native.postTask(() => {}, { priority: "background" })
    : new native.Promise((resolve) => native.setTimeout(resolve, 0));
}

function frame() {
  return new native.Promise((resolve) => {
    native.requestAnimationFrame(resolve);
    // A page that is not painted yet has no frames.
    native.setTimeout(resolve, 60);
  });
}

// Work that was given up, and is not waited for again.
let givenUp = 0;
// In milliseconds.
const LONGEST_WORK = 8000;
async function settle() {
  const begun = native.now();
  let quiet = 0;
  for (let round = 0; quiet < 2; round++) {
    await turn();
    givenUp = Math.min(givenUp, busy);
    const isQuiet = busy === givenUp;
    quiet = isQuiet ? quiet + 1 : 0;
    if (isQuiet || round <= 20) continue;
    if (native.now() - begun > LONGEST_WORK) {
      cuts.push(`what an event has begun did not end within ${LONGEST_WORK / 1000} s and was not waited for`);
      givenUp = busy;
    } else {
      await new native.Promise((resolve) => native.setTimeout(resolve, 4));
    }
  }
  if (needsFrames && paints) {
    await frame();
    await frame();
    await turn();
  }
  findTransitions();
}

// What the last event has left behind, for the driver.
function report() {
  judgeWrites();
  const told = { registered, withdrawn, notes, cuts, causes, workers: workersStarted, gates: arrived, writtenScripts, wanted: wanted === undefined ? null : present(wanted) };
  registered = [];
  withdrawn = [];
  notes = [];
  cuts = [];
  causes = [];
  return JSON.stringify(told);
}

// `next` is the element of the next action of the user, `null` if it needs none.
let wanted;
function begin(position, clock, mayPaint, next) {
  current = position;
  paints = mayPaint;
  wanted = next;
  if (clock > now) now = clock;
}

async function step(position, clock, mayPaint, next, id) {
  begin(position, clock, mayPaint, next);
  const run = held.get(id);
  held.delete(id);
  if (run) native.queueMicrotask(run);
  await settle();
  return report();
}

async function settled() {
  await settle();
  return report();
}

function define(target, name, value) {
  native.Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
}

// Replaces a function of the browser; where the browser lacks it nothing is replaced.
function wrap(target, name, make) {
  if (!target) return;
  const original = target[name];
  if (typeof original !== "function") return;
  const replacement = make(original);
  native.Object.defineProperty(replacement, "name", { value: name, configurable: true });
  disguise.set(replacement, original);
  const old = native.Object.getOwnPropertyDescriptor(target, name);
  native.Object.defineProperty(target, name, {
    value: replacement, writable: true, configurable: true, enumerable: old ? old.enumerable : false,
  });
}

// Replaces a getter or setter.
function wrapAccessor(target, name, get, set) {
  if (!target) return;
  const old = native.Object.getOwnPropertyDescriptor(target, name);
  if (!old || !old.get) return;
  native.Object.defineProperty(target, name, {
    configurable: true,
    enumerable: old.enumerable,
    get: get ? get(old.get) : old.get,
    set: set && old.set ? set(old.set) : old.set,
  });
}

// Pages ask whether a function is native.
const disguise = new native.WeakMap();
const originalToString = Function.prototype.toString;
define(Function.prototype, "toString", function toString() {
  return originalToString.call(disguise.get(this) || this);
});
