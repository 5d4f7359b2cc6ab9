import {
  createAppliedNotices,
  createDriftedNotice,
  createRotationNotice,
  isOnlyDrifted,
} from "../../operations/index.js";
import type { NoticeFacts } from "../../output/documents/index.js";
import {
  type CycleOutcome,
  type CycleProblem,
  type CycleResult,
  listChanges,
  listProblems,
} from "./cycle-result.js";

/** Minimum time before a recurring problem is reported again. */
const minRepeatMs = 60 * 60_000;
const dayMs = 24 * 60 * 60_000;

/** Notice titles for failed cycles, by outcome. */
const titles: Readonly<Partial<Record<CycleOutcome, string>>> = {
  failed: "sync fails",
  invalid: "the files have errors, so the previous commit stays applied",
  partly: "sync cannot apply everything",
  conflicting: "files and dashboard both changed an object",
  ambiguous: "objects are ambiguous and need your decision",
  refused: "sync was refused",
};
const stuck = "sync is waiting for a lock that it is not allowed to take over";
const noRun = "sync has not succeeded for a day";
const inconclusive: ReadonlySet<CycleOutcome> = new Set(["failed", "locked", "stopped"]);

/**
 * Creates notices for a cycle's applied changes and new problems. A failure is reported only after its retry has also
 * failed.
 */
export function createCycleNotices(
  now: () => number,
  takeOverAfterMs: number,
): (result: CycleResult) => NoticeFacts[] {
  /** Problems that are open, or were within the last hour, by key. */
  const reported = new Map<string, { seenMs: number; isOpen: boolean }>();
  let ranMs = now();
  let failures = 0;
  let lock = { holder: "", sinceMs: 0 };
  return (result) => {
    const at = now();
    const { outcome, commit } = result;
    const problems = listProblems(result);
    failures = outcome === "failed" ? failures + 1 : 0;
    const changed = listChanges(result).filter(({ status }) => status === "applied");
    const applied = createAppliedNotices(changed, { commit });
    if (outcome === "stopped") return applied;
    const isConclusive = !inconclusive.has(outcome);
    if (isConclusive) ranMs = at;
    const holder = outcome === "locked" ? (problems[0]?.message ?? "") : "";
    if (holder !== lock.holder) lock = { holder, sinceMs: at };
    const isStuck = holder !== "" && takeOverAfterMs > 0 && at - lock.sinceMs >= takeOverAfterMs;
    const found = [
      ...(failures === 1 || result.isExpected ? [] : findOpen(result, problems)),
      ...(isStuck ? [toOpen({ type: "failed", title: stuck, ...collectNamed(problems) }, [], holder)] : []),
      ...(at - ranMs >= dayMs
        ? [toOpen({ type: "no_run", title: noRun, ...collectNamed(problems) }, [], ranMs)]
        : []),
    ];
    for (const [key, { seenMs, isOpen }] of reported)
      if (!isOpen && at - seenMs > minRepeatMs) reported.delete(key);
    const fresh = found.filter(({ key }) => !reported.has(key));
    if (isConclusive) for (const one of reported.values()) one.isOpen = false;
    for (const { key } of found) reported.set(key, { seenMs: at, isOpen: true });
    return [...applied, ...fresh.map(({ facts }) => facts)];
  };
}

/** Unresolved problem, with a key that distinguishes it from others. */
interface OpenProblem {
  readonly facts: NoticeFacts;
  readonly key: string;
}

function findOpen(
  { outcome, commit, rotations }: CycleResult,
  problems: readonly CycleProblem[],
): OpenProblem[] {
  const drifted = problems.filter((problem) => isOnlyDrifted({ problem }));
  const others = problems.filter((problem) => !drifted.includes(problem));
  const title = titles[outcome];
  const type = outcome === "refused" ? "refused" : "failed";
  // With these outcomes, the same problem in another commit is reported again.
  const about = outcome === "invalid" || outcome === "refused" ? commit : outcome;
  const rotated = rotations?.pending.map(({ address }) => address) ?? [];
  return [
    ...(title === undefined ? [] : [toOpen({ type, title, commit, ...collectNamed(others) }, others, about)]),
    ...(drifted.length > 0 ? [toOpen(createDriftedNotice(collectNamed(drifted).objects), drifted)] : []),
    ...(rotated.length > 0 ? [toOpen(createRotationNotice(rotated), [], rotated.join())] : []),
  ];
}

function toOpen(
  facts: NoticeFacts,
  found: readonly CycleProblem[],
  about: string | number = "",
): OpenProblem {
  return {
    facts,
    key: JSON.stringify([facts.type, about, found.map(({ code, address }) => [code, address])]),
  };
}

/** Splits problems into object problems and other problems. */
function collectNamed(found: readonly CycleProblem[]) {
  return {
    objects: found.flatMap(({ address, code, message }) =>
      address === undefined ? [] : [{ address, what: code, problem: message }],
    ),
    problems: found.filter(({ address }) => address === undefined),
  };
}
