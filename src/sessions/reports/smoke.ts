import { plainLine } from "../../base/text/index.js";
import { type Service, ServiceError } from "../../core/api/index.js";
import type { Preset } from "../../core/manifest/index.js";
import { SourceError } from "../../core/secrets/index.js";
import { readSessions } from "./read.js";
import { parseRow, type SessionRow } from "./row.js";
import { type MintOptions, mintToken, TokenError } from "./token.js";
import { pageSize } from "./walk.js";

/**
 * Whether sessions can be started with presets: requests a sandbox session for each, and looks for it in the list of active
 * sessions. Sandbox sessions use no credits and end by themselves after about a minute (§8); nothing else can end one.
 *
 * What departs from the interface is a failure: a token that is refused, lost or not there, a list that cannot be read,
 * a session listed as none of the sandbox. That a session with a token is active before its client joins is not in the
 * interface (§1, §4.5), and deployments start sessions with a request of their own: one that is not listed is a warning,
 * unless the caller knows better. Of one that has ended already, the reason decides.
 */
export async function smokePresets(
  service: Service,
  presets: readonly Preset[],
  idOf: (address: string) => string | undefined,
  options: SmokeOptions,
): Promise<SmokeReport> {
  const requested = await Promise.all(
    presets.map((preset) => requestSession(service, preset, idOf, options)),
  );
  const ids = requested.flatMap(({ sessionId }) => sessionId ?? []);
  const found = await findSessions(service, ids, options);
  const checks = requested.map((check) => ({ ...check, ...found.get(check.sessionId ?? "") }));
  return { checks, cancelled: checks.some(({ status }) => status === "skipped") };
}

export interface SmokeReport {
  /** In the order of the presets. */
  readonly checks: readonly SmokeCheck[];
  /** The user or the system asked to stop. */
  readonly cancelled: boolean;
}

export interface SmokeCheck {
  readonly preset: string;
  /** `skipped`: not tried, or not to the end. */
  readonly status: "passed" | "warned" | "failed" | "skipped";
  /** The requested avatar. */
  readonly avatarId?: string;
  /** If the answer has it. */
  readonly sessionId?: string;
  /** Why it is not `passed`; a sentence that says what to do next. */
  readonly problem?: { readonly code: string; readonly message: string };
}

interface SmokeOptions extends LookOptions, Pick<MintOptions, "resolve"> {
  /** In place of the preset's. */
  readonly sandboxAvatar?: string | undefined;
}

interface LookOptions {
  /** How long a session may take to be listed, in ms. */
  readonly patienceMs: number;
  /** A session that is not listed is a failure. */
  readonly requireListed: boolean;
  /** Names of these settings in messages. Default: those of the command line. */
  readonly names?: { readonly patience: string; readonly requireListed: string } | undefined;
  /** Between two looks at the list; never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Passed so far if there is a session to look for. */
async function requestSession(
  service: Service,
  preset: Preset,
  idOf: (address: string) => string | undefined,
  { sandboxAvatar, resolve, signal }: SmokeOptions,
): Promise<SmokeCheck> {
  const { key } = preset;
  // The client sends as many requests at once as it is allowed to, and none after a stop.
  const minted = await mintToken(service, preset, idOf, { sandbox: true, sandboxAvatar, resolve }).catch(
    toProblem,
  );
  if ("code" in minted) {
    const isStop = minted.code === "cancelled" && signal.aborted;
    return { preset: key, status: isStop ? "skipped" : "failed", problem: minted };
  }
  const { avatarId, sessionId } = minted;
  const known = { preset: key, avatarId };
  if (sessionId !== undefined) return { ...known, sessionId, status: "passed" };
  const message =
    "The answer has a token but no id of the session, so it cannot be looked for among the active ones.";
  return { ...known, status: "warned", problem: { code: "no-session-id", message } };
}

type Problem = NonNullable<SmokeCheck["problem"]>;
type Verdict = Pick<SmokeCheck, "status" | "problem">;

/** The problem of an error that the world causes; others are ours. */
function toProblem(error: unknown): Problem {
  if (!(error instanceof ServiceError || error instanceof TokenError || error instanceof SourceError))
    throw error;
  return { code: error.code, message: error.message };
}

/** Between two looks at the list, in ms. */
const pauseMs = 2_000;

/** Looks for sessions whose tokens have been requested among the active ones, until each is found or time is up. */
export async function findSessions(
  service: Service,
  ids: readonly string[],
  { patienceMs, requireListed, names, sleep, signal }: LookOptions,
): Promise<ReadonlyMap<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const waiting = new Set(ids);
  for (let waitedMs = 0; waiting.size > 0; waitedMs += pauseMs) {
    if (waitedMs > 0) await sleep(pauseMs, signal);
    const listed = await findActive(service, waiting).catch(toProblem);
    if (!("code" in listed))
      for (const [id, { is_sandbox }] of listed) {
        verdicts.set(id, is_sandbox === false ? notSandbox : { status: "passed" });
        waiting.delete(id);
      }
    if (waiting.size === 0 || (waitedMs < patienceMs && !signal.aborted)) continue;
    const missing = "code" in listed ? unreadable(listed) : notListed({ patienceMs, requireListed, names });
    const ended = "code" in listed || signal.aborted ? new Map() : await readLastEnded(service);
    for (const id of waiting) {
      const row = ended.get(id);
      verdicts.set(id, signal.aborted ? stopped : row ? hasEnded(row) : missing);
    }
    break;
  }
  return verdicts;
}

