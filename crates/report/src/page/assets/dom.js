// Elements. What is shown goes in as text and never as markup: names and messages come from users.

/** An element with attributes and children. A function among the attributes listens to the event of its name; what is undefined or false is left out. */
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for pictures. */
function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

function part(id) {
  return document.getElementById(id);
}

/** Gives an element these children instead of those that it has. */
function put(element, ...children) {
  element.replaceChildren(...children.flat().filter(Boolean));
}

/** A place that can be stood on within an element, from its left and top. */
function at(left, top, width, height) {
  return `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
}

/** `1 event`, `7 events`. */
function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
