// What does nothing here, and says so.

// Nobody is there to answer a dialogue.
define(W, "alert", (text) => { note(`alert(${JSON.stringify(String(text))}) was closed`); });
define(W, "confirm", (text) => { note(`confirm(${JSON.stringify(String(text))}) was answered with OK`); return true; });
define(W, "prompt", (text, value) => { note(`prompt(${JSON.stringify(String(text))}) was cancelled`); return value === undefined ? null : String(value); });
define(W, "print", () => { note("print() did nothing"); });
define(W, "open", (address) => { note(`window.open(${JSON.stringify(String(address))}) did nothing`); return null; });

// A service worker lives longer than the page, and a shared one beside it: neither can be held. Pages that work without them go on.
if (W.ServiceWorkerContainer) {
  define(W.ServiceWorkerContainer.prototype, "register", (address) => {
    note(`the service worker ${nameOf(address)} was refused`);
    return native.Promise.reject(new DOMException("service workers are refused here", "NotSupportedError"));
  });
}
if (W.SharedWorker) {
  W.SharedWorker = function SharedWorker(address) {
    note(`the shared worker ${nameOf(address)} was refused`);
    throw new DOMException("shared workers are refused here", "NotSupportedError");
  };
}
// These speak to other machines past everything that holds requests.
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) {
  if (!W[name]) continue;
  W[name] = function () {
    note(`${name} was refused`);
    throw new DOMException(`${name} is refused here`, "NotSupportedError");
  };
}
