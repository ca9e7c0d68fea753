// IndexedDB, in memory. The browser's own cannot be held: a transaction ends when nobody asks it for anything at once.
//
// Every request is an event. The transactions of a database run one after the other, in the order in which they were
// begun, and the requests of a transaction in the order in which they were made.

const databases = new native.Map();
const compareKeys = W.indexedDB ? W.indexedDB.cmp.bind(W.indexedDB) : null;
const failure = (name, text) => new DOMException(text, name);

// An event target whose `on…` properties are listeners, too.
class Told extends EventTarget {
  constructor(types) {
    super();
    for (const type of types) {
      this["on" + type] = null;
      native.addEventListener.call(this, type, (event) => {
        const handler = this["on" + type];
        if (typeof handler === "function") handler.call(this, event);
      });
    }
  }
}
// False if the page has said that it has dealt with it.
function tell(target, type, extra) {
  touchHandlers(target, type, READ, 0);
  const event = native.Object.assign(new Event(type, { cancelable: type === "error" }), extra);
  return native.dispatchEvent.call(target, event);
}

class NameList extends Array {
  contains(name) { return this.includes(name); }
  item(number) { return number < this.length ? this[number] : null; }
}
const names = (map) => NameList.from([...map.keys()].sort());

class Ask extends Told {
  constructor(source, transaction, types = ["success", "error"]) {
    super(types);
    native.Object.assign(this, { source, transaction, readyState: "pending", outcome: undefined, error: null });
  }
  get result() {
    if (this.readyState === "pending") throw failure("InvalidStateError", "The request has not finished.");
    return this.outcome;
  }
}
class AskOpen extends Ask {
  constructor() { super(null, null, ["success", "error", "blocked", "upgradeneeded"]); }
}

const IS_FREE = null;

class Transaction extends Told {
  constructor(db, scope, mode) {
    super(["complete", "error", "abort"]);
    native.Object.assign(this, { db, mode, error: null, durability: "default", objectStoreNames: NameList.from([...scope].sort()) });
    this.work = { waiting: [], active: true, over: false, begun: current, before: null };
  }
  objectStore(name) {
    if (this.work.over) throw failure("InvalidStateError", "The transaction has finished.");
    const kept = this.db.kept.stores.get(String(name));
    if (!kept || !(this.mode === "versionchange" || this.objectStoreNames.includes(String(name)))) throw failure("NotFoundError", `There is no object store ${name}.`);
    return new ObjectStore(kept, this);
  }
  commit() { this.work.active = false; }
  abort() {
    if (this.work.over) throw failure("InvalidStateError", "The transaction has finished.");
    undo(this, null);
  }
}

// Puts back what was there before, and tells those who wait.
function undo(transaction, error) {
  const { work, db } = transaction;
  work.over = true;
  work.active = false;
  transaction.error = error;
  if (work.before) { db.kept.stores = work.before.stores; db.kept.version = work.before.version; }
  for (const { ask } of work.waiting.splice(0)) {
    ask.readyState = "done";
    ask.error = failure("AbortError", "The transaction was aborted.");
    tell(ask, "error");
  }
  holdStep(transaction, "abort", () => { tell(transaction, "abort"); finish(transaction); });
}

function copyOf(kept) {
  const stores = new native.Map();
  for (const [name, store] of kept.stores) stores.set(name, native.Object.assign({}, store, { records: store.records.slice(), indexes: new native.Map(store.indexes) }));
  return { stores, version: kept.version };
}

function holdStep(transaction, what, run) {
  const name = `${transaction.db.name} ${what}`;
  hold("database", name, run, { due: now, channel: "database " + transaction.db.name, cause: transaction.work.begun });
}

// Begins the next transaction of a database, if none is under way.
function beginNext(kept) {
  if (kept.running !== IS_FREE || kept.queue.length === 0) return;
  kept.running = kept.queue.shift();
  if (kept.running.mode !== "readonly" && !kept.running.work.before) kept.running.work.before = copyOf(kept);
  goOn(kept.running);
}
function finish(transaction) {
  const { kept } = transaction.db;
  transaction.work.over = true;
  if (transaction.work.after) transaction.work.after();
  if (kept.running === transaction) kept.running = IS_FREE;
  beginNext(kept);
}

