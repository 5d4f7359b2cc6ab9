// Preloaded into a measured program. Reports peak memory and CPU time on file descriptor 3 at exit. With --expose-gc,
// also reports the peak heap size after a garbage collection.
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
