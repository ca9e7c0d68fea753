// Arrays, maps, sets, and what goes through a whole object.

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
  if (record.host === bytesAccess) {
    touch(propertyOf(record, VALUES), CHANGES_BYTES.test(key) ? WRITE : READ, site);
    return;
  }
  access(object, key, READ, site);
}
const CHANGES_BYTES = /^(set|fill|sort|reverse|copyWithin)/;

function touchAll(array, record, site) {
  touch(propertyOf(record, LENGTH), READ, site);
  touchValues(record, site);
}
// All that was written so far is read, and what will be written is told to those who go through it.
function touchValues(record, site) {
  record.goneThrough = true;
  touch(propertyOf(record, VALUES), READ, site);
  for (const [key, location] of record.props) if (typeof key !== "symbol" && key !== LENGTH) touch(location, READ, site);
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

// Whoever goes through an object reads its keys and its values.
function goneThrough(object) {
  if (!isObject(object)) return;
  const record = recordOf(object);
  if (record.skip || record.host) return;
  if (record.array) { touchAll(object, record, lastSite); return; }
  touch(propertyOf(record, KEYS), READ, lastSite);
  touchValues(record, lastSite);
}
for (const name of ["keys", "values", "entries", "getOwnPropertyNames"]) {
  wrap(Object, name, (original) => function (object) { goneThrough(object); return original(object); });
}
wrap(JSON, "stringify", (original) => function (value, ...rest) { goneThrough(value); return original(value, ...rest); });
wrap(Array, "from", (original) => function (list, ...rest) { goneThrough(list); return original.call(this, list, ...rest); });
const plainKeys = disguise.get(Object.keys);
wrap(Object, "assign", (original) => function (target, ...sources) {
  for (const source of sources.filter(isObject)) {
    goneThrough(source);
    for (const key of plainKeys(source)) access(target, key, WRITE, lastSite);
  }
  return original(target, ...sources);
});
for (const [name, mode] of [["get", READ], ["has", READ], ["set", WRITE], ["deleteProperty", WRITE]]) {
  wrap(Reflect, name, (original) => function (target, key, ...rest) {
    access(target, plainKey(key), mode, lastSite);
    return original(target, key, ...rest);
  });
}
wrap(Reflect, "ownKeys", (original) => function (target) { goneThrough(target); return original(target); });
wrap(Object, "hasOwn", (original) => function (object, key) { access(object, plainKey(key), READ, lastSite); return original(object, key); });
wrap(Object.prototype, "hasOwnProperty", (original) => function (key) { access(this, plainKey(key), READ, lastSite); return original.call(this, key); });