/** The wanted ones of the active sessions; reads no further than these. */
async function findActive(service: Service, wanted: ReadonlySet<string>) {
  const found = new Map<string, SessionRow>();
  for await (const row of readSessions(service, { type: "active" })) {
    if (row.id !== undefined && wanted.has(row.id)) found.set(row.id, row);
    if (found.size === wanted.size) break;
  }
  return found;
}

/**
 * Sessions that ended lately. The order of the list is not documented, and it may be long: reads its first page and its
 * last one. None if it cannot be read: that a session was not listed as active is reported in any case.
 */
async function readLastEnded(service: Service): Promise<Map<string | undefined, SessionRow>> {
  try {
    const first = await service.sessions.page("historic", 1, pageSize);
    const pages = Math.ceil((first.count ?? 0) / Math.max(1, first.entries.length));
    const last = pages > 1 ? await service.sessions.page("historic", pages, pageSize) : undefined;
    const rows = [...first.entries, ...(last?.entries ?? [])].flatMap((entry) => parseRow(entry) ?? []);
    return new Map(rows.map((row) => [row.id, row]));
  } catch (error) {
    toProblem(error);
    return new Map();
  }
}

/** Reasons that are nobody's wish. Seen in deployments; others may come. */
const failures: ReadonlySet<string | undefined> = new Set(["SERVER_ERROR", "NO_CREDITS", "AVATAR_DELETED"]);

function hasEnded({ end_reason: reason }: SessionRow): Verdict {
  const why = reason === undefined ? "without a reason" : `with the reason ${plainLine(reason)}`;
  const message = `There is a token, but its session has ended already, ${why}. \`avatarops sessions list --type historic\` shows it.`;
  return { status: failures.has(reason) ? "failed" : "warned", problem: { code: "ended", message } };
}

const stopped: Verdict = {
  status: "skipped",
  problem: { code: "cancelled", message: "Stopped before its session was found among the active ones." },
};

const notSandbox: Verdict = {
  status: "failed",
  problem: {
    code: "not-sandbox",
    message:
      "A sandbox session was requested, and the service lists one that is not: it may use credits. Check with the service before the next smoke check.",
  },
};

function unreadable(problem: Problem): Verdict {
  const message = `There is a token, but its session cannot be looked for. ${problem.message}`;
  return { status: "failed", problem: { code: "sessions-unreadable", message } };
}

const commandLineNames = { patience: "--timeout", requireListed: "--require-listed" };

function notListed({
  patienceMs,
  requireListed,
  names = commandLineNames,
}: Pick<LookOptions, "patienceMs" | "requireListed" | "names">): Verdict {
  const why = requireListed
    ? `Run the check again with a longer ${names.patience}, and contact the service if it never appears.`
    : `The service may list sessions only once a client has joined: if it lists them earlier, make this a failure with ${names.requireListed}.`;
  const message = `There is a token, but its session was not among the active ones within ${patienceMs / 1000} s. ${why}`;
  return { status: requireListed ? "failed" : "warned", problem: { code: "not-listed", message } };
}
