import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { type Diagnostic, type SourceRange, toLocation } from "../../base/diagnostics/index.js";
import { executablePath } from "../../base/optional-packages/index.js";
import { packageFolder } from "../../base/version/index.js";
import type { Declaration, PolicyFunction } from "../../core/manifest/index.js";
import { findingForm, type PolicyFinding, type PolicyInput } from "./function.js";

/** Default time limit, far longer than any function needs. */
const defaultLimitMs = 30_000;

/** Plan to judge, with the settings for running the functions. */
export interface JudgedPlan extends Omit<RunContext, "limitMs" | "modules"> {
  readonly input: PolicyInput;
  /** Whether the project's code may run. If not, each function yields an error. */
  readonly allowCode: boolean;
  /** Declarations, for the locations of findings. */
  readonly declarations: readonly Declaration[];
  /** Maximum run time of a function, in ms. Default: 30,000. */
  readonly limitMs?: number;
}

/** Judges a plan with the policy functions, in manifest order. */
export async function judgeByFunctions(
  functions: readonly PolicyFunction[],
  { input, allowCode, declarations, limitMs = defaultLimitMs, ...context }: JudgedPlan,
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  if (functions.length === 0) return found;
  if (!allowCode) {
    const problem = "did not judge this plan, because this run does not allow project code";
    const hint = "allow project code, or remove the function from policies.functions";
    return functions.map(({ file, range }) => toFailure(file, problem, range, hint));
  }
  const modules = await openModules();
  try {
    for (const { file, range } of functions) {
      const code = toCode(file);
      const returned = await runFunction(file, input, { ...context, limitMs, modules });
      const findings = "value" in returned ? parseFindings(returned.value) : returned.failure;
      if (typeof findings === "string") found.push(toFailure(file, findings, range));
      else found.push(...findings.map((finding) => toDiagnostic(code, finding, declarations)));
    }
  } finally {
    await modules.close();
  }
  return found;
}

/** Returns the error for a function that failed to judge the plan. */
function toFailure(
  file: string,
  problem: string,
  range: SourceRange,
  hint = "fix the function, or remove it from policies.functions",
): Diagnostic {
  return {
    ...{
      severity: "error",
      code: "policy-function",
      message: `${file} ${problem}`,
      location: toLocation(range),
    },
    ...{ hint, policy: {} },
  };
}

/** Validates a function's findings. Returns a problem as a clause that follows the file name. */
function parseFindings(value: unknown): readonly PolicyFinding[] | string {
  const read = z.array(findingForm).safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const details = issue?.path.length ? ` (${issue.path.join(".")}: ${issue.message})` : "";
  return `did not return a list of { message, severity, address, field, hint }${details}`;
}

function toDiagnostic(
  code: string,
  { message, severity = "error", address, field, hint }: PolicyFinding,
  declarations: readonly Declaration[],
): Diagnostic {
  const declaration = declarations.find((candidate) => candidate.address === address);
  const range = declaration && ((field && declaration.keys?.[field]) || declaration.range);
  return {
    ...{ severity, code, hint },
    message: address && !message.includes(address) ? `${address}: ${message}` : message,
    location: range && toLocation(range),
    policy: { address, field },
  };
}

/** Converts the file name to a problem code. */
function toCode(file: string): string {
  const words = path.parse(file).name.split(/[^A-Za-z0-9]+/);
  return words.filter(Boolean).join("-").toLowerCase() || "policy";
}

/** Return value of a function, or the reason why there is none. */
type Returned = { readonly value: unknown } | { readonly failure: string };

/** Settings for running a policy function. */
interface RunContext {
  /** Project folder. */
  readonly root: string;
  readonly signal: AbortSignal;
  readonly limitMs: number;
  /** Receives the function's output, to keep it out of our own stdout. */
  readonly onOutput: (text: string) => void;
  readonly modules: Modules;
}

/*
 * Functions run in a worker thread that can be terminated. A function that never returns must not block a pipeline, and
 * one that calls process.exit must not end it. The thread receives the file name and the plan as JSON, and runs
 * TypeScript with jiti, like a TypeScript manifest.
 */
const threadCode = `
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

/** Runs a function on a plan. Throws only if aborted. */
async function runFunction(
  file: string,
  input: PolicyInput,
  { root, signal, limitMs, onOutput, modules }: RunContext,
): Promise<Returned> {
  const { Worker } = await import("node:worker_threads");
  const worker = new Worker(threadCode, {
    eval: true,
    stdout: true,
    stderr: true,
    workerData: {
      jiti: pathToFileURL(modules.locate(createRequire(import.meta.url).resolve("jiti"))).href,
      file: path.join(root, file),
      root: path.join(root, "avatarops"),
      alias: createAlias(root, modules.locate(library)),
      input: JSON.stringify(input),
    },
  });
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => onOutput(text));
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

/**
 * Path to the library for policy functions. Executables use the CommonJS bundle, because jiti would take a minute to
 * transform an ES module bundle.
 */
const library = path.join(packageFolder, executablePath ? "dist/index.cjs" : "dist/index.js");

/** Files that a thread may import, relative to the folder that contains this package. */
const importedFiles = [
  ...["package.json", "lib/jiti.cjs", "dist/jiti.cjs", "dist/babel.cjs"].map((file) => `jiti/${file}`),
  ...["package.json", "dist/index.cjs"].map((file) => `avatarops/${file}`),
];

/**
 * Module files for threads. Threads cannot read files inside an executable, so those are copied to a temporary folder.
 */
interface Modules {
  readonly locate: (file: string) => string;
  /** Removes the temporary folder. */
  readonly close: () => Promise<void> | void;
}

async function openModules(): Promise<Modules> {
  if (!executablePath) return { locate: (file: string) => file, close: () => {} };
  const source = path.dirname(packageFolder);
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-"));
  for (const file of importedFiles) {
    await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
    await writeFile(path.join(folder, file), await readFile(path.join(source, file)));
  }
  return {
    locate: (file: string) => path.join(folder, path.relative(source, file)),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Resolves "avatarops" for projects that run it with npx instead of installing it. */
function createAlias(root: string, library: string): Record<string, string> {
  try {
    createRequire(path.join(root, "avatarops")).resolve("avatarops");
    return {};
  } catch {
    return existsSync(library) ? { avatarops: library } : {};
  }
}
