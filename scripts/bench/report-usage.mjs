// Loaded before a measured program: reports its peak memory and its CPU time on file descriptor 3 when it ends. With
// --expose-gc, also the most heap in use right after a collection.
import { writeSync } from "node:fs";

let held;
if (globalThis.gc) {
  setInterval(() => {
    globalThis.gc();
    held = Math.max(held ?? 0, process.memoryUsage().heapUsed);
  }, 100).unref();
}

process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, JSON.stringify({ maxRSS, cpuMs: (userCPUTime + systemCPUTime) / 1000, held }));
});
