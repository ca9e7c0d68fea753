// Who has touched what. The rewritten scripts call the helpers at the end of this file.
//
// A location keeps a short entry for each event that touches it. Only locations that two events
// have touched are kept for the driver; the others go with their objects.

const READ = 1;
const WRITE = 2;
// Additions that commute with each other, but not with reads: a new key, a further listener.
const ADD = 4;

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
    if (mode === READ) entry.r = site; else entry.w = site;
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
  else if (ArrayBuffer.isView(object)) record = SKIP;
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
  written.push({ entry, mode: WRITE, same: () => native.Object.is(valueAt(object, key), value) });
  if (record.array && value === ABSENT && typeof key !== "symbol" && Number(key) >= object.length) touchContents(object, record, site);
  if (value === ABSENT) {
    const keys = touch(propertyOf(record, KEYS), ADD, site);
    written.push({ entry: keys, mode: ADD, same: () => valueAt(object, key) === ABSENT });
  }
}
const KEYS = Symbol("keys");
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
    if (unchanged) entry.mode &= ~mode;
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

function windowAccess(object, key, mode, site) {
  if (native.baseline.has(key)) {
    if (typeof key === "string" && key.startsWith("on")) touchHandlers(W, key.slice(2), mode === READ ? READ : ADD, site);
    return;
  }
  if (mode === READ) touch(globalOf(key), READ, site); else writeProperty(W, { props: globals }, key, site);
}
function storageAccess(object, key, mode, site) {
  if (!(key in W.Storage.prototype)) touchNamed("storage " + String(key), mode, site);
}
function locationAccess(object, key, mode, site) { touchNamed("location", mode, site); }

function access(object, key, mode, site) {
  if (!isObject(object)) return;
  lastSite = site;
  const record = recordOf(object);
  if (record.skip) return;
  if (record.host) { record.host(object, key, mode, site); return; }
  if (mode === READ) readProperty(object, record, key, site); else writeProperty(object, record, key, site);
}

const CHANGES_ARRAY = new Set(["push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"]);
const READS_ARRAY = new Set(["slice", "map", "forEach", "filter", "indexOf", "lastIndexOf", "includes", "join", "concat", "find", "findIndex", "findLast",
  "some", "every", "reduce", "reduceRight", "at", "entries", "keys", "values", "flat", "flatMap", "toSorted", "toReversed", "toSpliced", "with", "toString"]);

function methodAccess(object, key, site) {
  if (!isObject(object)) return;
  lastSite = site;
  const record = recordOf(object);
  if (record.array) {
    if (CHANGES_ARRAY.has(key)) touchContents(object, record, site);
    else if (READS_ARRAY.has(key)) touchAll(object, record, site);
    else access(object, key, READ, site);
    return;
  }
  access(object, key, READ, site);
}

function touchAll(array, record, site) {
  touch(propertyOf(record, LENGTH), READ, site);
  if (record.props) for (const [key, location] of record.props) if (typeof key !== "symbol" && key !== LENGTH) touch(location, READ, site);
}

// Maps and sets: a location for each key, one for the order of all.
const MEMBERS = new native.WeakMap();
function membersOf(object) {
  let members = MEMBERS.get(object);
  if (members === undefined) MEMBERS.set(object, members = { keys: new native.Map(), all: new Location("", "entries") });
  return members;
}
function touchMember(object, key, mode) {
  const members = membersOf(object);
  let location = members.keys.get(key);
  if (location === undefined) members.keys.set(key, location = new Location("", isObject(key) ? "[object]" : String(key)));
  touch(location, mode, lastSite);
}
for (const Kind of [W.Map, W.Set]) {
  const has = Kind.prototype.has;
  const get = Kind.prototype.get;
  const size = native.Object.getOwnPropertyDescriptor(Kind.prototype, "size").get;
  const watched = (object) => objects.has(object);
  for (const name of ["get", "has"]) {
    wrap(Kind.prototype, name, (original) => function (key) { if (watched(this)) touchMember(this, key, READ); return original.call(this, key); });
  }
  for (const name of ["set", "add"]) {
    wrap(Kind.prototype, name, (original) => function (key, value) {
      if (watched(this)) {
        if (!has.call(this, key)) { touchMember(this, key, WRITE); touch(membersOf(this).all, WRITE, lastSite); }
        else if (get && !native.Object.is(get.call(this, key), value)) { touchMember(this, key, WRITE); touch(membersOf(this).all, WRITE, lastSite); }
        else touchMember(this, key, READ);
      }
      return original.call(this, key, value);
    });
  }
  wrap(Kind.prototype, "delete", (original) => function (key) {
    if (watched(this)) {
      touchMember(this, key, has.call(this, key) ? WRITE : READ);
      if (has.call(this, key)) touch(membersOf(this).all, WRITE, lastSite);
    }
    return original.call(this, key);
  });
  wrap(Kind.prototype, "clear", (original) => function () {
    if (watched(this) && size.call(this) > 0) {
      for (const location of membersOf(this).keys.values()) touch(location, WRITE, lastSite);
      touch(membersOf(this).all, WRITE, lastSite);
    }
    return original.call(this);
  });
  for (const name of ["forEach", "entries", "keys", "values"]) {
    wrap(Kind.prototype, name, (original) => function (...args) { if (watched(this)) touch(membersOf(this).all, READ, lastSite); return original.apply(this, args); });
  }
  const iterator = Kind === W.Map ? "entries" : "values";
  define(Kind.prototype, Symbol.iterator, Kind.prototype[iterator]);
}

