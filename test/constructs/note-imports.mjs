// Loaded before a program: notes every module that is imported in the file named by NOTE_IMPORTS.
import { appendFileSync } from "node:fs";
import { register } from "node:module";

if (process.env.NOTE_IMPORTS) register(import.meta.url, { parentURL: import.meta.url });

export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  appendFileSync(process.env.NOTE_IMPORTS, `${resolved.url}\n`);
  return resolved;
}
