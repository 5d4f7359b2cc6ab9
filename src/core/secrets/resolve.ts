import { createHash } from "node:crypto";
import { type AllowedHosts, isExposed, showAddress } from "../../base/http/index.js";
import { MissingPackageError } from "../../base/optional-packages/index.js";
import { backoffMs, retry } from "../../base/retry/index.js";
import type { System } from "../../base/system/index.js";
import { whyNotAValue } from "./not-a-value.js";
import { Sealed } from "./sealed.js";
import { type SourceValue, sourceText, type ValueSource } from "./source.js";
import {
  malformed,
  notAllowed,
  notSet,
  SourceError,
  type SourceErrorCode,
  SourceProblem,
  tooLong,
  unreadable,
} from "./source-error.js";
import { listFields, type SourceAnswer, type SourceContext, type SourceKind } from "./source-kind.js";
import { SourceRun } from "./source-run.js";
import { loadedKind, loadKind } from "./sources/index.js";
import { decoded, maxBytes, tooLongText } from "./text.js";

const defaultTimeoutMs = 10_000;
const mostAttempts = 4;
const longestVersion = 200;

/** A value, and its version if the source has one. */
export interface ResolvedValue {
  readonly value: Sealed;
  readonly version?: string | undefined;
}

/**
 * The source in messages, e.g. `environment variable LLM_API_KEY`. Contains no value.
 *
 * @param kinds those that the project defines itself.
 */
export function describe(source: ValueSource, kinds?: SourceEnvironment["kinds"]): string {
  const kind = kinds?.get(source.from) ?? loadedKind(source.from);
  return kind ? kind.describe(source) : `${source.from} source`;
}

/**
 * Resolves a source. Values lose one final newline, which editors, programs and settings of CI add. A value of white
 * space only counts as empty.
 *
 * @throws SourceError if there is no value.
 */
export async function resolve(source: ValueSource, environment: SourceEnvironment): Promise<Sealed> {
  return (await resolveWithVersion(source, environment)).value;
}

export function resolveWithVersion(
  source: ValueSource,
  environment: SourceEnvironment,
): Promise<ResolvedValue> {
  return askSource("value", source, environment, async (kind, fields, context) =>
    toResolvedValue(await kind.read(fields, context)),
  );
}

/**
 * The current version of a source, without its value; undefined if it has none.
 *
 * @throws SourceError
 */
export async function currentVersion(
  source: ValueSource,
  environment: SourceEnvironment,
): Promise<string | undefined> {
  const kind = await findKind(source, environment);
  if (!kind.version) return undefined;
  return askSource("version", source, environment, async (_, fields, context) =>
    checkedVersion(await kind.version?.(fields, context)),
  );
}

/**
 * Which value a source names, whatever its time limit is. Digests, because the state need not tell the paths of a
 * vault. `written`: by the source alone, without what the environment adds.
 */
export async function sourceIdentity(
  source: ValueSource,
  environment: SourceEnvironment,
): Promise<{ readonly source: string; readonly written: string }> {
  const kind = await findKind(source, environment);
  const digest = ({ timeoutMs: _, ...fields }: ValueSource): string =>
    createHash("sha256").update(sourceText(fields)).digest("base64url");
  return {
    source: digest({ ...completeFields(source, kind, environment), from: source.from }),
    written: digest(source),
  };
}

type Ask<Answer> = (kind: SourceKind, fields: object, context: SourceContext) => Promise<Answer>;

async function askSource<Answer>(
  what: string,
  source: ValueSource,
  environment: SourceEnvironment,
  ask: Ask<Answer>,
): Promise<Answer> {
  const kind = await findKind(source, environment);
  const description = kind.describe(source);
  const { signal, only } = environment;
  if (signal?.aborted)
    throw new SourceError("cancelled", description, "was not resolved because the run was cancelled.");
  if (only && !(source.from === "env" && only.has(String(source.name))))
    throw new SourceError("not-allowed", description, "is not used, because the change is untrusted.");
  // Kinds that the project defines are its code.
  if (!environment.allowCode && (kind.runsCode || environment.kinds?.has(source.from)))
    throw new SourceError(
      "not-allowed",
      description,
      "is not run, because code of the project may not run here.",
    );
  const run = environment.run ?? new SourceRun();
  const work = () => inTime(kind, source, environment, run, ask);
  const once = () =>
    run.once(`${what} ${sourceText(source)}`, () =>
      environment.running ? environment.running(work) : work(),
    );
  if (environment.run) return once();
  try {
    return await once();
  } finally {
    await run.close();
  }
}

