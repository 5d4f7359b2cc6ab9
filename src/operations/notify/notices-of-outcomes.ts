import type { Outcome } from "../../core/engine/index.js";
import {
  actionFacts,
  type DriftDocument,
  type ErrorDocument,
  type NoticeFacts,
  outcomeDocument,
  type SessionsReportDocument,
  type ShownResult,
} from "../../output/documents/index.js";
import { budgetSentence, count } from "../../output/render/index.js";
import { refusals } from "../gates/gates.js";

/* What there is to tell of what a command did or found. */

/** The notice of a run that ended with an error. */
export function failureNotice(command: string, { code, message, policies = [] }: ErrorDocument): NoticeFacts {
  const errors = policies.filter(({ severity }) => severity === "error");
  return {
    ...(Object.hasOwn(refusals, code)
      ? ({ type: "refused", title: `${command} was refused` } as const)
      : ({ type: "failed", title: `${command} failed` } as const)),
    problems: errors.length > 0 ? errors : [{ code, message }],
  };
}

/** The notices of an apply: what was applied, and what was not. */
export function outcomeNotices(outcome: Outcome | undefined): NoticeFacts[] {
  if (!outcome) return [];
  const { results, state_serial, stopped } = outcomeDocument(outcome);
  // What is held is left as it is on purpose.
  const open = results.filter(({ status, problem }) => status !== "applied" && problem?.code !== "held");
  const drifted = open.filter(isOnlyDrifted);
  if (open.length > drifted.length)
    return [
      {
        type: "failed",
        title: `${open.length} of ${count(results.length, "change")} could not be applied`,
        ...{ objects: results.map(toObject), state_serial },
      },
    ];
  if (stopped && !outcome.isRecorded)
    return [{ type: "failed", title: "The state could not be written", problems: [stopped] }];
  return [
    ...appliedNotices(results, { state_serial }),
    ...(drifted.length > 0 ? [driftedNotice(drifted.map(toObject))] : []),
  ];
}

/** The notices of changes, some of which were applied; none if none was. */
export function appliedNotices(
  results: readonly ShownResult[],
  where: Pick<NoticeFacts, "commit" | "state_serial">,
): NoticeFacts[] {
  const { length } = results.filter(({ status }) => status === "applied");
  if (length === 0) return [];
  const title = `${count(length, "change")} applied`;
  return [{ type: "applied", title, objects: results.map(toObject), ...where }];
}

/** Edited elsewhere, or waiting for an object that was. */
export function wasLeftAlone({ problem }: Pick<ShownResult, "problem">): boolean {
  return leftAlone.has(problem?.code);
}

/** Left alone without a change of the files to apply: a conflict fails until a person decides. */
export function isOnlyDrifted(result: Pick<ShownResult, "problem">): boolean {
  return wasLeftAlone(result) && result.problem?.code !== "conflicting";
}

const leftAlone: ReadonlySet<string | undefined> = new Set(["drifted", "conflicting", "needs-another"]);

function toObject({ address, action, status, problem }: ShownResult): NoticeObject {
  const what =
    status === "applied" ? actionFacts[action].done : wasLeftAlone({ problem }) ? "drifted" : status;
  return { address, what, problem: problem?.message };
}

type NoticeObject = NonNullable<NoticeFacts["objects"]>[number];

/** The notice of objects that were edited elsewhere; `run`: the page where that is proposed. */
export function driftedNotice(objects: readonly NoticeObject[], run?: string): NoticeFacts {
  const title = `${count(objects.length, "object")} edited elsewhere`;
  return { type: "drifted", title, objects, run };
}

/** The notice of secrets that were rotated and not sent. */
export function rotationNotice(addresses: readonly string[]): NoticeFacts {
  return {
    type: "rotation_pending",
    title: `${count(addresses.length, "secret")} rotated and not sent`,
    objects: addresses.map((address) => ({ address, what: "rotated" })),
  };
}

/** The notices of a look at the account. */
export function driftNotices(document: DriftDocument): NoticeFacts[] {
  const { objects, unreadable, rotation_pending: rotated, pull_request } = document;
  const edited = objects.map(({ address, change }) => ({ address, what: change }));
  const unread = unreadable.map(({ address, reason: problem }) => ({ address, what: "unreadable", problem }));
  const proposal = pull_request?.url;
  return [
    ...(edited.length > 0 ? [driftedNotice(edited, proposal)] : []),
    ...(rotated.length > 0 ? [rotationNotice(rotated.map(({ address }) => address))] : []),
    ...(unread.length > 0
      ? [
          {
            type: "failed",
            title: `${count(unread.length, "object")} could not be read`,
            objects: unread,
          } as const,
        ]
      : []),
  ];
}

/** The notices of a report of sessions with a budget. */
export function budgetNotices(report: SessionsReportDocument): NoticeFacts[] {
  if (report.budget?.status !== "exceeded") return [];
  return [{ type: "budget_exceeded", title: (budgetSentence(report) ?? "").replace(/\.$/, "") }];
}
