import { toPlainLine } from "../../base/text/index.js";
import { type Service, ServiceError } from "../../core/api/index.js";
import type { Preset } from "../../core/manifest/index.js";
import { SourceError } from "../../core/secrets/index.js";
import { readSessions } from "./read.js";
import { parseRow, type SessionRow } from "./row.js";
import { type MintOptions, mintToken, TokenError } from "./token.js";
import { pageSize } from "./walk.js";

/**
 * Checks that presets can start sessions: requests a sandbox session for each, and looks for it in the active list.
 * Sandbox sessions use no credits and end after about a minute (§8).
 *
 * A session may become active only when its client joins (§1, §4.5), so an unlisted session is only a warning unless
 * `requireListed` is set. If the session has already ended, its end reason determines the result.
 */
export async function smokeTestPresets(
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
  /** Results of the checks, in preset order. */
  readonly checks: readonly SmokeCheck[];
  /** Whether the check was cancelled by the user or the system. */
  readonly cancelled: boolean;
}

export interface SmokeCheck {
  readonly preset: string;
  /** Result of the check. `skipped` means not attempted or not completed. */
  readonly status: "passed" | "warned" | "failed" | "skipped";
  /** The requested avatar. */
  readonly avatarId?: string;
  /** Session id. Omitted if the response has no id. */
  readonly sessionId?: string;
  /** Why the check did not pass, and what to do. */
  readonly problem?: { readonly code: string; readonly message: string };
}

interface SmokeOptions extends SearchOptions, Pick<MintOptions, "resolve"> {
  /** Avatar that overrides the preset's avatar. */
  readonly sandboxAvatar?: string | undefined;
}

