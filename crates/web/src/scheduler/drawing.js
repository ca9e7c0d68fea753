// Canvases: what is drawn is one location.

const DRAWS = ["clearRect", "fillRect", "strokeRect", "fillText", "strokeText", "fill", "stroke", "drawImage", "putImageData", "reset"];
const READS_DRAWING = ["toDataURL", "transferToImageBitmap"];
for (const Context of [W.CanvasRenderingContext2D, W.OffscreenCanvasRenderingContext2D]) {
  if (!Context) continue;
  for (const name of DRAWS) {
    wrap(Context.prototype, name, (original) => function (...args) {
      touchNode(this.canvas, "drawing", WRITE);
      if (name === "drawImage" && args[0] instanceof W.HTMLCanvasElement) touchNode(args[0], "drawing", READ);
      return original.apply(this, args);
    });
  }
  wrap(Context.prototype, "getImageData", (original) => function (...args) {
    touchNode(this.canvas, "drawing", READ);
    return original.apply(this, args);
  });
}
for (const Canvas of [W.HTMLCanvasElement, W.OffscreenCanvas]) {
  for (const name of READS_DRAWING) {
    wrap(Canvas && Canvas.prototype, name, (original) => function (...args) {
      touchNode(this, "drawing", READ);
      return original.apply(this, args);
    });
  }
}
wrap(W.HTMLCanvasElement.prototype, "toBlob", (original) => function (done, ...rest) {
  touchNode(this, "drawing", READ);
  hold("blob", "toBlob", () => {
    busy++;
    original.call(this, (blob) => { busy--; done(blob); }, ...rest);
  }, { due: now });
});
