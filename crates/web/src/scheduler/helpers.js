// What the rewritten scripts call, and how code that comes as text is rewritten.

// Objects whose property is named by an expression wait here until that has a value.
const waiting = [];

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
  // `key in object`: first the key, then the object.
  q(key) { waiting.push(key); return key; },
  h(object, site) { access(object, plainKey(waiting.pop()), READ, site); return object; },
  // Private fields.
  pr(object, key, site) { privateAccess(object, key, READ, site); return object; },
  pw(object, key, site) { privateAccess(object, key, WRITE, site); return object; },
  pu(object, key, site) { privateAccess(object, key, READ, site); privateAccess(object, key, WRITE, site); return object; },
  // A value that is taken apart: by these keys, or whole. And an assignment, followed by accounts of what it has written.
  x(object, site, ...keys) { for (const key of keys) access(object, key, READ, site); return object; },
  y(object, site) { lastSite = site; goneThrough(object); return object; },
  z(value) { return value; },
  // Global variables: read, written (with the value), declared.
  v(name, site, value) { if (!native.baseline.has(name)) { lastSite = site; touch(globalOf(name), READ, site); } return value; },
  a(name, site, value) {
    if (isHandler(name)) touchHandlers(W, name.slice(2), WRITE, site); else wroteVariable(globalOf(name), site, value);
    return value;
  },
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

// A function of a module may be called before the module has run: then there is no record yet. Behind `~` is the number of a block.
function variableOf(scope, name) {
  if (scope === undefined) return new Location("", name);
  let location = scope.get(name);
  if (location === undefined) scope.set(name, location = new Location("", name.split("~")[0]));
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
    const key = typeof location.key === "symbol" ? location.key.description : String(location.key);
    told.push([location.owner, key, entries.map((e) => [e.event, e.mode, e.r, e.w])]);
  }
  return JSON.stringify(told);
}
