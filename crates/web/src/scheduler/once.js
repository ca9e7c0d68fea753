// What is decided once, by whoever comes first: promises, and work that is called off.

// The first call settles a promise, later ones find it settled. Promises of the browser itself are settled by one event.
const construct = Reflect.construct;
const settlers = { resolve: native.Promise.resolve.bind(native.Promise), reject: native.Promise.reject.bind(native.Promise) };
W.Promise = new Proxy(native.Promise, {
  construct(target, args, self) {
    const kind = self === W.Promise ? target : self;
    const executor = args[0];
    if (typeof executor !== "function") return construct(target, args, kind);
    const location = new Location("!", "a promise");
    let isSettled = false;
    const watched = (settle) => (value) => {
      touch(location, isSettled ? READ : WRITE, lastSite);
      isSettled = true;
      settle(value);
    };
    return construct(target, [(resolve, reject) => executor(watched(resolve), watched(reject))], kind);
  },
  // What promises say of themselves must stay: a promise is not wrapped in another one.
  get(target, key, self) { return self === W.Promise && hasOwn.call(settlers, key) ? settlers[key] : target[key]; },
});
disguise.set(W.Promise, native.Promise);
for (const name of ["resolve", "reject"]) disguise.set(settlers[name], native.Promise[name]);

function touchSignal(signal, mode, site) { touchNode(signal, "aborted", mode, site); }
wrap(W.AbortController.prototype, "abort", (original) => function (...args) {
  touchSignal(this.signal, this.signal.aborted ? READ : WRITE);
  return original.apply(this, args);
});
const heldTimeout = W.setTimeout;
wrap(W.AbortSignal, "timeout", () => function (delay) {
  const controller = new W.AbortController();
  heldTimeout(() => controller.abort(new DOMException("signal timed out", "TimeoutError")), delay);
  return controller.signal;
});
