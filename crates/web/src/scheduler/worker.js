// Runs in a worker before its own script: answers what the page asks, and leaves timers to the page, which holds them.

const say = self.postMessage.bind(self);
const timers = new Map();
let nextTimer = 1;

function set(repeats) {
  return (handler, delay, ...args) => {
    const number = nextTimer++;
    const run = typeof handler === "function" ? () => handler(...args) : () => (0, eval)(String(handler));
    const wait = Math.max(repeats ? 1 : 0, Math.floor(Number(delay)) || 0);
    const register = () => say(`${SELF} timer ${number} ${wait}`);
    timers.set(number, { run, repeats, register });
    register();
    return number;
  };
}
function clear(number) {
  if (timers.delete(Number(number))) say(`${SELF} clear ${number}`);
}
Object.assign(self, { setTimeout: set(false), setInterval: set(true), clearTimeout: clear, clearInterval: clear });

addEventListener("message", (event) => {
  if (typeof event.data !== "string" || !event.data.startsWith(SELF + " ")) return;
  event.stopImmediatePropagation();
  const [, word, number] = event.data.split(" ");
  const timer = word === "run" ? timers.get(Number(number)) : undefined;
  // A question is answered: what was said before it comes before the answer.
  if (word !== "run") say(event.data);
  if (!timer) return;
  if (timer.repeats) timer.register(); else timers.delete(Number(number));
  timer.run();
});
