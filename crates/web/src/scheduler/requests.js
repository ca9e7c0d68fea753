// `XMLHttpRequest`: its answer is held by the driver, and reads what handlers there are.

// A synchronous request cannot be held: nothing else can happen before its answer.
wrap(W.XMLHttpRequest.prototype, "open", (original) => function (method, address, mode, ...rest) {
  const result = arguments.length > 2 ? original.call(this, method, address, mode, ...rest) : original.call(this, method, address);
  if (arguments.length > 2 && mode === false) setRequestHeader.call(this, SELF, "sync");
  return result;
});

const ANSWERS = ["readystatechange", "progress", "load", "error", "abort", "timeout", "loadend"];
const sentBefore = new WeakSet();
wrap(W.XMLHttpRequest.prototype, "send", (original) => function (...args) {
  if (!sentBefore.has(this)) {
    sentBefore.add(this);
    for (const type of ANSWERS) {
      native.addEventListener.call(this, type, () => {
        touchHandlers(this, type, READ, 0);
        touchNode(this, "answer", READ, 0);
      });
    }
  }
  return original.apply(this, args);
});
wrap(W.XMLHttpRequest.prototype, "abort", (original) => function () {
  touchNode(this, "answer", WRITE);
  return original.call(this);
});
