// Time, and what waits for it. Time stands still while an event runs: it moves to the due time of the
// timer or frame that is released.

let now = 0;
const EPOCH = 1700000000000;
const FRAME = 16;

// Scripts that wait in a loop until time has passed would wait for ever: who asks very often sees it pass.
const PATIENT_READS = 1000;
let readsOfTime = 0;
let readIn = 0;
function askedTime() {
  if (readIn !== current) { readIn = current; readsOfTime = 0; }
  if (++readsOfTime > PATIENT_READS) now++;
  return now;
}

const RealDate = W.Date;
W.Date = new Proxy(RealDate, {
  construct(target, args, self) {
    return Reflect.construct(target, args.length === 0 ? [EPOCH + askedTime()] : args, self === W.Date ? target : self);
  },
  apply() { return new RealDate(EPOCH + askedTime()).toString(); },
});
define(RealDate, "now", () => EPOCH + askedTime());
define(RealDate.prototype, "constructor", W.Date);
define(W.Performance.prototype, "now", askedTime);
wrapAccessor(W.Event.prototype, "timeStamp", () => () => now);

// A fixed sequence in place of chance (mulberry32).
let seed = 0x6d617a75;
function chance() {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
define(Math, "random", chance);
define(W.Crypto.prototype, "getRandomValues", (array) => {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(chance() * 256);
  return array;
});
define(W.Crypto.prototype, "randomUUID", () =>
  "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (c) =>
    (+c ^ (Math.floor(chance() * 16) >> (+c / 4))).toString(16)));

function callback(handler, args) {
  return typeof handler === "function" ? () => handler.apply(W, args) : () => (0, W.eval)(rewriteNow(String(handler), "script"));
}

// Public number of a timer -> number in `held`. Numbers are given in order of creation as browsers do.
const timers = new native.Map();
let nextTimer = 1;

function delayOf(delay) {
  const number = Math.floor(Number(delay));
  return number > 0 && number < 2147483648 ? number : 0;
}

wrap(W, "setTimeout", () => function (handler, delay, ...args) {
  const number = nextTimer++;
  const call = callback(handler, args);
  const due = now + delayOf(delay);
  const run = () => { timers.delete(number); touchTimer(number, READ); call(); };
  timers.set(number, hold("timer", "", run, { due, delay: delayOf(delay) }));
  return number;
});

wrap(W, "setInterval", () => function (handler, delay, ...args) {
  const number = nextTimer++;
  const call = callback(handler, args);
  const every = Math.max(delayOf(delay), 1);
  let after = 0;
  const arm = (due) => {
    const run = () => {
      touchTimer(number, READ);
      after = timers.get(number);
      arm(due + every);
      call();
    };
    timers.set(number, hold("interval", "", run, { due, delay: every, after }));
  };
  arm(now + every);
  return number;
});

function clear(number) {
  number = Number(number);
  if (!number) return;
  touchTimer(number, WRITE);
  const id = timers.get(number);
  if (id !== undefined) {
    timers.delete(number);
    withdraw(id);
  }
}
wrap(W, "clearTimeout", () => function (number) { clear(number); });
wrap(W, "clearInterval", () => function (number) { clear(number); });

// A callback that is registered while frame n runs belongs to frame n + 1.
let frameNumber = 0;
wrap(W, "requestAnimationFrame", () => function (handler) {
  const number = nextTimer++;
  const belongs = frameNumber + 1;
  const due = Math.floor(now / FRAME + 1) * FRAME;
  const run = () => {
    timers.delete(number);
    touchTimer(number, READ);
    frameNumber = Math.max(frameNumber, belongs);
    handler.call(W, now);
  };
  timers.set(number, hold("frame", "", run, { due, delay: FRAME, frame: belongs }));
  return number;
});
wrap(W, "cancelAnimationFrame", () => function (number) { clear(number); });

wrap(W, "requestIdleCallback", () => function (handler) {
  const number = nextTimer++;
  const run = () => {
    timers.delete(number);
    touchTimer(number, READ);
    handler.call(W, { didTimeout: false, timeRemaining: () => 50 });
  };
  timers.set(number, hold("idle", "", run, { due: now, delay: 0, channel: "idle" }));
  return number;
});
wrap(W, "cancelIdleCallback", () => function (number) { clear(number); });

if (W.Scheduler) {
  wrap(W.Scheduler.prototype, "postTask", () => function (work, options) {
    const delay = delayOf(options && options.delay);
    return new native.Promise((resolve, reject) => {
      const signal = options && options.signal;
      const id = hold("task", "", () => {
        if (signal) touchSignal(signal, READ, 0);
        try { resolve(work()); } catch (error) { reject(error); }
      }, { due: now + delay, delay });
      if (signal) native.addEventListener.call(signal, "abort", () => { withdraw(id); reject(signal.reason); });
    });
  });
  wrap(W.Scheduler.prototype, "yield", () => function () {
    return new native.Promise((resolve) => hold("task", "", resolve, { due: now, delay: 0 }));
  });
}