// When the callbacks of an event are through: the next request, or the end.
function goOn(transaction) {
  during(native.then.call(turn(), () => {
    const { work } = transaction;
    if (work.over || transaction.db.kept.running !== transaction) return;
    const next = work.waiting.shift();
    work.active = false;
    if (next) { holdStep(transaction, next.what, () => perform(transaction, next)); return; }
    holdStep(transaction, "complete", () => { work.over = true; tell(transaction, "complete"); finish(transaction); });
  }));
}
function perform(transaction, { ask, run }) {
  const { work } = transaction;
  if (work.over) return;
  work.active = true;
  let error = null;
  try { ask.outcome = run(); } catch (thrown) { error = thrown; ask.outcome = undefined; }
  ask.error = error;
  ask.readyState = "done";
  const ignored = tell(ask, error ? "error" : "success");
  if (error && ignored && !work.over) {
    tell(transaction, "error");
    undo(transaction, error);
    return;
  }
  goOn(transaction);
}

function askFor(source, transaction, store, what, mode, run, known) {
  const { work, db } = transaction;
  if (work.over || !work.active) throw failure("TransactionInactiveError", "The transaction is not active.");
  if (mode === WRITE && transaction.mode === "readonly") throw failure("ReadOnlyError", "The transaction is read-only.");
  const ask = known || new Ask(source, transaction);
  ask.readyState = "pending";
  work.waiting.push({ ask, what: `${store.name}.${what}`, run: () => { touchNamed(`database ${db.name} ${store.name}`, mode, 0); return run(); } });
  return ask;
}

function validKey(key) {
  try { compareKeys(key, key); } catch { throw failure("DataError", "This is no valid key."); }
  return key;
}
function at(value, path) {
  if (Array.isArray(path)) {
    const parts = path.map((one) => at(value, one));
    return parts.includes(undefined) ? undefined : parts;
  }
  return path === "" ? value : path.split(".").reduce((inner, part) => (inner === undefined || inner === null ? undefined : inner[part]), value);
}
function within(range) {
  if (range === undefined || range === null) return () => true;
  return range instanceof IDBKeyRange ? (key) => range.includes(key) : ((only) => (key) => compareKeys(key, only) === 0)(validKey(range));
}
// Where a key stands or would stand.
function placeOf(records, key) {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(records[middle].key, key) < 0) low = middle + 1; else high = middle;
  }
  return low;
}
const standsAt = (records, place, key) => place < records.length && compareKeys(records[place].key, key) === 0;

// Records of a store or an index, in order: { key, primary, value }.
function rowsOf(store, index) {
  if (!index) return store.records.map(({ key, value }) => ({ key, primary: key, value }));
  const rows = [];
  for (const { key: primary, value } of store.records) {
    const found = at(value, index.keyPath);
    for (const key of index.multiEntry && Array.isArray(found) ? found : [found]) {
      try { compareKeys(key, key); } catch { continue; }
      rows.push({ key, primary, value });
    }
  }
  return rows.sort((a, b) => compareKeys(a.key, b.key) || compareKeys(a.primary, b.primary));
}

function save(store, value, given, mayReplace) {
  let key = given;
  if (store.keyPath !== null) key = at(value, store.keyPath);
  if (key === undefined && store.autoIncrement) {
    key = store.next;
    if (store.keyPath !== null) {
      const parts = store.keyPath.split(".");
      const last = parts.pop();
      parts.reduce((inner, part) => (inner[part] = inner[part] || {}), value)[last] = key;
    }
  }
  validKey(key);
  if (typeof key === "number" && key >= store.next) store.next = Math.floor(key) + 1;
  const place = placeOf(store.records, key);
  const there = standsAt(store.records, place, key);
  if (there && !mayReplace) throw failure("ConstraintError", "The key is already there.");
  for (const index of store.indexes.values()) {
    if (!index.unique) continue;
    const own = at(value, index.keyPath);
    if (own === undefined) continue;
    if (rowsOf(store, index).some((row) => compareKeys(row.key, own) === 0 && compareKeys(row.primary, key) !== 0)) throw failure("ConstraintError", `The index ${index.name} has the key already.`);
  }
  store.records.splice(place, there ? 1 : 0, { key, value });
  return key;
}

// What stores and indexes have in common.
class Source {
  constructor(store, index, transaction) { native.Object.defineProperty(this, "own", { value: { store, index, transaction } }); }
  ask_(what, mode, run) { return askFor(this, this.own.transaction, this.own.store, what, mode, run); }
  rows_(range) {
    const fits = within(range);
    return () => rowsOf(this.own.store, this.own.index).filter((row) => fits(row.key));
  }
  first_(what, range, pick) {
    const rows = this.rows_(range);
    return this.ask_(what, READ, () => { const [row] = rows(); return row === undefined ? undefined : pick(row); });
  }
  all_(what, range, most, pick) {
    const rows = this.rows_(range);
    return this.ask_(what, READ, () => rows().slice(0, most || undefined).map(pick));
  }
  get(range) { return this.first_("get", range, (row) => structuredClone(row.value)); }
  getKey(range) { return this.first_("getKey", range, (row) => row.primary); }
  getAll(range, most) { return this.all_("getAll", range, most, (row) => structuredClone(row.value)); }
  getAllKeys(range, most) { return this.all_("getAllKeys", range, most, (row) => row.primary); }
  count(range) { const rows = this.rows_(range); return this.ask_("count", READ, () => rows().length); }
  openCursor(range, direction) { return this.cursor_(range, direction, CursorWithValue); }
  openKeyCursor(range, direction) { return this.cursor_(range, direction, Cursor); }
  cursor_(range, direction = "next", Kind) {
    const rows = this.rows_(range);
    const cursor = new Kind(this, direction, rows);
    cursor.request = this.ask_("openCursor", READ, () => cursor.move_(0));
    return cursor.request;
  }
}

