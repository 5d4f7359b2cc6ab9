import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { globSync } from "tinyglobby";

/**
 * Yields the files that were changed, added or deleted since the call, and then since the last yield. Compares times and
 * sizes, because file system events are lost on a busy machine, in containers and on network drives.
 */
export function pollFiles(pattern: string, intervalMs: number): AsyncGenerator<readonly string[]> {
  const read = () => {
    const files = globSync(pattern, { ignore: "**/node_modules/**" });
    return new Map(files.map((file) => [file, readVersion(file)]));
  };
  let before = read();
  async function* poll() {
    for (;;) {
      const now = read();
      const both = new Set([...before.keys(), ...now.keys()]);
      const changed = [...both].filter((file) => before.get(file) !== now.get(file)).toSorted();
      before = now;
      if (changed.length > 0) yield changed;
      else await sleep(intervalMs);
    }
  }
  return poll();
}

/** Returns a string that changes with the file, or "" if the file was just deleted. */
function readVersion(file: string): string {
  const facts = statSync(file, { throwIfNoEntry: false });
  return facts ? `${facts.mtimeMs} ${facts.size}` : "";
}
