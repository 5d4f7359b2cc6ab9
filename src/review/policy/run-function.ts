import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { packageFolder } from "../../base/version/index.js";
import type { PolicyInput } from "./function.js";

/** What came of a function: what it returned, or why it did not. */
export type Returned = { readonly value: unknown } | { readonly failure: string };

/** Where and how long a function runs. */
export interface Running {
  /** The project folder. */
  readonly root: string;
  readonly signal: AbortSignal;
  readonly limitMs: number;
  /** Hears what it prints, which must not mix with results. */
  readonly say: (text: string) => void;
}

/*
 * In a thread of its own, which can be ended: a function that never returns must not hold up a pipeline, and one that
 * calls process.exit must not end it. The thread gets the file's name and the plan as JSON; jiti runs TypeScript there, as
 * it does for definitions.
 */
const thread = `
const { parentPort, workerData } = require("node:worker_threads");
const { jiti, file, root, alias, input } = workerData;
const respond = (message) => parentPort.postMessage(message);
const toText = (error) => (error instanceof Error ? error.name + ": " + error.message : String(error));
(async () => {
  const { createJiti } = await import(jiti);
  const options = { fsCache: false, tsconfigPaths: true, alias };
  const exported = await createJiti(root, options).import(file);
  const judge = exported && exported.default;
  if (typeof judge !== "function") return respond({ failure: "has no function as its default export" });
  const value = await judge(JSON.parse(input));
  respond({ value: value === undefined ? [] : JSON.parse(JSON.stringify(value) ?? "null") });
})().catch((error) => respond({ failure: "failed: " + toText(error) }));
`;

/** Runs one function on a plan. Never throws, but when it is aborted. */
export async function runFunction(
  file: string,
  input: PolicyInput,
  { root, signal, limitMs, say }: Running,
): Promise<Returned> {
  const { Worker } = await import("node:worker_threads");
  const worker = new Worker(thread, {
    eval: true,
    stdout: true,
    stderr: true,
    workerData: {
      jiti: pathToFileURL(createRequire(import.meta.url).resolve("jiti")).href,
      file: path.join(root, file),
      root: path.join(root, "avatarops"),
      alias: aliases(root),
      input: JSON.stringify(input),
    },
  });
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => say(text));
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  try {
    return await new Promise<Returned>((resolve, reject) => {
      stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      timer = setTimeout(() => resolve({ failure: `did not return within ${limitMs / 1000} s` }), limitMs);
      worker.once("message", resolve);
      worker.once("error", (error) => resolve({ failure: `failed: ${String(error)}` }));
      worker.once("exit", () => resolve({ failure: "ended without returning" }));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

/** For projects that have not installed this package, and run it with npx. */
function aliases(root: string): Record<string, string> {
  try {
    createRequire(path.join(root, "avatarops")).resolve("avatarops");
    return {};
  } catch {
    const library = path.join(packageFolder, "dist/index.js");
    return existsSync(library) ? { avatarops: library } : {};
  }
}