class Index extends Source {
  constructor(kept, store, transaction, objectStore) {
    super(store, kept, transaction);
    native.Object.assign(this, { name: kept.name, keyPath: kept.keyPath, unique: kept.unique, multiEntry: kept.multiEntry, objectStore });
  }
}

class ObjectStore extends Source {
  constructor(kept, transaction) {
    super(kept, null, transaction);
    native.Object.assign(this, { name: kept.name, keyPath: kept.keyPath, autoIncrement: kept.autoIncrement, transaction });
  }
  get indexNames() { return names(this.own.store.indexes); }
  save_(what, value, key, mayReplace) {
    const copy = structuredClone(value);
    if (key !== undefined) validKey(key);
    return this.ask_(what, WRITE, () => save(this.own.store, copy, key, mayReplace));
  }
  put(value, key) { return this.save_("put", value, key, true); }
  add(value, key) { return this.save_("add", value, key, false); }
  delete(range) {
    const fits = within(range);
    return this.ask_("delete", WRITE, () => { this.own.store.records = this.own.store.records.filter((row) => !fits(row.key)); });
  }
  clear() { return this.ask_("clear", WRITE, () => { this.own.store.records = []; }); }
  index(name) {
    const kept = this.own.store.indexes.get(String(name));
    if (!kept) throw failure("NotFoundError", `There is no index ${name}.`);
    return new Index(kept, this.own.store, this.own.transaction, this);
  }
  createIndex(name, keyPath, { unique = false, multiEntry = false } = {}) {
    this.own.store.indexes.set(String(name), { name: String(name), keyPath, unique, multiEntry });
    return this.index(name);
  }
  deleteIndex(name) { this.own.store.indexes.delete(String(name)); }
}

class Cursor {
  constructor(source, direction, rows) { native.Object.defineProperty(this, "own", { value: { source, direction, rows, row: null }, configurable: true }); }
  get source() { return this.own.source; }
  get direction() { return this.own.direction; }
  get key() { return this.own.row.key; }
  get primaryKey() { return this.own.row.primary; }
  // The next row behind this one, after `skip` others; rows may have come and gone.
  move_(skip, fits = () => true) {
    const { direction, row } = this.own;
    const sign = direction.startsWith("prev") ? -1 : 1;
    let rows = this.own.rows();
    if (sign < 0) rows = rows.reverse();
    if (direction.endsWith("unique")) rows = rows.filter((one, i) => i === 0 || compareKeys(one.key, rows[i - 1].key) !== 0);
    const order = (one) => sign * (compareKeys(one.key, row.key) || (direction.endsWith("unique") ? 0 : compareKeys(one.primary, row.primary)));
    const left = rows.filter((one) => (row === null || order(one) > 0) && fits(one, sign));
    this.own.row = left[skip] || null;
    return this.own.row === null ? null : this;
  }
  again_(what, skip, fits) {
    const { transaction, store } = this.own.source.own;
    askFor(this.own.source, transaction, store, what, READ, () => this.move_(skip, fits), this.request);
  }
  continue(key) { this.again_("continue", 0, key === undefined ? undefined : (one, sign) => sign * compareKeys(one.key, key) >= 0); }
  continuePrimaryKey(key, primary) { this.again_("continue", 0, (one, sign) => sign * (compareKeys(one.key, key) || compareKeys(one.primary, primary)) >= 0); }
  advance(number) { this.again_("advance", number - 1); }
  update(value) {
    const { transaction, store } = this.own.source.own;
    const { primary } = this.own.row;
    const copy = structuredClone(value);
    return askFor(this, transaction, store, "update", WRITE, () => save(store, copy, store.keyPath === null ? primary : undefined, true));
  }
  delete() {
    const { transaction, store } = this.own.source.own;
    const { primary } = this.own.row;
    return askFor(this, transaction, store, "delete", WRITE, () => { store.records = store.records.filter((row) => compareKeys(row.key, primary) !== 0); });
  }
}
class CursorWithValue extends Cursor {
  get value() { return structuredClone(this.own.row.value); }
}

