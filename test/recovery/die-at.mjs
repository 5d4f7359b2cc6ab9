// Preloaded module that kills the process just before or after the nth step that writes, renames or removes a file.
// AVATAROPS_TEST_DIE_AT is "before:3" or "after:3".
import fs from "node:fs";
import { open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const [when, number] = (process.env.AVATAROPS_TEST_DIE_AT ?? "never:0").split(":");
let steps = 0;

function makeDeadly(original) {
  return async function (...args) {
    steps += 1;
    const isLast = steps === Number(number);
    if (isLast && when === "before") process.kill(process.pid, "SIGKILL");
    const result = await original.apply(this, args);
    if (isLast && when === "after") process.kill(process.pid, "SIGKILL");
    return result;
  };
}

const handle = await open(new URL(import.meta.url), "r");
const FileHandle = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ["sync", "datasync", "write", "writeFile", "appendFile"]) {
  if (FileHandle[name]) FileHandle[name] = makeDeadly(FileHandle[name]);
}
for (const name of ["rename", "link", "unlink", "rm", "writeFile", "appendFile"]) {
  fs.promises[name] = makeDeadly(fs.promises[name]);
}
syncBuiltinESMExports();
process.on("exit", () => fs.writeSync(2, `steps: ${steps}\n`));
