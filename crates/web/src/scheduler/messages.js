// Messages: between windows, over channels, to and from workers and servers.

// Held where they are sent: the release sends them, which the browser does within a turn.
function holdSends(prototype, kind, channelOf, readsHandlers = () => {}) {
  wrap(prototype, "postMessage", (original) => function (...args) {
    const target = this === undefined || this === null ? W : this;
    const transfer = Array.isArray(args[args.length - 1]) ? args[args.length - 1] : undefined;
    const options = args.length > 1 && args[1] && typeof args[1] === "object" && !Array.isArray(args[1]) ? args[1] : undefined;
    const moved = transfer || (options && options.transfer) || [];
    // What the message says is fixed when it is sent; what it carries moves when it is released.
    if (moved.length === 0) args[0] = structuredClone(args[0]);
    hold(kind, channelOf(target, args), () => { readsHandlers(); original.apply(target, args); }, { channel: kind + channelKey(target), due: now });
  });
}

const channelKeys = new native.WeakMap();
let nextChannel = 1;
function channelKey(target) {
  if (!channelKeys.has(target)) channelKeys.set(target, nextChannel++);
  return channelKeys.get(target);
}

// Those who receive messages read their handlers.
function watchMessages(target) {
  native.addEventListener.call(target, "message", () => touchHandlers(target, "message", READ, 0));
  return target;
}

holdSends(W, "message", () => "window", () => touchHandlers(W, "message", READ, 0));
if (W.MessagePort) holdSends(W.MessagePort.prototype, "message", () => "port");
if (W.BroadcastChannel) holdSends(W.BroadcastChannel.prototype, "message", (channel) => channel.name);
W.MessageChannel = new Proxy(W.MessageChannel, {
  construct(target, args, self) {
    const channel = Reflect.construct(target, args, self);
    watchMessages(channel.port1);
    watchMessages(channel.port2);
    return channel;
  },
});
W.BroadcastChannel = new Proxy(W.BroadcastChannel, {
  construct: (target, args, self) => watchMessages(Reflect.construct(target, args, self)),
});