class Database extends Told {
  constructor(name, kept) {
    super(["abort", "close", "error", "versionchange"]);
    native.Object.defineProperty(this, "kept", { value: kept });
    this.name = name;
  }
  get version() { return this.kept.version; }
  get objectStoreNames() { return names(this.kept.stores); }
  createObjectStore(name, { keyPath = null, autoIncrement = false } = {}) {
    if (!this.kept.running || this.kept.running.mode !== "versionchange") throw failure("InvalidStateError", "There is no upgrade under way.");
    if (this.kept.stores.has(String(name))) throw failure("ConstraintError", `The object store ${name} is already there.`);
    const store = { name: String(name), keyPath, autoIncrement, next: 1, records: [], indexes: new native.Map() };
    this.kept.stores.set(store.name, store);
    return new ObjectStore(store, this.kept.running);
  }
  deleteObjectStore(name) { this.kept.stores.delete(String(name)); }
  transaction(scope, mode = "readonly") {
    const wanted = (typeof scope === "string" ? [scope] : [...scope]).map(String);
    for (const name of wanted) if (!this.kept.stores.has(name)) throw failure("NotFoundError", `There is no object store ${name}.`);
    // Who begins first comes first.
    touchNamed(`database ${this.name}`, mode === "readonly" ? READ : WRITE);
    const transaction = new Transaction(this, wanted, mode);
    this.kept.queue.push(transaction);
    beginNext(this.kept);
    return transaction;
  }
  close() {}
}

function keptOf(name) {
  if (!databases.has(name)) databases.set(name, { version: 0, stores: new native.Map(), running: IS_FREE, queue: [] });
  return databases.get(name);
}

function openDatabase(name, version) {
  name = String(name);
  const ask = new AskOpen();
  const answer = (error, result) => { ask.readyState = "done"; ask.error = error; ask.outcome = result; tell(ask, error ? "error" : "success"); };
  hold("database", `${name} open`, () => {
    const kept = keptOf(name);
    const before = kept.version;
    const wanted = version === undefined ? before || 1 : Number(version);
    if (wanted < before) { answer(failure("VersionError", `The version is ${before}.`)); return; }
    const db = new Database(name, kept);
    if (wanted === before) { answer(null, db); return; }
    touchNamed(`database ${name}`, WRITE, 0);
    const transaction = new Transaction(db, kept.stores.keys(), "versionchange");
    transaction.work.before = copyOf(kept);
    transaction.work.after = () => {
      ask.transaction = null;
      const error = transaction.error || (kept.version === wanted ? null : failure("AbortError", "The upgrade was aborted."));
      hold("database", `${name} opened`, () => answer(error, error ? undefined : db), { due: now, channel: "database " + name });
    };
    kept.version = wanted;
    // Nothing else is under way in a database that is being opened by its only page.
    kept.running = transaction;
    native.Object.assign(ask, { readyState: "done", outcome: db, transaction });
    tell(ask, "upgradeneeded", { oldVersion: before, newVersion: wanted });
    goOn(transaction);
  }, { due: now, channel: "database " + name });
  return ask;
}

if (W.indexedDB) {
  const factory = {
    open: openDatabase,
    deleteDatabase(name) {
      const ask = new AskOpen();
      hold("database", `${name} delete`, () => {
        touchNamed(`database ${name}`, WRITE, 0);
        databases.delete(String(name));
        ask.readyState = "done";
        tell(ask, "success");
      }, { due: now, channel: "database " + name });
      return ask;
    },
    databases: () => native.Promise.resolve([...databases].map(([name, kept]) => ({ name, version: kept.version }))),
    cmp: compareKeys,
  };
  for (const [name, work] of native.Object.entries(factory)) define(W.IDBFactory.prototype, name, work);
  const kinds = { IDBRequest: Ask, IDBOpenDBRequest: AskOpen, IDBTransaction: Transaction, IDBObjectStore: ObjectStore, IDBIndex: Index, IDBCursor: Cursor, IDBCursorWithValue: CursorWithValue, IDBDatabase: Database };
  for (const [name, Kind] of native.Object.entries(kinds)) define(W, name, Kind);
}

// For the comparison of final states.
function databaseContents(say) {
  for (const [name, kept] of databases) {
    for (const store of kept.stores.values()) {
      for (const { key, value } of store.records) say(`indexedDB.${name}.${store.name}{${JSON.stringify(key)}}`, JSON.stringify(value));
    }
  }
}
