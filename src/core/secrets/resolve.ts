import { createHash } from "node:crypto";
import {
  type AllowedHosts,
  describeConnectionFailure,
  isUnencrypted,
  showAddress,
} from "../../base/http/index.js";
import { MissingPackageError } from "../../base/optional-packages/index.js";
import { calculateBackoffMs, retry } from "../../base/retry/index.js";
import type { System } from "../../base/system/index.js";
import { findReasonNotAValue } from "./not-a-value.js";
import { Sealed } from "./sealed.js";
import { type SourceValue, serializeSource, type ValueSource } from "./source.js";
import { SourceError, type SourceErrorCode, SourceProblem } from "./source-error.js";
import { listFields, type SourceContext, type SourceKind, type SourceResult } from "./source-kind.js";
import { SourceRun } from "./source-run.js";
import { getLoadedKind, loadKind } from "./sources/index.js";
import { decodeUtf8, maxBytes, tooLongText } from "./text.js";

const defaultTimeoutMs = 10_000;
const maxAttempts = 4;
const maxVersionLength = 200;

/** A value, and its version if the source has one. */
export interface ResolvedValue {
  readonly value: Sealed;
  readonly version?: string | undefined;
}

/**
 * Describes the source for messages, such as `environment variable LLM_API_KEY`. Never includes the value.
 *
 * @param kinds Secret sources that the project defines.
 */
export function describe(source: ValueSource, kinds?: SourceEnvironment["kinds"]): string {
  const kind = kinds?.get(source.from) ?? getLoadedKind(source.from);
  return (kind && tryDescribe(kind, source)) ?? `${source.from} source`;
}

