// Loaded before a measured program: reports its peak memory on file descriptor 3 when it ends.
import { writeSync } from "node:fs";

process.on("exit", () => writeSync(3, JSON.stringify({ maxRSS: process.resourceUsage().maxRSS })));
