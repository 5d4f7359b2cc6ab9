import { isDeepStrictEqual } from "node:util";
import type { Plan } from "../../core/engine/index.js";
import { declarationsAt, repositoryAt } from "../../core/history/index.js";
import { actionFacts } from "../../core/kinds/index.js";
import type { Declaration } from "../../core/manifest/index.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";

/** Whether two declarations say the same, wherever they are written. */
function saySame(one: Declaration | undefined, other: Declaration | undefined): boolean {
  const said = ({ spec, sources, id, protect, onRemoval, onRotation }: Partial<Declaration> = {}) => {
    return { spec, sources, id, protect, onRemoval, onRotation };
  };
  return isDeepStrictEqual(said(one), said(other));
}

/**
 * What of a plan the base would do by itself, because its apply has not run yet. Absent if
 * there is nothing of that, or if the base's code would have to run.
 */
export async function findDoneByBase(
  { host, signal }: Runtime,
  { changes }: Plan,
  { root, file, environment, declarations, untrusted }: Project,
  base: string,
): Promise<readonly string[] | undefined> {
  const repository = untrusted
    ? undefined
    : await repositoryAt(root, { environment: host.environment, signal });
  if (!repository || changes.every(({ action }) => action === "keep")) return undefined;
  const at = { commit: base, folder: repository.prefix, file, environment };
  const ofBase = await declarationsAt(repository, at);
  if (!ofBase) return undefined;
  const declared = new Map(declarations.map((declaration) => [declaration.address, declaration]));
  const pending = changes.filter(
    ({ address, action, overwrites }) =>
      actionFacts[action].exit === "changes" &&
      !overwrites &&
      saySame(ofBase.get(address), declared.get(address)),
  );
  return pending.length === 0 ? undefined : pending.map(({ address }) => address);
}