async function findKind(source: ValueSource, { kinds }: SourceEnvironment): Promise<SourceKind> {
  const kind = kinds?.get(source.from) ?? (await loadKind(source.from));
  if (kind) return kind;
  throw new SourceError("unknown-source", `source ${source.from}`, "is not one that avatarops knows.");
}

/** Asks with retries, until the time is over or the run is cancelled. */
async function inTime<Answer>(
  kind: SourceKind,
  source: ValueSource,
  environment: SourceEnvironment,
  run: SourceRun,
  ask: Ask<Answer>,
): Promise<Answer> {
  const description = kind.describe(source);
  const error = (code: SourceErrorCode, problem: string) => new SourceError(code, description, problem);
  const stop = new AbortController();
  const timeoutMs = source.timeoutMs ?? defaultTimeoutMs;
  const late = () => stop.abort(error("timed-out", `did not respond within ${timeoutMs / 1_000} s.`));
  const stopTimer = environment.system.startTimer(timeoutMs, late);
  const cancel = () => stop.abort(error("cancelled", "was not read because the run was cancelled."));
  environment.signal?.addEventListener("abort", cancel, { once: true });
  if (environment.signal?.aborted) cancel();
  const fields = completeFields(source, kind, environment);
  const context: SourceContext = {
    root: environment.root,
    allowCode: environment.allowCode,
    environment: { ...namedVariables(fields, kind, environment), ...environment.environment },
    signal: stop.signal,
    now: environment.system.now,
    error,
    checkAddress: (address, from) => refuseAddress(address, from, environment),
    connection: (key, open, close) => run.connection(`${kind.name} ${key}`, open, close),
  };
  try {
    requireAll(fields, kind);
    checkUrls(source, fields, kind, context);
    return await untilStopped(
      askAgain(() => ask(kind, fields, context), context, environment),
      stop.signal,
    );
  } catch (thrown) {
    // A connection that another source opened reports errors of that one.
    if (thrown instanceof SourceError && thrown.source === description) throw thrown;
    throw error(...toSourceError(thrown));
  } finally {
    stopTimer();
    environment.signal?.removeEventListener("abort", cancel);
  }
}

/** Ends when the signal aborts, even if the work takes no notice. */
function untilStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Asks again, with pauses, while nothing answers. */
function askAgain<Result>(
  ask: () => Promise<Result>,
  { error, signal }: SourceContext,
  { system, backoffMs: firstPauseMs = 300 }: SourceEnvironment,
): Promise<Result> {
  return retry(ask, async (thrown, attempts) => {
    const [code, problem] = toSourceError(thrown);
    if (code !== "unreachable") throw thrown;
    if (attempts === mostAttempts) throw error(code, `${problem} It was tried ${attempts} times.`);
    await system.sleep(backoffMs(firstPauseMs, attempts, system.random), signal);
    if (signal.aborted) throw signal.reason;
  });
}

/** What the system says if nobody answers; undici's among them. */
const noAnswer =
  /^(E(AI_AGAIN|CONNREFUSED|CONNRESET|CONNABORTED|HOSTUNREACH|NETUNREACH|NOTFOUND|PIPE|TIMEDOUT)|UND_ERR_\w+)$/;

/** An error as it may be shown: of one that is not ours, the system's code and nothing else. */
function toSourceError(thrown: unknown): readonly [code: SourceErrorCode, problem: string] {
  if (thrown instanceof SourceProblem) return [thrown.code, thrown.problem];
  if (thrown instanceof MissingPackageError)
    return [thrown.code, `needs the package ${thrown.package}: ${thrown.advice}.`];
  const code = systemCode(thrown);
  if (code !== undefined && noAnswer.test(code)) return ["unreachable", `cannot be reached (${code}).`];
  const shown = code === undefined ? "" : ` (${code})`;
  return [
    "failed",
    `could not be read${shown}. The error itself is not shown, because it may contain the response.`,
  ];
}

/** The code of an error, or of what caused it: `fetch` hides the system's error below its own. */
function systemCode(thrown: unknown, depth = 0): string | undefined {
  if (!(thrown instanceof Error) || depth > 4) return undefined;
  const code = "code" in thrown ? thrown.code : undefined;
  if (typeof code === "string" && /^[A-Z][A-Z0-9]{1,19}(_[A-Z0-9]{1,20}){0,4}$/.test(code)) return code;
  return systemCode(thrown.cause, depth + 1);
}