function enumerated(object) {
  if (!isObject(object)) return;
  const record = objects.get(object);
  if (record === undefined || record.skip || record.host) return;
  if (record.array) { touchAll(object, record, lastSite); return; }
  touch(propertyOf(record, KEYS), READ, lastSite);
  if (record.props) for (const location of record.props.values()) if (location.key !== KEYS) touch(location, READ, lastSite);
}
for (const name of ["keys", "values", "entries", "getOwnPropertyNames"]) {
  wrap(Object, name, (original) => function (object) { enumerated(object); return original(object); });
}
wrap(JSON, "stringify", (original) => function (value, ...rest) { enumerated(value); return original(value, ...rest); });

// Objects whose property is named by an expression wait here until that has a value.
const waiting = [];
let lastSameVariable = null;

const helpers = {
  // Property read, method call, write, read and write. All give back the object.
  r(object, key, site) { access(object, key, READ, site); return object; },
  m(object, key, site) { methodAccess(object, key, site); return object; },
  w(object, key, site) { access(object, key, WRITE, site); return object; },
  u(object, key, site) { access(object, key, READ, site); access(object, key, WRITE, site); return object; },
  // The same with a computed key: first the object, then the key.
  o(object) { waiting.push(object); return object; },
  kr(key, site) { access(waiting.pop(), plainKey(key), READ, site); return key; },
  km(key, site) { methodAccess(waiting.pop(), plainKey(key), site); return key; },
  kw(key, site) { access(waiting.pop(), plainKey(key), WRITE, site); return key; },
  ku(key, site) { const object = waiting.pop(); key = plainKey(key); access(object, key, READ, site); access(object, key, WRITE, site); return key; },
  // Global variables: read, written (with the value), declared.
  v(name, site, value) { if (!native.baseline.has(name)) { lastSite = site; touch(globalOf(name), READ, site); } return value; },
  a(name, site, value) { wroteVariable(globalOf(name), site, value); return value; },
  a2(name, site, result, value) { touch(globalOf(name), READ, site); wroteVariable(globalOf(name), site, value); return result; },
  d(site, ...names) { for (const name of names) touch(globalOf(name), WRITE, site); },
  // Variables of a function that its closures share.
  n() { return new native.Map(); },
  c(scope, name, site, value) { touch(variableOf(scope, name), READ, site); return value; },
  b(scope, name, site, value) { wroteVariable(variableOf(scope, name), site, value); return value; },
  b2(scope, name, site, result, value) { touch(variableOf(scope, name), READ, site); wroteVariable(variableOf(scope, name), site, value); return result; },
  // Code in strings, and modules on demand.
  e(code) { return typeof code === "string" ? rewriteNow(code, "script") : code; },
  i(address, site, load) {
    lastSite = site;
    return new native.Promise((resolve, reject) => {
      hold("import", nameOf(address), () => {
        try { native.then.call(during(load(address)), resolve, reject); } catch (error) { reject(error); }
      }, { due: now });
    });
  },
};

function plainKey(key) { return typeof key === "symbol" ? key : String(key); }

function variableOf(scope, name) {
  let location = scope.get(name);
  if (location === undefined) scope.set(name, location = new Location("", name));
  return location;
}

// All writes of a variable come by here, so the last value is known.
const UNKNOWN = {};
function wroteVariable(location, site, value) {
  if (location.value === undefined && !("value" in location)) location.value = UNKNOWN;
  const before = location.last !== null && location.last.event === current && (location.last.mode & WRITE) !== 0;
  const old = location.value;
  location.value = value;
  const entry = touch(location, WRITE, site);
  if (!before) written.push({ entry, mode: WRITE, same: () => native.Object.is(location.value, old) });
}

// Asks the driver to rewrite code that did not come over the network.
const open = native.XMLHttpRequest.prototype.open;
const send = native.XMLHttpRequest.prototype.send;
const setRequestHeader = native.XMLHttpRequest.prototype.setRequestHeader;
const responseText = native.Object.getOwnPropertyDescriptor(native.XMLHttpRequest.prototype, "responseText").get;
function rewriteNow(code, goal) {
  if (code.length === 0) return code;
  try {
    const request = new native.XMLHttpRequest();
    open.call(request, "POST", CONFIG.origin + "/" + SELF + "/rewrite?" + goal, false);
    send.call(request, code);
    return responseText.call(request) || code;
  } catch { return code; }
}

for (const [name, helper] of native.Object.entries(helpers)) define(W, NAME + name, helper);

const RealFunction = W.Function;
W.Function = new Proxy(RealFunction, {
  construct: (target, args) => compile(target, args),
  apply: (target, self, args) => compile(target, args),
});
function compile(target, args) {
  if (args.length > 0) args = [...args.slice(0, -1), rewriteNow(String(args[args.length - 1]), "function")];
  return Reflect.construct(target, args);
}
define(RealFunction.prototype, "constructor", W.Function);
disguise.set(W.Function, RealFunction);
const realEval = W.eval;
helpers.eval = realEval;

// What two events have touched and one of them has changed.
function accesses() {
  judgeWrites();
  const told = [];
  for (const location of shared) {
    const entries = location.entries.filter((entry) => entry.mode !== 0);
    if (entries.length < 2 || !entries.some((entry) => entry.mode & (WRITE | ADD))) continue;
    const key = typeof location.key === "symbol" ? "keys" : String(location.key);
    told.push([location.owner, key, entries.map((e) => [e.event, e.mode, e.r, e.w])]);
  }
  return JSON.stringify(told);
}
