import { isDeepStrictEqual } from "node:util";
import { type Change, listChangesToWrite, type Plan } from "../../core/engine/index.js";
import type { Declaration, Manifest } from "../../core/manifest/index.js";
import type { AppliedElsewhere } from "../../output/render/index.js";
import { withValuesFrom } from "../plan/environments.js";
import { doesOverwriteDrift } from "../plan/plan.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { findPendingObjects } from "./needs.js";

/**
 * Finds planned changes that required environments have already applied: their declared values are the same, apart from
 * variables. Excludes removals and secrets, because the state does not record them.
 */
export async function findAppliedInNeeded(
  runtime: Runtime,
  project: Project,
  plan: Plan,
): Promise<readonly AppliedElsewhere[]> {
  const changes = listChangesToWrite(plan, doesOverwriteDrift(runtime, project));
  const needs = project.environments.get(project.environment ?? "")?.needs ?? [];
  const found: AppliedElsewhere[] = [];
  for (const environment of changes.length > 0 ? needs : []) {
    try {
      const { project: other, addresses: pending } = await findPendingObjects(runtime, environment);
      const applied = changes.filter(
        (change) => !pending.includes(change.address) && doesDeclareSame(change, project, other),
      );
      if (applied.length > 0) found.push({ environment, addresses: applied.map(({ address }) => address) });
    } catch (error) {
      if (runtime.signal.aborted || !(error instanceof Error)) throw error;
      runtime.output.warn(`The changes already applied to ${environment} are unknown: ${error.message}`);
      found.push({ environment, addresses: "unknown" });
    }
  }
  return found;
}

/** Returns whether another environment declares the same values for the fields changed in the files. */
function doesDeclareSame({ address, fields }: Change, project: Manifest, other: Manifest): boolean {
  const find = ({ declarations }: Manifest) => declarations.find((one) => one.address === address);
  const [own, theirs] = [find(project), find(other)];
  const changed = fields.filter(({ cause }) => cause !== "drifted");
  if (!own || !theirs || changed.length === 0) return false;
  const there = { ...theirs, spec: withValuesFrom(project, theirs) };
  const getDeclaredValue = ({ spec, references }: Declaration, field: string) => [
    spec[field],
    references?.[field],
  ];
  return changed.every(
    ({ field, type }) =>
      type !== "write-only" &&
      field in own.kind.fields &&
      isDeepStrictEqual(getDeclaredValue(there, field), getDeclaredValue(own, field)),
  );
}
