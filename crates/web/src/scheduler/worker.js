// Runs in a worker before its own script: answers what the page asks, and leaves timers to the page, which holds them.

const say = self.postMessage.bind(self);
const timers = new Map();
let nextTimer = 1;

function set(repeats) {
  return (handler, delay, ...args) => {
    const number = nextTimer++;
    const run = typeof handler === "function" ? () => handler(...args) : () => (0, eval)(String(handler));
    const wait = Math.max(repeats ? 1 : 0, Math.floor(Number(delay)) || 0);
    const register = () => say(`${SELF} timer ${number} ${wait}`);
    timers.set(number, { run, repeats, register });
    register();
    return number;
  };
}
function clear(number) {
  if (timers.delete(Number(number))) say(`${SELF} clear ${number}`);
}
Object.assign(self, { setTimeout: set(false), setInterval: set(true), clearTimeout: clear, clearInterval: clear });

// Before its script runs, a worker does not have everything yet that it inherits.
function inherited(name) {
  for (let from = Object.getPrototypeOf(self); from; from = Object.getPrototypeOf(from)) {
    if (Object.hasOwn(from, name)) return from[name];
  }
}

// What the browser does for the worker belongs to what the worker does now.
let busy = 0;
function over() { busy--; }
function during(promise) {
  busy++;
  promise.then(over, over);
  return promise;
}
self.fetch = (...args) => {
  prepare();
  return during(inherited("fetch").apply(self, args));
};

const PROMISES = {
  Response: ["text", "json", "arrayBuffer", "blob", "bytes", "formData"],
  Blob: ["text", "arrayBuffer"],
  SubtleCrypto: ["digest", "encrypt", "decrypt", "sign", "verify", "generateKey", "importKey", "exportKey", "deriveKey", "deriveBits"],
  CacheStorage: ["open", "match", "has", "delete", "keys"],
  Cache: ["match", "matchAll", "add", "addAll", "put", "delete", "keys"],
};
const WITH_EVENTS = { XMLHttpRequest: ["send"], FileReader: ["readAsText", "readAsDataURL", "readAsArrayBuffer"] };
function replace(kinds, make) {
  for (const [kind, names] of Object.entries(kinds)) {
    for (const name of self[kind] ? names : []) {
      const original = self[kind].prototype[name];
      if (typeof original === "function") self[kind].prototype[name] = make(original);
    }
  }
}
let isPrepared = false;
function prepare() {
  if (isPrepared) return;
  isPrepared = true;
  replace(PROMISES, (original) => function (...args) { return during(original.apply(this, args)); });
  replace(WITH_EVENTS, (original) => function (...args) {
    busy++;
    this.addEventListener("loadend", over, { once: true });
    return original.apply(this, args);
  });
}

// A question is answered when nothing is under way: what was said before comes before the answer.
function answer(question, quiet) {
  quiet = busy === 0 ? quiet + 1 : 0;
  if (quiet > 2) say(question); else inherited("setTimeout").call(self, () => answer(question, quiet), 0);
}

addEventListener("message", (event) => {
  prepare();
  if (typeof event.data !== "string" || !event.data.startsWith(SELF + " ")) return;
  event.stopImmediatePropagation();
  const [, word, number] = event.data.split(" ");
  if (word !== "run") {
    answer(event.data, 0);
    return;
  }
  const timer = timers.get(Number(number));
  if (!timer) return;
  if (timer.repeats) timer.register(); else timers.delete(Number(number));
  timer.run();
});
