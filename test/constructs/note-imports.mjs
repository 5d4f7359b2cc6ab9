// Preloaded script. Records every imported or required module in the file named by NOTE_IMPORTS.
import { appendFileSync } from "node:fs";
import module, { register } from "node:module";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";

const note = (url) => appendFileSync(process.env.NOTE_IMPORTS, `${url}\n`);

if (isMainThread) {
  register(import.meta.url, { parentURL: import.meta.url });
  process.on("exit", () => {
    for (const file of Object.keys(module._cache)) note(pathToFileURL(file));
  });
}

export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  note(resolved.url);
  return resolved;
}