// Held where they arrive: the first listener of the target stops the event, and the release lets a
// copy of it through. Nobody knows which event has made a server speak, so that of `creator` is named.
const released = new WeakSet();
const messagesTo = new native.WeakMap();
function holdArrivals(target, type, kind, name, copy, { before, creator = current } = {}) {
  native.addEventListener.call(target, type, (event) => {
    if (released.has(event)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    const id = hold(kind, name, () => {
      touchNode(target, "open", READ, 0);
      touchHandlers(target, type, READ, 0);
      if (before) before(event);
      const again = copy(event);
      released.add(again);
      native.dispatchEvent.call(event.target, again);
    }, { channel: kind + channelKey(target), due: now, creator });
    if (type === "message") messagesTo.set(target, [...(messagesTo.get(target) || []), id]);
  }, true);
}
// Messages that have not been received when their target is closed are lost.
function holdClose(target, name, after = () => {}) {
  wrap(target, name, (original) => function (...args) {
    touchNode(target, "open", WRITE);
    for (const id of messagesTo.get(target) || []) withdraw(id);
    after();
    return original.apply(target, args);
  });
}

const copyMessage = (e) => new MessageEvent(e.type, {
  data: e.data, origin: e.origin, lastEventId: e.lastEventId, ports: [...e.ports],
});
const copyPlain = (e) => new Event(e.type);
const copyClose = (e) => new CloseEvent(e.type, { wasClean: e.wasClean, code: e.code, reason: e.reason });

// Browsers give blobs addresses by chance: here they have numbers.
const blobs = new native.Map();
function numberBlob(address) {
  if (!blobs.has(address)) blobs.set(address, "blob:" + (blobs.size + 1));
  return blobs.get(address);
}
wrap(W.URL, "createObjectURL", (original) => function (...args) {
  const address = original.apply(this, args);
  numberBlob(address);
  return address;
});
function withoutChance(text) { return text.includes("blob:") ? text.replace(/blob:https?:[^\s"')]+/g, numberBlob) : text; }

function nameOf(address) {
  address = withoutChance(String(address));
  try {
    const url = new URL(address, document.baseURI);
    return url.host === location.host ? url.pathname.replace(/^\//, "") + url.search : url.href;
  } catch { return String(address); }
}

if (W.WebSocket) {
  W.WebSocket = new Proxy(W.WebSocket, {
    construct(target, args, self) {
      const url = new URL(args[0], document.baseURI);
      const local = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname) && CONFIG.live;
      if (!local) note(`refused a WebSocket to ${url.href}`);
      const socket = Reflect.construct(target, local ? args : ["ws://127.0.0.1:9/"], self);
      // One that is closed before it is open fails, as one does that nobody answers.
      if (local) busyFor(30); else { busyUntil(socket, "close"); target.prototype.close.call(socket); }
      let open = false;
      let closed = false;
      const name = nameOf(args[0]);
      holdArrivals(socket, "open", "websocket", name, copyPlain, { before: () => { open = true; } });
      holdArrivals(socket, "message", "websocket", name, copyMessage);
      holdArrivals(socket, "error", "websocket", name, copyPlain);
      holdArrivals(socket, "close", "websocket", name, copyClose, { before: () => { closed = true; } });
      define(socket, "send", (data) => { note("websocket " + data); busyFor(30); target.prototype.send.call(socket, data); });
      holdClose(socket, "close", () => busyFor(30));
      native.Object.defineProperty(socket, "readyState", { get: () => (closed ? 3 : open ? 1 : 0) });
      return socket;
    },
  });
}

// An answer of another process may follow; there is no sign that it will not.
function busyFor(milliseconds) {
  during(new native.Promise((resolve) => native.setTimeout(resolve, milliseconds)));
}

// What we refuse, or answer ourselves, comes to its end: that end is the sign, however long it takes on a busy machine.
const LONGEST_END = 5000;
function busyUntil(target, ...types) {
  during(new native.Promise((resolve) => {
    for (const type of types) native.addEventListener.call(target, type, resolve, { capture: true, once: true });
    native.setTimeout(resolve, LONGEST_END);
  }));
}

if (W.EventSource) {
  W.EventSource = new Proxy(W.EventSource, {
    construct(target, args, self) {
      const source = Reflect.construct(target, args, self);
      if (CONFIG.live) busyFor(50); else busyUntil(source, "error");
      const name = nameOf(args[0]);
      const known = new Set();
      const watch = (type, copy) => {
        if (known.has(type)) return;
        known.add(type);
        holdArrivals(source, type, "eventsource", name, copy);
      };
      watch("open", copyPlain);
      watch("message", copyMessage);
      // A stream that ends would be asked for again, without end.
      native.addEventListener.call(source, "error", () => target.prototype.close.call(source), true);
      watch("error", copyPlain);
      define(source, "addEventListener", function (type, ...rest) {
        watch(type, copyMessage);
        return native.addEventListener.call(this, type, ...rest);
      });
      holdClose(source, "close");
      return source;
    },
  });
}

// Workers answer what we ask them in the order of their messages: with the answer all that came before is here.
const workers = new Set();
// How many workers whose scripts come over the network were started: the driver waits until it has seen all their requests.
let workersStarted = 0;
let asking = 0;
let answeredBy = () => {};
const LONGEST_ANSWER = 8000;
async function settledWithWorkers(started) {
  const question = SELF + " " + ++asking;
  const wanted = Math.min(started, workers.size);
  let answers = 0;
  const all = new native.Promise((resolve) => {
    answeredBy = (answer) => { if (answer === question && ++answers >= wanted) resolve(); };
    // A worker that computes for long does not answer, and one that was ended never does.
    native.setTimeout(() => {
      if (answers < wanted) cuts.push(`a worker did not answer within ${LONGEST_ANSWER / 1000} s and was not waited for`);
      resolve();
    }, wanted === 0 ? 0 : LONGEST_ANSWER);
  });
  for (const ask of workers) ask(question);
  await all;
  return settled();
}

// A worker tells of its timers (`worker.js`), and runs them when it is told. Each worker has a time of its own.
function timersOf(name, tell) {
  const thread = nextChannel++;
  const held = new native.Map();
  return (said) => {
    const [, word, number, delay] = said.split(" ");
    if (word === "timer") {
      const run = () => { held.delete(number); tell(`${SELF} run ${number}`); };
      held.set(number, hold("timer", name, run, { due: now + Number(delay), delay: Number(delay), thread, creator: null }));
    } else if (word === "clear") {
      withdraw(held.get(number));
    } else {
      return false;
    }
    return true;
  };
}

if (W.Worker) {
  W.Worker = new Proxy(W.Worker, {
    construct(target, args, self) {
      const worker = Reflect.construct(target, args, self);
      const name = nameOf(args[0]);
      if (/^https?:/.test(new URL(args[0], document.baseURI).protocol)) workersStarted++;
      const ask = (question) => target.prototype.postMessage.call(worker, question);
      workers.add(ask);
      const timers = timersOf(name, ask);
      native.addEventListener.call(worker, "message", (event) => {
        if (typeof event.data !== "string" || !event.data.startsWith(SELF)) return;
        event.stopImmediatePropagation();
        if (!timers(event.data)) answeredBy(event.data);
      }, true);
      holdClose(worker, "terminate", () => workers.delete(ask));
      // The event that waits for a worker is the one that has made it speak.
      const here = { creator: null };
      holdArrivals(worker, "message", "worker", name, copyMessage, here);
      holdArrivals(worker, "error", "worker", name, (e) => new ErrorEvent("error", { message: e.message, filename: e.filename, lineno: e.lineno }), here);
      return worker;
    },
  });
}
