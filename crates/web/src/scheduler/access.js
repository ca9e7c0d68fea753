// Who has touched what: locations, and the properties of objects.
//
// A location keeps a short entry for each event that touches it. Only locations that two events
// have touched are kept for the driver; the others go with their objects.

const READ = 1;
const WRITE = 2;
// Additions that commute with each other, but not with reads: a new key, a further listener.
const ADD = 4;
// Writes of the value that is there already. They commute with whoever put it there, but not with those who change it later.
const KEEP = 8;

const objects = new native.WeakMap();
const shared = [];
// Writes of the event that runs, with what was there before: events are atomic, so a write that
// leaves the value that was there before the event is none. That is the filter of lazy initialisation.
let written = [];
let lastSite = 0;

class Location {
  constructor(owner, key) { this.owner = owner; this.key = key; this.entries = null; this.last = null; }
}

function touch(location, mode, site) {
  let entry = location.last;
  if (entry === null || entry.event !== current) {
    entry = { event: current, mode: 0, r: 0, w: 0 };
    if (location.last !== null) {
      if (location.entries === null) {
        location.entries = [location.last];
        shared.push(location);
      }
      location.entries.push(entry);
    }
    location.last = entry;
  }
  if ((entry.mode & mode) === 0) {
    entry.mode |= mode;
    if (mode === READ) entry.r = site; else if (mode !== KEEP || entry.w === 0) entry.w = site;
  }
  return entry;
}

const SKIP = { skip: true };
for (const name of native.baseline) {
  let value;
  try { value = W[name]; } catch { continue; }
  if (typeof value === "function") {
    objects.set(value, SKIP);
    if (value.prototype) objects.set(value.prototype, SKIP);
  }
}
for (const value of [Math, JSON, Reflect, console, Intl, W.navigator, W.performance, W.screen, W.history, W.crypto]) objects.set(value, SKIP);

function adopt(object) {
  let record;
  if (object === W) record = { props: globals, host: windowAccess };
  else if (object instanceof W.Node) record = { props: null, host: nodeAccess };
  else if (object instanceof W.Storage) record = { props: null, host: storageAccess };
  else if (object === W.location) record = { props: null, host: locationAccess };
  else if (object instanceof W.EventTarget) record = { props: null, host: targetAccess };
  // The elements of a typed array are one location: there are many, and they are written often.
  else if (ArrayBuffer.isView(object)) record = { props: null, host: bytesAccess };
  else if (native.Object.prototype.toString.call(object) === "[object Module]") record = { props: null, host: moduleAccess };
  else record = { props: null, host: null, array: Array.isArray(object) };
  objects.set(object, record);
  return record;
}

function recordOf(object) {
  return objects.get(object) || adopt(object);
}

function propertyOf(record, key) {
  const props = record.props || (record.props = new native.Map());
  let location = props.get(key);
  if (location === undefined) props.set(key, location = new Location("", key));
  return location;
}