/** Returns undefined if the `describe` of a project's own source fails. */
function tryDescribe(kind: SourceKind, source: ValueSource): string | undefined {
  try {
    const description: unknown = kind.describe(source);
    return typeof description === "string" ? description : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Resolves a source. Removes one final newline, which editors, programs and CI settings add. White space alone counts
 * as empty.
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
  return readSource("value", source, environment, async (kind, fields, context) =>
    toResolvedValue(await kind.read(fields, context)),
  );
}

/**
 * Reads the current version of a source, but not its value. Returns undefined if the source has no versions.
 *
 * @throws SourceError
 */
export async function readCurrentVersion(
  source: ValueSource,
  environment: SourceEnvironment,
): Promise<string | undefined> {
  const kind = await findKind(source, environment);
  if (!kind.version) return undefined;
  return readSource("version", source, environment, async (_, fields, context) =>
    checkVersion(await kind.version?.(fields, context)),
  );
}

/** Reads the value to check that it has the declared field. Skipped if reading the version already checks that. */
export async function checkField(source: ValueSource, environment: SourceEnvironment): Promise<void> {
  if (source.field === undefined || (await findKind(source, environment)).versionChecksField) return;
  await resolve(source, environment);
}

/**
 * Returns digests that identify a source in the state without revealing vault paths. They ignore the timeout. `written`
 * also ignores fields that come from the environment.
 */
export async function identifySource(
  source: ValueSource,
  environment: SourceEnvironment,
): Promise<{ readonly source: string; readonly written: string }> {
  const kind = await findKind(source, environment);
  const digest = ({ timeoutMs: _, ...fields }: ValueSource): string =>
    createHash("sha256").update(serializeSource(fields)).digest("base64url");
  return {
    source: digest({ ...completeFields(source, kind, environment), from: source.from }),
    written: digest(source),
  };
}

type ReadFromSource<Answer> = (kind: SourceKind, fields: object, context: SourceContext) => Promise<Answer>;

async function readSource<Answer>(
  what: string,
  source: ValueSource,
  environment: SourceEnvironment,
  ask: ReadFromSource<Answer>,
): Promise<Answer> {
  const kind = await findKind(source, environment);
  const description = tryDescribe(kind, source);
  if (description === undefined) {
    const problem = "cannot be described. Correct its `describe` function: it must return a text.";
    throw new SourceError("failed", `${source.from} source`, problem);
  }
  const { signal, only } = environment;
  if (signal?.aborted)
    throw new SourceError("cancelled", description, "was not read because the run was cancelled.");
  if (only && !(source.from === "env" && only.has(String(source.name))))
    throw new SourceError("not-allowed", description, "is not used, because the change is untrusted.");
  // A source that the project defines runs the project's code.
  if (!environment.allowCode && (kind.runsCode || environment.kinds?.has(source.from)))
    throw new SourceError(
      "not-allowed",
      description,
      "is not run, because this run does not allow project code (`--untrusted`, or `sync` without `--allow-code`).",
    );
  const run = environment.run ?? new SourceRun();
  const work = () => readInTime(kind, description, source, environment, run, ask);
  const once = () =>
    run.runOnce(`${what} ${serializeSource(source)}`, () =>
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
  throw new SourceError(
    "unknown-source",
    `source ${source.from}`,
    "is unknown. Correct its name, or define it in the project.",
  );
}

/** Reads a source, with retries until the timeout, or until the run is cancelled. */
async function readInTime<Answer>(
  kind: SourceKind,
  description: string,
  source: ValueSource,
  environment: SourceEnvironment,
  run: SourceRun,
  ask: ReadFromSource<Answer>,
): Promise<Answer> {
  const error = (code: SourceErrorCode, problem: string) => new SourceError(code, description, problem);
  const stop = new AbortController();
  const timeoutMs = source.timeoutMs ?? defaultTimeoutMs;
  const abortLate = () => stop.abort(error("timed-out", `did not respond within ${timeoutMs / 1_000} s.`));
  const stopTimer = environment.system.startTimer(timeoutMs, abortLate);
  const cancel = () => stop.abort(error("cancelled", "was not read because the run was cancelled."));
  environment.signal?.addEventListener("abort", cancel, { once: true });
  if (environment.signal?.aborted) cancel();
  const fields = completeFields(source, kind, environment);
  const context: SourceContext = {
    root: environment.root,
    allowCode: environment.allowCode,
    environment: { ...selectNamedVariables(fields, kind, environment), ...environment.environment },
    signal: stop.signal,
    now: environment.system.now,
    error,
    checkAddress: (address, from) => assertAddressAllowed(address, from, environment),
    connection: (key, ...given) => run.shareConnection(`${kind.name} ${key}`, ...given),
  };
  try {
    assertRequiredFields(fields, kind);
    checkUrls(source, fields, kind, context);
    return await raceAbort(
      readWithRetries(() => ask(kind, fields, context), context, environment),
      stop.signal,
    );
  } catch (thrown) {
    // Sources can share a connection, and the error may name the source that opened it.
    if (thrown instanceof SourceError && thrown.source === description) throw thrown;
    throw error(...toSourceError(thrown));
  } finally {
    stopTimer();
    environment.signal?.removeEventListener("abort", cancel);
  }
}

/** Rejects when the signal aborts, even if the work ignores the signal. */
function raceAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Retries with pauses while the source is unreachable. */
function readWithRetries<Result>(
  ask: () => Promise<Result>,
  { error, signal }: SourceContext,
  { system, backoffMs: firstPauseMs = 300 }: SourceEnvironment,
): Promise<Result> {
  return retry(ask, async (thrown, attempts) => {
    const [code, problem] = toSourceError(thrown);
    if (code !== "unreachable") throw thrown;
    if (attempts === maxAttempts) throw error(code, `${problem} Tried ${attempts} times.`);
    await system.sleep(calculateBackoffMs(firstPauseMs, attempts, system.random), signal);
    if (signal.aborted) throw signal.reason;
  });
}

/** Error codes of the system and undici for an unreachable server. */
const unreachableCodes =
  /^(E(AI_AGAIN|CONNREFUSED|CONNRESET|CONNABORTED|HOSTUNREACH|NETUNREACH|NOTFOUND|PIPE|TIMEDOUT)|UND_ERR_\w+)$/;

/** Reduces an error to the parts that are safe to show. For errors from libraries, this is only the system code. */
function toSourceError(thrown: unknown): readonly [code: SourceErrorCode, problem: string] {
  if (thrown instanceof SourceProblem) return [thrown.code, thrown.problem];
  if (thrown instanceof MissingPackageError)
    return [thrown.code, `needs the package ${thrown.package}. ${thrown.advice}.`];
  const code = findSystemCode(thrown);
  if (code !== undefined && unreachableCodes.test(code))
    return ["unreachable", `cannot be reached: ${describeConnectionFailure(code)}.`];
  const suffix = code === undefined ? "" : ` (${code})`;
  return [
    "failed",
    `could not be read${suffix}. The error message is hidden, because it may contain the response.`,
  ];
}

/** Finds the system code of an error or its causes, because `fetch` wraps system errors. */
function findSystemCode(thrown: unknown, depth = 0): string | undefined {
  if (!(thrown instanceof Error) || depth > 4) return undefined;
  const code = "code" in thrown ? thrown.code : undefined;
  if (typeof code === "string" && /^[A-Z][A-Z0-9]{1,19}(_[A-Z0-9]{1,20}){0,4}$/.test(code)) return code;
  return findSystemCode(thrown.cause, depth + 1);
}

/** Adds undeclared fields from the environment. */
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

/** Selects the variables of the `--dotenv` file that the fields of the source refer to. */
function selectNamedVariables(
  fields: Readonly<Record<string, unknown>>,
  kind: SourceKind,
  { fileVariables = {} }: SourceEnvironment,
): SourceEnvironment["environment"] {
  const named = [...listFields(kind)].filter(([, { type }]) => type === "variable");
  const names = named.map(([field]) => String(fields[field]));
  return Object.fromEntries(Object.entries(fileVariables).filter(([name]) => names.includes(name)));
}

function assertAddressAllowed(
  address: string,
  from: "source" | "environment",
  { hosts }: SourceEnvironment,
): void {
  const isPlain = from === "source" && !hosts && isUnencrypted(address);
  const problem = isPlain
    ? "would receive credentials without TLS. Use https://"
    : hosts?.check(address, from === "source" ? "file" : from);
  if (problem !== undefined)
    throw new SourceProblem("not-allowed", `cannot be read: the URL ${showAddress(address)} ${problem}.`);
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

function assertRequiredFields(fields: Readonly<Record<string, unknown>>, kind: SourceKind): void {
  for (const [name, { required, variable }] of listFields(kind)) {
    if (!required || fields[name] !== undefined) continue;
    const variableHint = variable === undefined ? "" : `, or set ${variable}`;
    throw new SourceProblem("not-set", `has no ${name}. Add it${variableHint}.`);
  }
}

function toResolvedValue({ value, version }: SourceResult): ResolvedValue {
  const isLong = typeof value === "string" ? Buffer.byteLength(value) > maxBytes : value.length > maxBytes;
  if (isLong) throw new SourceProblem("too-long", tooLongText);
  const text = typeof value === "string" ? value : decodeUtf8(value);
  if (text === undefined)
    throw new SourceProblem("unreadable", "is not UTF-8 text. Encode it, e.g. as base64.");
  if (text.trim() === "") throw new SourceProblem("empty", "is empty. Give it a value.");
  const problem = findReasonNotAValue(text);
  if (problem !== undefined) throw new SourceProblem("not-a-value", problem);
  return { value: new Sealed(text.replace(/\r?\n$/, "")), version: checkVersion(version) };
}

/** Rejects a version that is empty, or too long for the state and messages. */
function checkVersion(version: string | undefined): string | undefined {
  if (version === undefined || (version !== "" && version.length <= maxVersionLength)) return version;
  throw new SourceProblem(
    "malformed",
    `returned a version that is empty or longer than ${maxVersionLength} characters. Correct the source.`,
  );
}

export interface SourceEnvironment {
  /** Absolute path to the project folder, where files are read and commands run. */
  readonly root: string;
  /** Whether project code may run: `!exec`, sources that the project defines, and the project's packages. */
  readonly allowCode: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Additional variables, visible only to sources that name them, such as `!env`. */
  readonly fileVariables?: Readonly<Record<string, string | undefined>> | undefined;
  /** Environment variables that sources may read. If set, sources can read nothing else, such as files or commands. */
  readonly only?: ReadonlySet<string>;
  /** Hosts in source fields that may receive credentials. Default: any host with TLS, and this machine. */
  readonly hosts?: AllowedHosts | undefined;
  readonly system: System;
  readonly signal?: AbortSignal;
  readonly kinds?: ReadonlyMap<string, SourceKind> | undefined;
  /** Run that reads identical sources once and shares their connections. Default: one run per source. */
  readonly run?: SourceRun;
  /** Pause before the first retry, in ms. Doubles with each retry. Default: 300. */
  readonly backoffMs?: number | undefined;
  /** Runs `work`. Meanwhile, Ctrl-C or another process signal aborts `signal` instead of ending the process. */
  running?<Result>(work: () => Promise<Result>): Promise<Result>;
}
