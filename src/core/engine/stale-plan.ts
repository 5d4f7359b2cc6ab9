import { listNames } from "../../base/text/index.js";
import { actionFacts, digestChanges } from "../kinds/index.js";
import type { Change, Plan, PlanDefinitions } from "./plan-types.js";

/**
 * Error for a plan that no longer matches the account or the files. `moved` contains a sentence for each difference.
 */
export class StalePlanError extends Error {
  readonly code = "stale-plan";
  readonly moved: readonly string[];

  constructor(moved: readonly string[], advice = "Make a new plan: `avatarops plan`.") {
    super(`The plan is stale. ${moved.join(" ")} ${advice}`);
    this.name = "StalePlanError";
    this.moved = moved;
  }
}

/**
 * Throws unless the saved plan has the same digest as the current plan, or has been applied since.
 *
 * @throws StalePlanError
 */
export function assertNotStale(saved: Plan, fresh: Plan): void {
  if (saved.basis.comparedWith)
    throw new StalePlanError(["It was compared only with the last applied values, not with the account."]);
  const isKnown = saved.digest === fresh.digest || isApplied(saved, fresh) || isRecovered(saved, fresh);
  const basis = describeBasisDifferences(saved, fresh);
  // Another environment or account has other objects, so comparing the changes would be meaningless.
  if (basis.length > 0) throw new StalePlanError(basis);
  const moved = [
    ...(isKnown ? [] : describeChangeDifferences(saved, fresh)),
    ...describeFileDifferences(saved.definitions, fresh.definitions),
  ];
  if (moved.length > 0) throw new StalePlanError(moved);
  if (!isKnown) throw new StalePlanError(["A value that it depends on has changed."]);
}

/**
 * Returns whether the plan has been applied since. A secret value that cannot be read here may not have been sent, so
 * its change does not count as applied.
 */
function isApplied(saved: Plan, fresh: Plan): boolean {
  const now = new Map(fresh.changes.map((change) => [change.address, change]));
  const isDone = ({ address, action }: Change) => {
    const is = now.get(address);
    return is ? is.reason !== "unverified" : action === "delete" || action === "forget";
  };
  return (
    saved.basis.state?.serial !== fresh.basis.state?.serial &&
    fresh.changes.every(({ action }) => action === "keep") &&
    saved.changes.every((was) => was.action === "keep" || isDone(was))
  );
}

/** Returns whether the plans differ only in creates that an interrupted run completed. */
function isRecovered(saved: Plan, fresh: Plan): boolean {
  const now = new Map(fresh.changes.map((change) => [change.address, change]));
  const isDone = ({ address, action }: Change) => {
    const is = now.get(address);
    return is?.reason === "recovered" && is.fields.length === 0 && actionFacts[action].sends === "create";
  };
  const done = new Set(saved.changes.filter(isDone).map(({ address }) => address));
  const digest = ({ basis, changes }: Plan) =>
    digestChanges(
      basis,
      changes.filter(({ address }) => !done.has(address)),
    );
  return done.size > 0 && digest(saved) === digest(fresh);
}

/**
 * Throws unless the plan's digest equals the reviewed digest, or starts with it.
 *
 * @throws StalePlanError
 */
export function assertSameDigest(reviewed: string, fresh: Plan): void {
  if (reviewed !== "" && fresh.digest.startsWith(reviewed)) return;
  const todo = fresh.changes.filter(({ action }) => action !== "keep");
  const deeds = todo.map(({ address, action }) => `${action} ${address}`);
  const now = todo.length === 0 ? "has no changes" : `contains: ${listNames(deeds, maxListed)}`;
  throw new StalePlanError(
    [
      `The reviewed digest is ${reviewed}, but the plan's digest is ${fresh.digest}.`,
      `The files, the account or the secrets have changed since the review. The plan now ${now}.`,
    ],
    `Review the new plan with \`avatarops plan\`, then apply it: ${formatApplyCommand(fresh)}.`,
  );
}

/** Returns the command that applies exactly this plan. */
export function formatApplyCommand({ digest, threshold }: Plan): string {
  return `\`avatarops apply --digest ${digest}${threshold ? " --allow threshold" : ""}\``;
}

const maxListed = 20;

/** Compares files instead of commits, because a merge creates another commit with the same files. */
function describeFileDifferences(
  saved: PlanDefinitions | undefined,
  fresh: PlanDefinitions | undefined,
): string[] {
  if (!saved || !fresh) return [];
  const files = [...new Set([...Object.keys(saved.files), ...Object.keys(fresh.files)])].sort();
  const moved = files.flatMap((file) => {
    const [was, is] = [saved.files[file], fresh.files[file]];
    if (was === is) return [];
    return [`${file} (${was === undefined ? "new" : is === undefined ? "no longer read" : "changed"})`];
  });
  if (moved.length === 0) return [];
  const commits =
    saved.commit === undefined || fresh.commit === undefined || saved.commit === fresh.commit
      ? ""
      : ` It was made from commit ${nameCommit(saved)}, but this checkout is at ${nameCommit(fresh)}.`;
  return [`The files have changed since it was made: ${listNames(moved, maxListed)}.${commits}`];
}

function nameCommit({ commit = "", modified }: PlanDefinitions): string {
  return `${commit.slice(0, 12)}${modified ? " with changes" : ""}`;
}

function describeBasisDifferences(saved: Plan, fresh: Plan): string[] {
  const [before, now] = [saved.basis, fresh.basis];
  if (before.service !== now.service)
    return [`It was made for ${before.service}, but this is ${now.service}.`];
  if (before.environment !== now.environment) {
    return [
      `It was made ${nameEnvironment(before.environment)}, but this run is ${nameEnvironment(now.environment)}.`,
    ];
  }
  if (before.state && now.state && before.state.lineage !== now.state.lineage) {
    return ["It was made with another project's state."];
  }
  if (before.state && !now.state) return ["The state that it was made with no longer exists."];
  return [];
}

function nameEnvironment(environment: string | undefined): string {
  return environment === undefined ? "without an environment" : `for the environment ${environment}`;
}

function describeChangeDifferences(saved: Plan, fresh: Plan): string[] {
  const before = new Map(saved.changes.map((change) => [change.address, change]));
  const now = new Map(fresh.changes.map((change) => [change.address, change]));
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((address) => {
    const moved = describeDifference(before.get(address), now.get(address));
    return moved === undefined ? [] : [`${address} ${moved}.`];
  });
}

function describeDifference(was: Change | undefined, is: Change | undefined): string | undefined {
  const [before, now] = [was?.action ?? "keep", is?.action ?? "keep"];
  if (before !== now) return `was planned as ${before}, but is now ${now}`;
  if (!was || !is || now === "keep") return undefined;
  if (was.liveDigest !== is.liveDigest) return "was edited in the account";
  if (JSON.stringify(was.wanted) !== JSON.stringify(is.wanted)) return "was changed in the files";
  return JSON.stringify(was.fields) === JSON.stringify(is.fields) && was.id === is.id
    ? undefined
    : "has changed";
}
