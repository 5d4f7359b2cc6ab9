import type { Plan } from "../../core/engine/index.js";
import { type PlanExit, parseAddress } from "../../core/kinds/index.js";
import type { ApplyHold, CommitRecord, Holder, State } from "../../core/state/index.js";
import { createHead } from "./document.js";
import { toShownCommit } from "./history-document.js";
import { isSettledExit } from "./plan-document.js";

export type StatusDocument = ReturnType<typeof toStatusDocument>;

export interface StatusFacts {
  readonly project: {
    readonly environment?: string | undefined;
    readonly reviews: { readonly requireApproval: number };
  };
  /** State store location. */
  readonly location: string;
  readonly state: State | undefined;
  readonly service: string | undefined;
  readonly lockedBy: Holder | undefined;
  /** Name of the lock file, if it cannot be read. */
  readonly unreadableLock: string | undefined;
  /** Newest record in the history. */
  readonly lastChange: CommitRecord | undefined;
  /** Addresses that apply would change. */
  readonly pending: readonly string[];
  /** Addresses of objects changed in both the files and the account, so apply skips them. */
  readonly conflicting?: readonly string[];
  /** Addresses of changes that apply skips because of a hold. */
  readonly held?: readonly string[];
  readonly notices?: Plan["notices"] | undefined;
  /** Result of the plan. Undefined if the account was not compared. */
  readonly planned?: PlanExit | undefined;
  readonly holds: readonly ApplyHold[];
  /** Warnings that the checkout is behind, as sentences. */
  readonly behind: readonly string[];
  readonly needs: readonly { readonly environment: string; readonly addresses: readonly string[] }[];
  /** Addresses of objects that changed only in the account. */
  readonly drifted?: readonly string[];
  /** Addresses of secrets whose value has changed at its source. */
  readonly rotated?: readonly string[] | undefined;
  /** Secrets whose source could not be checked. */
  readonly unverified?: readonly { readonly address: string; readonly reason: string }[] | undefined;
  /** Whether a secret may have been rotated, not counting secrets whose values this run cannot access. */
  readonly isUnverified?: boolean | undefined;
  /** Reason why drift is unknown. */
  readonly unknown?: string;
  /** Whether unknown drift is an error. */
  readonly failed?: boolean;
}

export function toStatusDocument({ project, location, state, lastChange, ...facts }: StatusFacts) {
  const {
    pending,
    planned,
    notices = [],
    drifted = [],
    conflicting = [],
    held = [],
    rotated = [],
    unverified = [],
    unknown,
    failed,
    holds,
    behind,
    needs,
  } = facts;
  const { lockedBy, unreadableLock } = facts;
  const objects = Object.entries(state?.objects ?? {});
  const kinds = objects.map(([address]) => parseAddress(address)?.kind.collection ?? "others");
  const { by, at, command, definitions, serial } = lastChange ?? {};
  const settled = planned ?? (facts.isUnverified ? "unverified" : "nothing");
  const open = [...pending, ...drifted, ...conflicting, ...held, ...rotated];
  const exit: PlanExit = isSettledExit(settled) && open.length > 0 ? "changes" : settled;
  return {
    ...createHead("status"),
    environment: project.environment,
    service: facts.service,
    state: { location, lineage: state?.lineage, serial: state?.serial },
    /** Last change to the state, or undefined if nothing is recorded. `by` is unverified. */
    last_change: lastChange && {
      serial,
      at,
      command,
      by: by?.user,
      commit: definitions && toShownCommit(definitions),
    },
    /** Number of managed objects of each kind. */
    managed: Object.fromEntries(
      [...new Set(kinds)].map((kind) => [kind, kinds.filter((one) => one === kind).length]),
    ),
    pending,
    conflicting,
    held,
    /** Gates that block these changes unless `--allow` names them. */
    refused_by: notices.flatMap(({ code, message }) =>
      code === "threshold" || code === "all-vanished" ? [{ code, message }] : [],
    ),
    /** Drifted objects, or undefined if unknown. `drift_unknown` has the reason. */
    drifted: unknown === undefined ? drifted : undefined,
    rotation_pending: rotated,
    secrets_unverified: unverified,
    drift_unknown: unknown,
    holds,
    locked_by: lockedBy && {
      command: lockedBy.command,
      pid: lockedBy.pid,
      host: lockedBy.host,
      since: lockedBy.since,
    },
    /** Name of an unreadable lock file. The state counts as locked. */
    unreadable_lock: unreadableLock,
    behind,
    needs,
    /** Number of approvals required to apply. */
    approvals_required: project.reviews.requireApproval,
    /** Writes in progress or interrupted. The next apply resolves them. */
    unsettled: Object.values(state?.pending ?? {}).map(({ address, at }) => ({ address, since: at })),
    /** Superseded objects that are still in the account. */
    superseded: objects.flatMap(([address, { superseded = [] }]) =>
      superseded.map(({ id }) => ({ address, id })),
    ),
    exit: failed ? ("unreadable" as const) : exit,
  };
}
