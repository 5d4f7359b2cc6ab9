// Loaded before a measured program: reports its peak memory on file descriptor 3 when it ends. With --expose-gc, also
// the most heap in use right after a collection.
import { writeSync } from "node:fs";

let held;
if (globalThis.gc) {
  setInterval(() => {
    globalThis.gc();
    held = Math.max(held ?? 0, process.memoryUsage().heapUsed);
  }, 100).unref();
}

process.on("exit", () => writeSync(3, JSON.stringify({ maxRSS: process.resourceUsage().maxRSS, held })));
