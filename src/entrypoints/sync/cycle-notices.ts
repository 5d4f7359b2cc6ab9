import { isLeftAlone, rotationNotice } from "../../operations/index.js";
import { actionFacts, type NoticeFacts } from "../../output/documents/index.js";
import { count } from "../../output/render/index.js";
import type { CycleOutcome, CycleProblem, CycleReport } from "./cycle-report.js";

/** How long somebody who was told of something is not told again although it was gone meanwhile, in ms. */
const quietMs = 60 * 60_000;
const dayMs = 24 * 60 * 60_000;

/** Of cycles that looked at files and account; after others nothing is known. */
const titles: Readonly<Partial<Record<CycleOutcome, string>>> = {
  failed: "sync fails",
  invalid: "the files have errors, so the commit before stays applied",
  partly: "sync cannot apply everything",
  ambiguous: "somebody must decide which objects are meant",
  refused: "sync was refused",
};
const unknowing: ReadonlySet<CycleOutcome> = new Set(["failed", "locked", "stopped"]);

/**
 * What each cycle has to tell: what it applied, and otherwise only what is new. A failure counts when the next try, some
 * seconds later, fails too.
 */
export function createCycleNotices(now: () => number): (report: CycleReport) => NoticeFacts[] {
  const told = new Map<NoticeFacts["type"], { readonly key: string; seenMs: number; isOpen: boolean }>();
  let ranMs = now();
  let failures = 0;
  return (report) => {
    const at = now();
    failures = report.outcome === "failed" ? failures + 1 : 0;
    if (report.outcome === "stopped") return [];
    const isKnown = !unknowing.has(report.outcome);
    if (isKnown) ranMs = at;
    const found = [
      ...(failures === 1 ? [] : findOpen(report)),
      ...(at - ranMs >= dayMs ? [noRun(report, ranMs)] : []),
    ];
    const fresh = found.filter(({ facts: { type }, key }) => {
      const last = told.get(type);
      told.set(type, { key, seenMs: at, isOpen: true });
      return last?.key !== key || (!last.isOpen && at - last.seenMs > quietMs);
    });
    for (const [type, one] of told)
      if (isKnown && !found.some(({ facts }) => facts.type === type)) one.isOpen = false;
    return [...findApplied(report), ...fresh.map(({ facts }) => facts)];
  };
}

/** Something that lasts, and what tells it from something else of this type. */
interface Open {
  readonly facts: NoticeFacts;
  readonly key: string;
}

function findApplied({ changes, commit }: CycleReport): NoticeFacts[] {
  const applied = changes.filter(({ status }) => status === "applied");
  if (applied.length === 0) return [];
  const objects = applied.map(({ address, action }) => ({ address, what: actionFacts[action].done }));
  return [
    { type: "applied", title: `${count(applied.length, "change")} applied`, objects, ...given(commit) },
  ];
}

function findOpen({ outcome, commit, problems, secrets }: CycleReport): Open[] {
  const drifted = problems.filter((problem) => isLeftAlone({ problem }));
  const others = problems.filter((problem) => !drifted.includes(problem));
  const title = titles[outcome];
  const rotated = secrets?.rotated ?? [];
  return [
    ...(title === undefined
      ? []
      : [
          toOpen(
            { type: outcome === "refused" ? "refused" : "failed", title, ...given(commit) },
            others,
            // Whoever pushed another commit is told anew.
            outcome === "invalid" || outcome === "refused" ? commit : outcome,
          ),
        ]),
    ...(drifted.length > 0
      ? [toOpen({ type: "drifted", title: `${count(drifted.length, "object")} edited elsewhere` }, drifted)]
      : []),
    ...(rotated.length > 0 ? [{ facts: rotationNotice(rotated), key: rotated.join() }] : []),
  ];
}

function noRun(report: CycleReport, ranMs: number): Open {
  const facts = { type: "no_run", title: "sync has not succeeded for a day" } as const;
  return { ...toOpen(facts, report.problems), key: String(ranMs) };
}

function toOpen(facts: NoticeFacts, found: readonly CycleProblem[], about = ""): Open {
  const objects = found.flatMap(({ address, code, message }) =>
    address === undefined ? [] : [{ address, what: code, problem: message }],
  );
  const problems = found.filter(({ address }) => address === undefined);
  const key = JSON.stringify([about, found.map(({ code, address }) => [code, address])]);
  return { facts: { ...facts, objects, problems }, key };
}

function given(commit: string | undefined): { readonly commit?: string } {
  return commit === undefined ? {} : { commit };
}
