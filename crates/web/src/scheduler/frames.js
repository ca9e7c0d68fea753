// Frames of the page's own origin share its time, its chance and its scheduler: their timers and answers are events of the page.

const forFrames = {};
for (const name of ["setTimeout", "setInterval", "clearTimeout", "clearInterval", "requestAnimationFrame", "cancelAnimationFrame",
  "requestIdleCallback", "cancelIdleCallback", "fetch", "Date"]) forFrames[name] = W[name];

function adoptFrame(frame) {
  const element = frame.frameElement;
  const content = frame.document;
  // A frame that is gone, or shows something else by now, does nothing any more.
  const inFrame = (handler) => (...args) => {
    if (!element.isConnected || element.contentDocument !== content) return;
    if (typeof handler === "function") handler.apply(frame, args); else frame.eval(String(handler));
  };
  for (const name of ["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback"]) {
    define(frame, name, (handler, ...rest) => forFrames[name].call(W, inFrame(handler), ...rest));
  }
  for (const name of ["clearTimeout", "clearInterval", "cancelAnimationFrame", "cancelIdleCallback"]) {
    define(frame, name, (number) => forFrames[name].call(W, number));
  }
  define(frame, "fetch", (resource, options) => {
    const address = resource instanceof frame.Request ? new W.Request(resource.url, resource) : new URL(String(resource), frame.document.baseURI).href;
    return forFrames.fetch.call(W, address, options);
  });
  define(frame, "Date", forFrames.Date);
  define(frame.Math, "random", chance);
  define(frame.Performance.prototype, "now", askedTime);
}