interface SearchOptions {
  /** Maximum time to wait for a session to be listed. */
  readonly patienceMs: number;
  /** Whether an unlisted session is a failure. */
  readonly requireListed: boolean;
  /** Names of these two settings in messages. Default: the command-line options. */
  readonly names?: { readonly patience: string; readonly requireListed: string } | undefined;
  /** Returns the monotonic clock time, in ms. */
  readonly monotonic: () => number;
  /** Pauses between two reads of the list. Never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Requests a session. Here, `passed` only means that the session has an id to look for. */
async function requestSession(
  service: Service,
  preset: Preset,
  idOf: (address: string) => string | undefined,
  { sandboxAvatar, resolve, signal }: SmokeOptions,
): Promise<SmokeCheck> {
  const { key } = preset;
  // The client limits concurrent requests, and sends none after cancellation.
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
  const message = "The response has a token but no session id, so the active session cannot be found.";
  return { ...known, status: "warned", problem: { code: "no-session-id", message } };
}

type SmokeProblem = NonNullable<SmokeCheck["problem"]>;
type SmokeVerdict = Pick<SmokeCheck, "status" | "problem">;

/** Converts an external error to a problem. Rethrows bugs. */
function toProblem(error: unknown): SmokeProblem {
  if (!(error instanceof ServiceError || error instanceof TokenError || error instanceof SourceError))
    throw error;
  return { code: error.code, message: error.message };
}

/** Pause between two reads of the list. */
const pauseMs = 2_000;

/** Looks for the requested sessions in the active list, until all are found or the time is up. */
export async function findSessions(
  service: Service,
  ids: readonly string[],
  { patienceMs, requireListed, names, monotonic, sleep, signal }: SearchOptions,
): Promise<ReadonlyMap<string, SmokeVerdict>> {
  const verdicts = new Map<string, SmokeVerdict>();
  const waiting = new Set(ids);
  for (let waitedMs = 0; waiting.size > 0; ) {
    const beganMs = monotonic();
    const listed = await findActive(service, waiting).catch(toProblem);
    waitedMs += monotonic() - beganMs;
    if (!("code" in listed))
      for (const [id, { is_sandbox }] of listed) {
        verdicts.set(id, judgeListed(is_sandbox));
        waiting.delete(id);
      }
    if (waiting.size === 0) break;
    if (waitedMs < patienceMs && !signal.aborted) {
      await sleep(pauseMs, signal);
      waitedMs += pauseMs;
      continue;
    }
    const missing =
      "code" in listed ? judgeUnreadable(listed) : judgeUnlisted({ patienceMs, requireListed, names });
    const ended = "code" in listed || signal.aborted ? new Map() : await readLastEnded(service);
    for (const id of waiting) {
      const row = ended.get(id);
      verdicts.set(id, signal.aborted ? stopped : row ? judgeEnded(row) : missing);
    }
    break;
  }
  return verdicts;
}

/** Finds sessions in the active list. Stops once all are found. */
async function findActive(service: Service, wanted: ReadonlySet<string>) {
  const found = new Map<string, SessionRow>();
  for await (const row of readSessions(service, { type: "active" })) {
    if (row.id !== undefined && wanted.has(row.id)) found.set(row.id, row);
    if (found.size === wanted.size) break;
  }
  return found;
}

/**
 * Reads recently ended sessions from the first and last pages, because the list may be long and its order is
 * undocumented. Returns none if the list is unreadable, because the caller reports the missing session anyway.
 */
async function readLastEnded(service: Service): Promise<Map<string | undefined, SessionRow>> {
  try {
    const first = await service.sessions.readPage("historic", 1, pageSize);
    const pages = Math.ceil((first.count ?? 0) / Math.max(1, first.entries.length));
    const last = pages > 1 ? await service.sessions.readPage("historic", pages, pageSize) : undefined;
    const rows = [...first.entries, ...(last?.entries ?? [])].flatMap((entry) => parseRow(entry) ?? []);
    return new Map(rows.map((row) => [row.id, row]));
  } catch (error) {
    toProblem(error);
    return new Map();
  }
}

/** End reasons that mean failure, as observed in deployments. May be incomplete. */
const failures: ReadonlySet<string | undefined> = new Set(["SERVER_ERROR", "NO_CREDITS", "AVATAR_DELETED"]);

function judgeEnded({ end_reason: reason }: SessionRow): SmokeVerdict {
  const suffix = reason === undefined ? "without a reason" : `with the reason ${toPlainLine(reason)}`;
  const message = `The service issued a token, but the session has already ended, ${suffix}. See \`avatarops sessions list --type historic\`.`;
  return { status: failures.has(reason) ? "failed" : "warned", problem: { code: "ended", message } };
}

const stopped: SmokeVerdict = {
  status: "skipped",
  problem: { code: "cancelled", message: "Cancelled before the session was listed as active." },
};

/** The flag of an active entry may be missing, because its fields are undocumented (§2.7). */
function judgeListed(isSandbox: boolean | undefined): SmokeVerdict {
  if (isSandbox === undefined) return sandboxUnknown;
  return isSandbox ? { status: "passed" } : notSandbox;
}

const sandboxUnknown: SmokeVerdict = {
  status: "warned",
  problem: {
    code: "sandbox-unknown",
    message:
      "The session is active, but the service does not list whether it is a sandbox session, which uses no credits. Check its credits once it has ended: `avatarops sessions list --type historic`.",
  },
};

const notSandbox: SmokeVerdict = {
  status: "failed",
  problem: {
    code: "not-sandbox",
    message:
      "A sandbox session was requested, but the service lists it as a normal session, which may use credits. Check with the service before the next smoke check.",
  },
};

function judgeUnreadable(problem: SmokeProblem): SmokeVerdict {
  const message = `The service issued a token, but the sessions cannot be listed. ${problem.message}`;
  return { status: "failed", problem: { code: "sessions-unreadable", message } };
}

const commandLineNames = { patience: "--timeout", requireListed: "--require-listed" };

function judgeUnlisted({
  patienceMs,
  requireListed,
  names = commandLineNames,
}: Pick<SearchOptions, "patienceMs" | "requireListed" | "names">): SmokeVerdict {
  const advice = requireListed
    ? `Run the check again with a longer ${names.patience}. If the session still does not appear, contact the service.`
    : `The service may list sessions only after a client has joined. If your service lists them earlier, use ${names.requireListed} to treat this as a failure.`;
  const message = `The service issued a token, but did not list the session as active within ${patienceMs / 1000} s. ${advice}`;
  return { status: requireListed ? "failed" : "warned", problem: { code: "not-listed", message } };
}
