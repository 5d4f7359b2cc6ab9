import { ServiceError } from "../api/index.js";
import type { ListedObject, Spec } from "../kinds/index.js";
import type { WriteContext } from "./write-context.js";

/**
 * The objects with the name for which a write was refused; undefined if the list cannot be read: the error
 * then remains that the name is taken.
 */
export async function findNameHolders(
  { kind, list }: Pick<WriteContext, "kind" | "list">,
  sent: Spec,
  ownId: string | undefined,
): Promise<readonly ListedObject[] | undefined> {
  const label = sent[kind.label];
  if (!kind.list || typeof label !== "string") return undefined;
  try {
    const { byLabel } = await list({ fresh: true });
    return (byLabel.get(label) ?? []).filter(({ id }) => id !== ownId);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
