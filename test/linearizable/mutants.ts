import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findBuilt } from "../built.js";

/** A mistake in the built library that a history must show. */
export interface Mutant {
  readonly what: string;
  /** As shared-places.ts calls it. */
  readonly store: string;
  /** Below `core/state` of the build. */
  readonly file: string;
  /** Occurs there once. */
  readonly text: string;
  readonly by: string;
}

export const mutants: readonly Mutant[] = [
  {
    ...{ what: "a lock is taken without looking whether there is one", store: "a file" },
    ...{ file: "stores/file-lock.js", text: "        await linkOrCopy(whole, path);\n        return true;" },
    by: "        await rename(whole, path);\n        return true;",
  },
  {
    ...{ what: "a run writes after it has lost its lock", store: "a file" },
    ...{
      file: "stores/file-lock.js",
      text: 'return parseHolder(readIfThereSync(path) ?? "")?.id === id;',
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
    ...{ file: "processes.js", text: 'return hasRestarted(holder, environment) ? "dead" : "elsewhere";' },
    by: 'return "dead";',
  },
  {
    ...{ what: "a lock is removed whoever holds it", store: "HTTP in the way of gitlab" },
    ...{ file: "stores/http.js", text: '            if (found.status !== "dead")' },
    by: "            if (false)",
  },
  {
    ...{ what: "a write without a response counts as done", store: "HTTP in the way of terraform" },
    ...{ file: "stores/http.js", text: "if (found?.write === next.write)" },
    by: "if (true)",
  },
  {
    ...{ what: "a text is replaced whatever it is by then", store: "PostgreSQL" },
    ...{ file: "stores/postgres.js", text: "and part = $2 and version = $4::uuid" },
    by: "and part = $2 and $4::uuid is not null",
  },
  {
    ...{ what: "a lock is taken over without its journal", store: "PostgreSQL" },
    ...{ file: "stores/lock-by-swap.js", text: "take(mine, seen, getClosedJournal(seen))" },
    by: 'take(mine, seen, "")',
  },
  {
    ...{ what: "a push does not say what it expects", store: "git over HTTP" },
    ...{ file: "stores/git-remote.js", text: "`--force-with-lease=${names[ref]}:${from}`" },
    by: '"--force"',
  },
];

const root = path.resolve(import.meta.dirname, "../..");

/** Builds a mutant; its module to open stores with. */
export function makeMutant({ file, text, by }: Mutant): { module: string; remove(): void } {
  const cache = path.join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, "mutant-"));
  for (const layer of ["base", "core"])
    cpSync(findBuilt(layer), path.join(folder, layer), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  const target = path.join(folder, "core/state", file);
  const parts = readFileSync(target, "utf8").split(text);
  if (parts.length !== 2) throw new Error(`${file} of the build has ${JSON.stringify(text)} not once.`);
  writeFileSync(target, parts.join(by));
  return {
    module: path.join(folder, "core/state/index.js"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
