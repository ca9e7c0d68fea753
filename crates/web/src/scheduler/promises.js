// Work that the browser does elsewhere and answers with a promise or with events. It is begun when
// its event is released, and belongs to that event until it is over.

function holdPromise(prototype, name, kind, label) {
  wrap(prototype, name, (original) => function (...args) {
    return new native.Promise((resolve, reject) => {
      hold(kind, label ? label(this, args) : name, () => {
        try { native.then.call(during(original.apply(this, args)), resolve, reject); } catch (error) { reject(error); }
      }, { due: now });
    });
  });
}

if (W.SubtleCrypto) {
  for (const name of ["digest", "encrypt", "decrypt", "sign", "verify", "generateKey", "importKey", "exportKey", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"]) {
    holdPromise(W.SubtleCrypto.prototype, name, "crypto");
  }
}
if (W.CacheStorage) {
  for (const name of ["open", "match", "has", "delete", "keys"]) holdPromise(W.CacheStorage.prototype, name, "cache");
  for (const name of ["match", "matchAll", "add", "addAll", "put", "delete", "keys"]) holdPromise(W.Cache.prototype, name, "cache");
}
for (const name of ["text", "arrayBuffer"]) holdPromise(W.Blob.prototype, name, "blob");
if (W.FontFace) holdPromise(W.FontFace.prototype, "load", "font", (face) => face.family);
// A picture is decoded after it has come: that is an event of its own.
wrap(W.HTMLImageElement.prototype, "decode", (original) => function () {
  const begin = (resolve, reject) => {
    hold("decode", nameOf(this.src), () => { native.then.call(during(original.call(this)), resolve, reject); }, { due: now });
  };
  return new native.Promise((resolve, reject) => {
    if (this.complete) { begin(resolve, reject); return; }
    for (const type of ["load", "error"]) native.addEventListener.call(this, type, () => begin(resolve, reject), { once: true });
  });
});
holdPromise(W, "createImageBitmap", "decode");

// Locks are given by us, in the order in which they were asked for: the browser asks another process, in its own time.
const locks = new native.Map();
function lockOf(name) {
  if (!locks.has(name)) locks.set(name, { owners: [], queue: [] });
  return locks.get(name);
}
function isFree(lock, mode) {
  return lock.owners.length === 0 || (mode === "shared" && lock.owners.every((owner) => owner.mode === "shared"));
}
function giveLocks(lock) {
  while (lock.queue.length > 0 && isFree(lock, lock.queue[0].mode)) {
    const next = lock.queue.shift();
    lock.owners.push(next);
    next.give();
  }
}
if (W.LockManager) {
  wrap(W.LockManager.prototype, "request", () => function (name, ...rest) {
    name = String(name);
    const work = rest[rest.length - 1];
    const options = rest.length > 1 ? rest[0] : {};
    const mode = options.mode || "exclusive";
    const lock = lockOf(name);
    return new native.Promise((resolve, reject) => {
      const run = (given, over) => hold("lock", name, () => {
        const result = new native.Promise((done) => done(work(given)));
        native.then.call(result, (value) => { over(); resolve(value); }, (error) => { over(); reject(error); });
      }, { due: now, channel: "lock " + name });
      const own = { mode };
      own.give = () => run({ name, mode }, () => {
        lock.owners.splice(lock.owners.indexOf(own), 1);
        giveLocks(lock);
      });
      if (options.steal) lock.owners.length = 0;
      if (options.ifAvailable && !(isFree(lock, mode) && lock.queue.length === 0)) { run(null, () => {}); return; }
      if (options.signal) native.addEventListener.call(options.signal, "abort", () => {
        const at = lock.queue.indexOf(own);
        if (at >= 0) { lock.queue.splice(at, 1); reject(options.signal.reason); giveLocks(lock); }
      });
      lock.queue.push(own);
      giveLocks(lock);
    });
  });
}

for (const name of ["readAsText", "readAsDataURL", "readAsArrayBuffer", "readAsBinaryString"]) {
  wrap(W.FileReader.prototype, name, (original) => function (...args) {
    hold("file", name, () => {
      busy++;
      native.addEventListener.call(this, "loadend", () => { busy--; }, { once: true });
      original.apply(this, args);
    }, { due: now });
  });
}

// The body of an answer that has arrived is read within the event that asks for it.
for (const prototype of [W.Response.prototype, W.Request.prototype]) {
  for (const name of ["text", "json", "arrayBuffer", "blob", "formData", "bytes"]) {
    wrap(prototype, name, (original) => function () { return during(original.call(this)); });
  }
}
// So are the pieces of it. A stream that the page itself fills may wait for another event.
const bodies = new WeakSet();
const bodyReaders = new WeakSet();
for (const prototype of [W.Response.prototype, W.Request.prototype]) {
  wrapAccessor(prototype, "body", (original) => function () {
    const body = original.call(this);
    if (body) bodies.add(body);
    return body;
  });
}
wrap(W.ReadableStream.prototype, "getReader", (original) => function (...args) {
  const reader = original.apply(this, args);
  if (bodies.has(this)) bodyReaders.add(reader);
  return reader;
});
wrap(W.ReadableStreamDefaultReader.prototype, "read", (original) => function (...args) {
  const piece = original.apply(this, args);
  return bodyReaders.has(this) ? during(piece) : piece;
});

// The request goes out at once and is answered at once; what the page sees of the answer is held.
wrap(W, "fetch", (original) => function (resource, options) {
  const address = resource instanceof Request ? resource.url : String(resource);
  const method = ((options && options.method) || (resource instanceof Request && resource.method) || "GET").toUpperCase();
  const signal = (options && options.signal) || (resource instanceof Request && resource.signal);
  if (/^(data|blob):/.test(address)) return during(original.call(this, resource, options));
  let answer;
  try { answer = original.call(this, resource, options); } catch (error) { return native.Promise.reject(error); }
  const whole = native.then.call(answer, (response) => response, (error) => { throw error; });
  native.then.call(whole, () => {}, () => {});
  // The event is not over before the driver has seen the request, and its answer is here.
  during(whole);
  return new native.Promise((resolve, reject) => {
    const id = hold("fetch", nameOf(address), () => {
      if (signal) touchSignal(signal, READ, 0);
      native.then.call(whole, resolve, reject);
    }, { due: now, method });
    if (signal) native.addEventListener.call(signal, "abort", () => { withdraw(id); reject(signal.reason); });
  });
});

for (const name of ["back", "forward", "go"]) {
  wrap(W.History.prototype, name, (original) => function (...args) {
    hold("history", name, () => {
      touchNamed("location", WRITE);
      original.apply(this, args);
      busy++;
      let over = false;
      const done = () => { if (!over) { over = true; busy--; } };
      native.addEventListener.call(W, "popstate", () => native.setTimeout(done, 0), { once: true });
      native.setTimeout(done, 150);
    }, { due: now, channel: "history" });
  });
}
