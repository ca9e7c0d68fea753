// Observers and transitions: the browser tells of them with its frames, in its own time.

function holdObserver(name) {
  const Original = W[name];
  if (!Original) return;
  W[name] = new Proxy(Original, {
    construct(target, args, self) {
      const handler = args[0];
      let observer;
      const told = (records) => {
        hold("observer", name, () => handler.call(observer, records, observer), { due: now, channel: "observer" + channelKey(observer) });
      };
      observer = Reflect.construct(target, [told, ...args.slice(1)], self);
      return observer;
    },
  });
  wrap(Original.prototype, "observe", (original) => function (...args) {
    needsFrames = true;
    return original.apply(this, args);
  });
}
holdObserver("IntersectionObserver");
holdObserver("ResizeObserver");

// Running transitions and animations are stopped; their end is an event.
const stopped = new WeakSet();
function findTransitions() {
  if (!document.getAnimations || !paints) return;
  for (const animation of document.getAnimations()) {
    if (stopped.has(animation)) continue;
    stopped.add(animation);
    const timing = animation.effect && animation.effect.getComputedTiming();
    animation.pause();
    if (!timing || !isFinite(timing.endTime)) {
      note("an animation without end was stopped");
      continue;
    }
    const target = animation.effect.target;
    const name = (animation.transitionProperty || animation.animationName || "animation") + (target && target.id ? " #" + target.id : "");
    const remaining = Math.max(0, timing.endTime - (animation.currentTime || 0));
    hold("transition", name, () => {
      if (animation.playState === "idle") return;
      const type = animation.transitionProperty ? "transitionend" : "animationend";
      busy++;
      let over = false;
      const done = () => { if (!over) { over = true; busy--; } };
      if (target) native.addEventListener.call(target, type, () => native.setTimeout(done, 0), { once: true });
      native.setTimeout(done, 150);
      animation.finish();
    }, { due: now + remaining, delay: remaining });
  }
}
