import { open, rm } from "node:fs/promises";
import { openStore } from "../../src/core/state/index.js";

/**
 * A process that wants the state, for contention.test.ts: takes the lock, makes sure it is alone, adds one object,
 * lets go. With "die" it is killed while it holds the lock.
 */
const [file = "", name = "", how = ""] = process.argv.slice(2);
let made = 0;
const store = openStore(file, {
  now: Date.now,
  newId: () => `${name}-${++made}`,
  pid: process.pid,
  host: "desk",
});
const session = await store.lock({ command: `contender ${name}`, timeoutMs: 60_000 });
// Fails if another one is inside.
const inside = await open(`${file}.inside`, "wx");
await session.begin("https://api.example.com");
await session.completeIntent(`context.${name}`, { id: name, applied: {} });
await inside.close();
await rm(`${file}.inside`);
if (how === "die") process.kill(process.pid, "SIGKILL");
await session.commit();
await session.release();
