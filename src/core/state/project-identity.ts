import { readScheme } from "../../base/files/index.js";
import { isSameRepository } from "../../base/git/index.js";
import { toPlainLine } from "../../base/text/index.js";
import type { ProjectIdentity } from "./state.js";
import { StateError } from "./state-error.js";

/*
 * A state belongs to one project. An apply with the state of another project would delete or forget the objects of that
 * project.
 */

type IdentityPart = keyof ProjectIdentity;

/**
 * Finds the parts of a project's identity that differ from the recorded ones. An unknown origin or path counts as
 * equal.
 */
function findDifferingParts(recorded: ProjectIdentity, current: ProjectIdentity): readonly IdentityPart[] {
  const differs = (part: IdentityPart): boolean => {
    const [one, other] = [recorded[part], current[part]];
    if (part === "environment" || one === undefined || other === undefined)
      return part === "environment" && one !== other;
    return part === "origin" ? !isSameRepository(one, other) : one !== other;
  };
  return (["origin", "path", "environment"] as const).filter(differs);
}

/** Completes the recorded identity with parts that only the current project has. */
export function completeProject(
  recorded: ProjectIdentity | undefined,
  current: ProjectIdentity,
): ProjectIdentity {
  return { ...current, ...recorded };
}

/** Returns the current project, with an unknown origin or path taken from the recorded one. */
export function replaceProject(
  { environment: _, ...recorded }: ProjectIdentity,
  current: ProjectIdentity,
): ProjectIdentity {
  return { ...recorded, ...current };
}

/**
 * Describes a project, such as `"support" in team/avatars (environment production)`. `beside` is the project to compare
 * with.
 */
export function describeProject(
  { origin, path, environment }: ProjectIdentity,
  beside: ProjectIdentity = {},
): string {
  const folder = path === "" ? "the repository root" : path === undefined ? "" : JSON.stringify(path);
  const where = [folder, origin ?? ""].filter(Boolean).join(" in ");
  const label = environment === undefined ? "no environment" : `environment ${environment}`;
  if (where === "") return toPlainLine(label);
  const isShown = environment !== undefined || beside.environment !== undefined;
  return toPlainLine(isShown ? `${where} (${label})` : where);
}

/** Explains that a state belongs to another project, and what to do. Returns undefined if the projects match. */
export function describeOtherProject(
  state: string,
  recorded: ProjectIdentity | undefined,
  current: ProjectIdentity | undefined,
): string | undefined {
  const parts = recorded && current ? findDifferingParts(recorded, current) : [];
  if (!recorded || !current || parts.length === 0) return undefined;
  const isMoved = parts.some((part) => part !== "environment");
  const [advice, change] = isMoved
    ? [readScheme(state) === undefined ? copied : shared, "the project was moved or renamed"]
    : [
        `${recorded.environment === undefined ? "Omit" : "Choose the other environment with"} \`--env\`, ${ownState}`,
        takenOver,
      ];
  const chosen = current.environment === undefined ? "" : ` --env ${current.environment}`;
  return `${state} belongs to ${describeProject(recorded, current)}, but this is ${describeProject(current, recorded)}. ${advice} If ${change}, run \`avatarops state replace-project${chosen}\`.`;
}

const ownState = "or give this environment its own state (`state:`).";
const takenOver = "this environment takes over the objects";

const shared = "Give this project its own state (`state:`).";
/** Advice for a state file, which is copied together with its project folder. */
const copied = "If this is a copy or a fork, delete this state and its `.history`, and rename the objects.";

/** Throws if the state belongs to another project. @throws StateError `other-project` */
export function assertSameProject(
  state: string,
  recorded: ProjectIdentity | undefined,
  current: ProjectIdentity | undefined,
): void {
  const problem = describeOtherProject(state, recorded, current);
  if (problem === undefined) return;
  throw new StateError("other-project", state, `Nothing was changed: ${problem}`);
}
