import { appliedNotices, driftedNotice, isOnlyDrifted, rotationNotice } from "../../operations/index.js";
import type { NoticeFacts } from "../../output/documents/index.js";
import {
  type CycleOutcome,
  type CycleProblem,
  type CycleResult,
  changesIn,
  problemsIn,
} from "./cycle-result.js";

/** How long somebody who was told of something is not told again although it was gone meanwhile, in ms. */
const quietMs = 60 * 60_000;
const dayMs = 24 * 60 * 60_000;

/** Titles for cycles that looked at files and account; after others nothing is known. */
const titles: Readonly<Partial<Record<CycleOutcome, string>>> = {
  failed: "sync fails",
  invalid: "the files have errors, so the commit before stays applied",
  partly: "sync cannot apply everything",
  conflicting: "files and dashboard both changed an object",
  ambiguous: "somebody must decide which objects are meant",
  refused: "sync was refused",
};
const stuck = "sync waits for a lock that it may not take over";
const noRun = "sync has not succeeded for a day";
const unknowing: ReadonlySet<CycleOutcome> = new Set(["failed", "locked", "stopped"]);

/**
 * What each cycle has to tell: what it applied, and otherwise only what is new. A failure counts when the next try, some
 * seconds later, fails too.
 */
export function createCycleNotices(
  now: () => number,
  takeOverAfterMs: number,
): (result: CycleResult) => NoticeFacts[] {
  const told = new Map<NoticeFacts["type"], { readonly key: string; seenMs: number; isOpen: boolean }>();
  let ranMs = now();
  let failures = 0;
  let lock = { holder: "", sinceMs: 0 };
  return (result) => {
    const at = now();
    const { outcome, commit } = result;
    const problems = problemsIn(result);
    failures = outcome === "failed" ? failures + 1 : 0;
    if (outcome === "stopped") return [];
    const isKnown = !unknowing.has(outcome);
    if (isKnown) ranMs = at;
    const holder = outcome === "locked" ? (problems[0]?.message ?? "") : "";
    if (holder !== lock.holder) lock = { holder, sinceMs: at };
    const isStuck = holder !== "" && takeOverAfterMs > 0 && at - lock.sinceMs >= takeOverAfterMs;
    const found = [
      ...(failures === 1 || result.isExpected ? [] : findOpen(result, problems)),
      ...(isStuck ? [toOpen({ type: "failed", title: stuck, ...namedIn(problems) }, [], holder)] : []),
      ...(at - ranMs >= dayMs
        ? [toOpen({ type: "no_run", title: noRun, ...namedIn(problems) }, [], ranMs)]
        : []),
    ];
    const fresh = found.filter(({ facts: { type }, key }) => {
      const last = told.get(type);
      told.set(type, { key, seenMs: at, isOpen: true });
      return last?.key !== key || (!last.isOpen && at - last.seenMs > quietMs);
    });
    for (const [type, one] of told)
      if (isKnown && !found.some(({ facts }) => facts.type === type)) one.isOpen = false;
    const applied = changesIn(result).filter(({ status }) => status === "applied");
    return [...appliedNotices(applied, { commit }), ...fresh.map(({ facts }) => facts)];
  };
}

/** Something that lasts, and what tells it from something else of this type. */
interface Open {
  readonly facts: NoticeFacts;
  readonly key: string;
}

function findOpen({ outcome, commit, rotations }: CycleResult, problems: readonly CycleProblem[]): Open[] {
  const drifted = problems.filter((problem) => isOnlyDrifted({ problem }));
  const others = problems.filter((problem) => !drifted.includes(problem));
  const title = titles[outcome];
  const type = outcome === "refused" ? "refused" : "failed";
  // Whoever pushed another commit is told anew.
  const about = outcome === "invalid" || outcome === "refused" ? commit : outcome;
  const rotated = rotations?.pending.map(({ address }) => address) ?? [];
  return [
    ...(title === undefined ? [] : [toOpen({ type, title, commit, ...namedIn(others) }, others, about)]),
    ...(drifted.length > 0 ? [toOpen(driftedNotice(namedIn(drifted).objects), drifted)] : []),
    ...(rotated.length > 0 ? [{ facts: rotationNotice(rotated), key: rotated.join() }] : []),
  ];
}

function toOpen(facts: NoticeFacts, found: readonly CycleProblem[], about: string | number = ""): Open {
  return { facts, key: JSON.stringify([about, found.map(({ code, address }) => [code, address])]) };
}

/** Problems of objects, and others. */
function namedIn(found: readonly CycleProblem[]) {
  return {
    objects: found.flatMap(({ address, code, message }) =>
      address === undefined ? [] : [{ address, what: code, problem: message }],
    ),
    problems: found.filter(({ address }) => address === undefined),
  };
}
