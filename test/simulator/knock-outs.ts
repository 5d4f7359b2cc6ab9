import type { Violation } from "./invariants.js";

/** Rule in the source code that can be disabled. Some simulated life must then violate an invariant. */
export interface KnockOut {
  /** Name of the rule in test titles and for `--without`. */
  readonly rule: string;
  /** Path below `src`. */
  readonly file: string;
  /** Expression that occurs once in the file, or statements if `by` ends with a semicolon. */
  readonly text: string;
  readonly by: string;
  /** Invariants. Without the rule, the simulated life must violate at least one of them. */
  readonly breaks: readonly Violation["rule"][];
  /**
   * Seed of a simulated life that reveals the missing rule. To find another seed: `npm run simulate -- --without "RULE" --first`.
   */
  readonly seed: number;
}

const lease = "Math.max(now() - confirmed.now, monotonic() - confirmed.monotonic)";
const startMs = "Math.min(Date.parse(stopped.at) + maxClockSkewMs, nowMs)";

export const knockOuts: readonly KnockOut[] = [
  {
    rule: "waiting for creates of an interrupted run",
    file: "core/state/state-writer.ts",
    text: "monotonic() + startMs - nowMs + (stopped?.withinMs ?? defaultRequestTimeoutMs)",
    by: "monotonic()",
    breaks: ["creates-once"],
    seed: 4,
  },
  {
    rule: "counting the wait for creates from the end of the run",
    file: "core/state/state-writer.ts",
    text: `stopped ? ${startMs} : nowMs`,
    by: 'Math.min(Date.parse(draft?.pending[address]?.at ?? ""), nowMs)',
    breaks: ["creates-once"],
    seed: 132,
  },
  {
    rule: "tolerating clock skew",
    file: "core/state/state-writer.ts",
    text: startMs,
    by: "Math.min(Date.parse(stopped.at), nowMs)",
    breaks: ["creates-once"],
    seed: 1085,
  },
  {
    rule: "starting the wait for creates no later than now",
    file: "core/state/state-writer.ts",
    text: startMs,
    by: "Date.parse(stopped.at) + maxClockSkewMs",
    breaks: ["waits-briefly"],
    seed: 1,
  },
  {
    rule: "the recorded request timeout",
    file: "core/state/state-writer.ts",
    text: "recovered ? formerTimeoutMs : requestTimeoutMs",
    by: "recovered ? defaultRequestTimeoutMs : requestTimeoutMs",
    breaks: ["creates-once"],
    seed: 289,
  },
  {
    rule: "five extra seconds after an unlock",
    file: "core/state/journal.ts",
    text: "requestTimeoutMs + maxLockAgeMs",
    by: "requestTimeoutMs",
    breaks: ["creates-once"],
    seed: 13,
  },
  {
    rule: "reading the list again after the deadline of a create",
    file: "core/engine/await-interrupted-creates.ts",
    text: "untilMs > atMs",
    by: "untilMs > system.monotonic()",
    breaks: ["creates-once"],
    seed: 18,
  },
  {
    rule: "checking the lock before each request",
    file: "core/engine/apply.ts",
    text: "guardWrites(input.service, session.assertHeld)",
    by: "input.service",
    breaks: ["writes-with-lock"],
    seed: 699,
  },
  {
    rule: "checking the lock before each attempt",
    file: "core/api/rate-limiter.ts",
    text: `request.beforeSend?.().catch(() => {
          throw createWithheldError(request);
        })`,
    by: "(isRetry ? undefined : request.beforeSend?.().catch(() => { throw createWithheldError(request); }))",
    breaks: ["writes-with-lock"],
    seed: 65,
  },
  {
    rule: "the wall clock in lock ages",
    file: "core/state/lease.ts",
    text: lease,
    by: "monotonic() - confirmed.monotonic",
    breaks: ["writes-with-lock"],
    seed: 249,
  },
  {
    rule: "the monotonic clock in lock ages",
    file: "core/state/lease.ts",
    text: lease,
    by: "now() - confirmed.now",
    breaks: ["writes-with-lock"],
    seed: 699,
  },
  {
    rule: "counting lock ages from the start of the request",
    file: "core/state/lease.ts",
    text: "confirmed = began",
    by: "confirmed = { now: now(), monotonic: monotonic() }",
    breaks: ["writes-with-lock"],
    seed: 473,
  },
  {
    rule: "stopping if the store rejects steps",
    file: "core/state/state-writer.ts",
    text: `const failure = lost ?? writer?.failure;
      if (failure) throw failure;`,
    by: "if (lost) throw lost;",
    breaks: ["stops-with-store"],
    seed: 820,
  },
  {
    rule: "fencing off the writes of a run that lost the lock",
    file: "core/state/stores/lock-by-swap.ts",
    text: "before.text !== undefined",
    by: "false",
    breaks: ["respects-locks"],
    seed: 35,
  },
  {
    rule: "keeping unreadable locks",
    file: "core/state/stores/lock-by-swap.ts",
    text: '{ key: text, holder, status: "elsewhere", unreadable: { text, isBranch: store.isLockBranch } }',
    by: "undefined",
    breaks: ["respects-locks"],
    seed: 19,
  },
  {
    rule: "keeping people's locks",
    file: "entrypoints/sync/cycle-runtime.ts",
    text: 'holder.command !== "avatarops sync"',
    by: "false",
    breaks: ["respects-locks"],
    seed: 2021,
  },
  {
    rule: "the delay before taking over a lock under the same name",
    file: "entrypoints/sync/cycle-runtime.ts",
    text: "Math.min(afterMs, requestTimeoutMs + maxLockAgeMs)",
    by: "0",
    breaks: ["respects-locks"],
    seed: 76,
  },
  {
    rule: "never taking over locks with a delay of 0",
    file: "entrypoints/sync/cycle-runtime.ts",
    text: "afterMs === 0",
    by: "false",
    breaks: ["respects-locks"],
    seed: 97,
  },
  {
    rule: "comparing more than boot ids of a remote holder",
    file: "core/state/holder-status.ts",
    text: "hasRestarted(holder, environment)",
    by: "holder.host === environment.host && holder.bootId !== environment.bootId",
    breaks: ["respects-locks"],
    seed: 25,
  },
  {
    rule: "comparing the PID namespace of a holder",
    file: "core/state/holder-status.ts",
    text: "holder.pidNamespace === pidNamespace",
    by: "true",
    breaks: ["respects-locks"],
    seed: 36,
  },
  {
    rule: "comparing the host name of a holder after a restart",
    file: "core/state/holder-status.ts",
    text: "holder.machineId === machineId &&\n    holder.host === host",
    by: "machineId === holder.machineId",
    breaks: ["respects-locks"],
    seed: 232,
  },
  {
    rule: "comparing the machine id of a holder after a restart",
    file: "core/state/holder-status.ts",
    text: "holder.machineId === machineId",
    by: "true",
    breaks: ["respects-locks"],
    seed: 118,
  },
  {
    rule: "taking over only locks older than this machine's start",
    file: "core/state/holder-status.ts",
    text: "Date.parse(holder.since) < bootedAtMs",
    by: "true",
    breaks: ["respects-locks"],
    seed: 231,
  },
  {
    rule: "comparing machines only outside of containers",
    file: "core/state/holder-status.ts",
    text: "[pidNamespace, holder.pidNamespace].every((inode) => inode === initialPidNamespace)",
    by: "true",
    breaks: ["respects-locks"],
    seed: 2702,
  },
  {
    rule: "comparing the process start time of a holder",
    file: "core/state/holder-status.ts",
    text: "!startedAt || !start || startedAt === start",
    by: "true",
    breaks: ["settles"],
    seed: 15,
  },
  {
    rule: "requiring steady lists for names",
    file: "core/kinds/listing.ts",
    text: "lookUp<Namesakes>(first && [first, ...others])",
    by: 'first ? lookUp<Namesakes>([first, ...others]) : { outcome: "absent" }',
    breaks: ["creates-once"],
    seed: 292,
  },
  {
    rule: "requiring steady lists for ids",
    file: "core/kinds/listing.ts",
    text: "lookUp(byId.get(toCanonicalId(id)))",
    by: 'byId.has(toCanonicalId(id)) ? lookUp(byId.get(toCanonicalId(id))) : { outcome: "absent" }',
    breaks: ["forgets-nothing"],
    seed: 839,
  },
  {
    rule: "comparing the count of a list with its objects",
    file: "core/api/pages.ts",
    text: "(isConfirmed && !isShort(sweep))",
    by: "isConfirmed",
    breaks: ["creates-once"],
    seed: 158,
  },
  {
    rule: "comparing the ids of two sweeps",
    file: "core/api/pages.ts",
    text: "[...before.entries.keys()].every((id) => sweep.entries.has(id))",
    by: "true",
    breaks: ["creates-once"],
    seed: 83,
  },
  {
    rule: "comparing the project of a state",
    file: "core/state/store.ts",
    text: "assertSameProject(location, recorded, current)",
    by: "undefined",
    breaks: ["deletes-what-files-name"],
    seed: 8,
  },
  {
    rule: "recording at most as many secrets as are sent",
    file: "core/engine/apply.ts",
    text: "openIntentGroups(session, service.concurrency, input.system)",
    by: "openIntentGroups(session, Number.POSITIVE_INFINITY, input.system)",
    breaks: ["doubts-little"],
    seed: 177,
  },
];
