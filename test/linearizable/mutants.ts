import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findBuilt } from "../built.js";

/** Bug in the built library that a history must reveal. */
export interface Mutant {
  readonly what: string;
  /** Store name in shared-stores.ts. */
  readonly store: string;
  /** Path below `core/state` in the build. */
  readonly file: string;
  /** Text to replace. Occurs once in the file. */
  readonly text: string;
  readonly by: string;
}

export const mutants: readonly Mutant[] = [
  {
    ...{ what: "a lock is taken without a check for an existing one", store: "a file" },
    ...{ file: "stores/file-lock.js", text: "        await linkOrCopy(whole, path);\n        return true;" },
    by: "        await rename(whole, path);\n        return true;",
  },
  {
    ...{ what: "a run writes after it has lost its lock", store: "a file" },
    ...{
      file: "stores/file-lock.js",
      text: 'return parseHolder(readIfExistsSync(path) ?? "")?.id === id;',
    },
    by: "return true;",
  },
  {
    ...{ what: "a reader does not see the journal", store: "a file" },
    ...{ file: "stores/file.js", text: "return { journal, state: await" },
    by: "return { journal: undefined, state: await",
  },
  {
    ...{ what: "the next run drops the journal of a run that died", store: "a file" },
    ...{ file: "state-writer.js", text: "if (journal === undefined)" },
    by: "if (true)",
  },
  {
    ...{ what: "an outcome counts as recorded before it is", store: "a file" },
    ...{ file: "state-writer.js", text: "async () => writer?.flush()" },
    by: "async () => undefined",
  },
  {
    ...{ what: "a run on another machine counts as dead", store: "a file" },
    ...{ file: "holder-status.js", text: 'return hasRestarted(holder, environment) ? "dead" : "elsewhere";' },
    by: 'return "dead";',
  },
  {
    ...{ what: "a lock of any run is removed", store: "HTTP with a gitlab server" },
    ...{ file: "stores/http.js", text: '            if (found.status !== "dead")' },
    by: "            if (false)",
  },
  {
    ...{ what: "a write without a response counts as done", store: "HTTP with a terraform server" },
    ...{ file: "stores/http.js", text: "if (found?.write === next.write)" },
    by: "if (true)",
  },
  {
    ...{ what: "a text is replaced even if it has changed", store: "PostgreSQL" },
    ...{ file: "stores/postgres.js", text: "and part = $2 and version = $4::uuid" },
    by: "and part = $2 and $4::uuid is not null",
  },
  {
    ...{ what: "a lock is taken over without its journal", store: "PostgreSQL" },
    ...{ file: "stores/lock-by-swap.js", text: "take(mine, seen, getClosedJournal(seen))" },
    by: 'take(mine, seen, "")',
  },
  {
    ...{ what: "a push does not check the expected commit", store: "git over HTTP" },
    ...{ file: "stores/git-remote.js", text: "`--force-with-lease=${names[ref]}:${from}`" },
    by: '"--force"',
  },
];

const root = path.resolve(import.meta.dirname, "../..");

/** Builds a mutant and returns the module that opens its stores. */
export function makeMutant({ file, text, by }: Mutant): { module: string; remove(): void } {
  const cache = path.join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, "mutant-"));
  for (const layer of ["base", "core"])
    cpSync(findBuilt(layer), path.join(folder, layer), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  const target = path.join(folder, "core/state", file);
  const parts = readFileSync(target, "utf8").split(text);
  if (parts.length !== 2)
    throw new Error(`${file} of the build does not contain ${JSON.stringify(text)} exactly once.`);
  writeFileSync(target, parts.join(by));
  return {
    module: path.join(folder, "core/state/index.js"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
