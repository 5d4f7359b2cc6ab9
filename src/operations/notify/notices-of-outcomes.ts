import type { Outcome } from "../../core/engine/index.js";
import {
  actionFacts,
  type DriftDocument,
  type ErrorDocument,
  type NoticeFacts,
  type SessionsReportDocument,
  type ShownResult,
  type ShownSmoke,
  toOutcomeDocument,
} from "../../output/documents/index.js";
import { describeBudget, formatCount } from "../../output/render/index.js";
import { refusals } from "../gates/gates.js";

/* Notices about the outcomes of commands. */

/** Creates the notice for a failed run. */
export function createFailureNotice(
  command: string,
  { code, message, policies = [] }: ErrorDocument,
): NoticeFacts {
  const errors = policies.filter(({ severity }) => severity === "error");
  return {
    ...(Object.hasOwn(refusals, code)
      ? ({ type: "refused", title: `${command} was refused` } as const)
      : ({ type: "failed", title: `${command} failed` } as const)),
    problems: errors.length > 0 ? errors : [{ code, message }],
  };
}

/** Creates the notices for an apply. */
export function createOutcomeNotices(outcome: Outcome | undefined): NoticeFacts[] {
  if (!outcome) return [];
  const { results, state_serial, stopped } = toOutcomeDocument(outcome);
  // Objects on hold are skipped on purpose.
  const open = results.filter(({ status, problem }) => status !== "applied" && problem?.code !== "held");
  const drifted = open.filter(isOnlyDrifted);
  if (open.length > drifted.length)
    return [
      {
        type: "failed",
        title: `${open.length} of ${formatCount(results.length, "change")} could not be applied`,
        ...{ objects: results.map(toObject), state_serial },
      },
    ];
  if (stopped && !outcome.isRecorded)
    return [{ type: "failed", title: "The state could not be written", problems: [stopped] }];
  return [
    ...createAppliedNotices(results, { state_serial }),
    ...(drifted.length > 0 ? [createDriftedNotice(drifted.map(toObject))] : []),
  ];
}

/** Creates the notice for the smoke check of an apply, if a preset failed. */
export function createSmokeNotices(
  smoke: ShownSmoke | undefined,
  { serial }: Pick<Outcome, "serial">,
): NoticeFacts[] {
  if (smoke?.exit !== "failed") return [];
  const problems = smoke.checks.flatMap(({ preset, status, problem }) =>
    status === "failed" && problem
      ? [{ code: problem.code, message: `sessions.${preset}: ${problem.message}` }]
      : [],
  );
  const checked = formatCount(smoke.checks.length, "preset");
  const title = `${smoke.summary.failed} of ${checked} failed the smoke check`;
  return [{ type: "failed", title, problems, state_serial: serial }];
}

/** Creates the notice for applied changes, if any. */
export function createAppliedNotices(
  results: readonly ShownResult[],
  where: Pick<NoticeFacts, "commit" | "state_serial">,
): NoticeFacts[] {
  const { length } = results.filter(({ status }) => status === "applied");
  if (length === 0) return [];
  const title = `${formatCount(length, "change")} applied`;
  return [{ type: "applied", title, objects: results.map(toObject), ...where }];
}

/** Returns whether a change was skipped because its object, or an object that it waits for, was edited elsewhere. */
export function wasWithheld({ problem }: Pick<ShownResult, "problem">): boolean {
  return leftAlone.has(problem?.code);
}

/**
 * Returns whether a change was skipped only because of a dashboard edit. A conflict counts as failed, because a person
 * must decide.
 */
export function isOnlyDrifted(result: Pick<ShownResult, "problem">): boolean {
  return wasWithheld(result) && result.problem?.code !== "conflicting";
}

const leftAlone: ReadonlySet<string | undefined> = new Set(["drifted", "conflicting", "needs-another"]);

function toObject({ address, action, status, problem }: ShownResult): NoticeObject {
  const what =
    status === "applied" ? actionFacts[action].done : wasWithheld({ problem }) ? "drifted" : status;
  return { address, what, problem: problem?.message };
}

type NoticeObject = NonNullable<NoticeFacts["objects"]>[number];

/** Creates the drift notice. `run` is the URL to link to, such as a pull request. */
export function createDriftedNotice(objects: readonly NoticeObject[], run?: string): NoticeFacts {
  const title = `${formatCount(objects.length, "object")} edited elsewhere`;
  return { type: "drifted", title, objects, run };
}

/** Creates the notice for rotated secrets that were not sent. */
export function createRotationNotice(addresses: readonly string[]): NoticeFacts {
  return {
    type: "rotation_pending",
    title: `${formatCount(addresses.length, "rotated secret")} not sent`,
    objects: addresses.map((address) => ({ address, what: "rotated" })),
  };
}

export function createDriftNotices(document: DriftDocument): NoticeFacts[] {
  const { objects, unreadable, rotation_pending: rotated, pull_request } = document;
  const edited = objects.map(({ address, change }) => ({ address, what: change }));
  const unread = unreadable.map(({ address, reason: problem }) => ({ address, what: "unreadable", problem }));
  const proposal = pull_request?.url;
  return [
    ...(edited.length > 0 ? [createDriftedNotice(edited, proposal)] : []),
    ...(rotated.length > 0 ? [createRotationNotice(rotated.map(({ address }) => address))] : []),
    ...(unread.length > 0
      ? [
          {
            type: "failed",
            title: `${formatCount(unread.length, "object")} could not be read`,
            objects: unread,
          } as const,
        ]
      : []),
  ];
}

export function createBudgetNotices(report: SessionsReportDocument): NoticeFacts[] {
  if (report.budget?.status !== "exceeded") return [];
  return [{ type: "budget_exceeded", title: (describeBudget(report) ?? "").replace(/\.$/, "") }];
}