/** The fields as written, and from the environment what is not. */
function completeFields(
  source: ValueSource,
  kind: SourceKind,
  { environment }: SourceEnvironment,
): Record<string, SourceValue | undefined> {
  const { from: _, ...fields } = source;
  const complete: Record<string, SourceValue | undefined> = fields;
  for (const [name, { variable }] of listFields(kind)) {
    const given =
      variable && Object.hasOwn(environment, variable) ? environment[variable]?.trim() : undefined;
    if (given) complete[name] ??= given;
  }
  return complete;
}

/** The variables of files that the fields name. */
function namedVariables(
  fields: Readonly<Record<string, unknown>>,
  kind: SourceKind,
  { fileVariables = {} }: SourceEnvironment,
): SourceEnvironment["environment"] {
  const named = [...listFields(kind)].filter(([, { type }]) => type === "variable");
  const names = named.map(([field]) => String(fields[field]));
  return Object.fromEntries(Object.entries(fileVariables).filter(([name]) => names.includes(name)));
}

function refuseAddress(address: string, from: "source" | "environment", { hosts }: SourceEnvironment): void {
  const isPlain = from === "source" && !hosts && isExposed(address);
  const problem = isPlain
    ? "would be sent credentials without TLS: write https://"
    : hosts?.check(address, from === "source" ? "file" : from);
  if (problem !== undefined)
    throw notAllowed(`cannot be read: the address ${showAddress(address)} ${problem}.`);
}

function checkUrls(
  source: ValueSource,
  fields: Readonly<Record<string, unknown>>,
  kind: SourceKind,
  { checkAddress }: SourceContext,
): void {
  for (const [name, { type }] of listFields(kind)) {
    const value = fields[name];
    if (type === "url" && typeof value === "string")
      checkAddress(value, source[name] === undefined ? "environment" : "source");
  }
}

function requireAll(fields: Readonly<Record<string, unknown>>, kind: SourceKind): void {
  for (const [name, { required, variable }] of listFields(kind)) {
    if (!required || fields[name] !== undefined) continue;
    const variableHint = variable === undefined ? "" : `, or set ${variable}`;
    throw notSet(`has no ${name}. Write it${variableHint}.`);
  }
}

function toResolvedValue({ value, version }: SourceAnswer): ResolvedValue {
  const isLong = typeof value === "string" ? Buffer.byteLength(value) > maxBytes : value.length > maxBytes;
  if (isLong) throw tooLong(tooLongText);
  const text = typeof value === "string" ? value : decoded(value);
  if (text === undefined) throw unreadable("is not UTF-8 text. Encode it, e.g. as base64.");
  if (text.trim() === "") throw new SourceProblem("empty", "is empty. Give it a value.");
  const problem = whyNotAValue(text);
  if (problem !== undefined) throw new SourceProblem("not-a-value", problem);
  return { value: new Sealed(text.replace(/\r?\n$/, "")), version: checkedVersion(version) };
}

/** A version is written into the state and shown. */
function checkedVersion(version: string | undefined): string | undefined {
  if (version === undefined || (version !== "" && version.length <= longestVersion)) return version;
  throw malformed(`has a version that is empty or longer than ${longestVersion} characters.`);
}

export interface SourceEnvironment {
  /** Absolute path of the project folder: files are inside it, commands run in it. */
  readonly root: string;
  /** Whether code of the project may run: `!exec`, its own kinds of sources, and packages beside it. */
  readonly allowCode: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further variables, which only a source reads that names them, such as `!env`. */
  readonly fileVariables?: Readonly<Record<string, string | undefined>> | undefined;
  /** Only these environment variables are read, no other, and no file; nothing is run. Default: everything. */
  readonly only?: ReadonlySet<string>;
  /** Where sources may have credentials sent that say so themselves. Default: anywhere with TLS, and this machine. */
  readonly hosts?: AllowedHosts | undefined;
  readonly system: System;
  readonly signal?: AbortSignal;
  readonly kinds?: ReadonlyMap<string, SourceKind> | undefined;
  /** Within one run, equal sources are read once, and connections are shared. Default: each is a run of its own. */
  readonly run?: SourceRun;
  /** The wait before the first retry; doubles with each. Default: 300 ms. */
  readonly backoffMs?: number | undefined;
  /** Wraps work that waits for a source: if the caller is stopped, `signal` stops the source as well. */
  running?<Result>(work: () => Promise<Result>): Promise<Result>;
}