function isObject(value) {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

const hasOwn = native.Object.prototype.hasOwnProperty;
const getPrototypeOf = native.Object.getPrototypeOf;

// Reads of what a prototype provides are reads of the prototype, too.
function readProperty(object, record, key, site) {
  touch(propertyOf(record, key), READ, site);
  if (record.array) return;
  let holder = object;
  while (!hasOwn.call(holder, key)) {
    holder = getPrototypeOf(holder);
    if (holder === null) return;
    const upper = recordOf(holder);
    if (upper.skip) return;
    if (upper.host) return;
    touch(propertyOf(upper, key), READ, site);
  }
}

function valueAt(object, key) {
  const found = native.Object.getOwnPropertyDescriptor(object, key);
  return found === undefined ? ABSENT : "value" in found ? found.value : ABSENT;
}
const ABSENT = { absent: true };

function writeProperty(object, record, key, site) {
  const location = propertyOf(record, key);
  const before = location.last !== null && location.last.event === current && (location.last.mode & WRITE) !== 0;
  const entry = touch(location, WRITE, site);
  if (before) return;
  const value = valueAt(object, key);
  const same = () => native.Object.is(valueAt(object, key), value);
  written.push({ entry, mode: WRITE, same });
  if (record.goneThrough) written.push({ entry: touch(propertyOf(record, VALUES), ADD, site), mode: ADD, same });
  if (record.array && value === ABSENT && typeof key !== "symbol" && Number(key) >= object.length) touchContents(object, record, site);
  if (value === ABSENT) {
    const keys = touch(propertyOf(record, KEYS), ADD, site);
    written.push({ entry: keys, mode: ADD, same: () => valueAt(object, key) === ABSENT });
  }
}
// Which keys an object has, and all its values, for those who go through them.
const KEYS = Symbol("keys");
const VALUES = Symbol("values");
const LENGTH = "length";

// The order and number of an array's elements.
function touchContents(array, record, site) {
  const location = propertyOf(record, LENGTH);
  const before = location.last !== null && location.last.event === current && (location.last.mode & WRITE) !== 0;
  const entry = touch(location, WRITE, site);
  if (before) return;
  const copy = array.slice();
  written.push({ entry, mode: WRITE, same: () => copy.length === array.length && copy.every((value, i) => native.Object.is(value, array[i])) });
}

function judgeWrites() {
  const judged = written;
  written = [];
  for (const { entry, mode, same } of judged) {
    let unchanged = false;
    try { unchanged = same(); } catch { unchanged = false; }
    if (unchanged) entry.mode = (entry.mode & ~mode) | (mode === WRITE ? KEEP : 0);
  }
}

const globals = new native.Map();
function globalOf(name) {
  let location = globals.get(name);
  if (location === undefined) globals.set(name, location = new Location("", name));
  return location;
}

// Locations beside the heap have a name of their own.
const named = new native.Map();
function touchNamed(name, mode, site) {
  let location = named.get(name);
  if (location === undefined) named.set(name, location = new Location("!", name));
  return touch(location, mode, site === undefined ? lastSite : site);
}
function touchTimer(number, mode) { touchNamed("timer " + number, mode); }

// Changes of a named location that leave its value are none.
function changeNamed(name, read) {
  const before = read();
  const entry = touchNamed(name, WRITE);
  written.push({ entry, mode: WRITE, same: () => read() === before });
}

function isHandler(key) { return typeof key === "string" && key.startsWith("on") && native.baseline.has(key); }
function windowAccess(object, key, mode, site) {
  if (native.baseline.has(key)) {
    if (isHandler(key)) touchHandlers(W, key.slice(2), mode, site);
    return;
  }
  if (mode === READ) touch(globalOf(key), READ, site); else writeProperty(W, { props: globals }, key, site);
}
function storageAccess(object, key, mode, site) {
  if (!(key in W.Storage.prototype)) touchNamed("storage " + String(key), mode, site);
}
function locationAccess(object, key, mode, site) { touchNamed("location", mode, site); }
// `import * as m`: what a module exports has the name under which others import it.
function moduleAccess(object, key, mode, site) { if (typeof key === "string") touch(globalOf("exported " + key), mode, site); }
function bytesAccess(object, key, mode, site) { if (/^\d+$/.test(String(key))) touch(propertyOf(recordOf(object), VALUES), mode, site); }
function targetAccess(object, key, mode, site) {
  if (typeof key === "string" && key.startsWith("on") && key in object) {
    if (mode === WRITE) touchHandlers(object, key.slice(2), WRITE, site);
    return;
  }
  if (key === "aborted" && object instanceof W.AbortSignal) { touchSignal(object, READ, site); return; }
  plainAccess(object, recordOf(object), key, mode, site);
}

function access(object, key, mode, site) {
  if (!isObject(object)) return;
  lastSite = site;
  const record = recordOf(object);
  if (record.skip) return;
  if (record.host) { record.host(object, key, mode, site); return; }
  plainAccess(object, record, key, mode, site);
}
function plainAccess(object, record, key, mode, site) {
  if (mode === READ) readProperty(object, record, key, site); else writeProperty(object, record, key, site);
}
// Nobody but the class itself sees a private field, not even its value.
function privateAccess(object, key, mode, site) {
  if (!isObject(object)) return;
  lastSite = site;
  const record = recordOf(object);
  if (!record.skip) touch(propertyOf(record, key), mode, site);
}
