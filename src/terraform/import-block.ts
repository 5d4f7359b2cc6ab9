import type { Kind, ListedObject } from "../kinds/index.js";

/** Blocks to paste, one for each object, oldest first; a provider does not learn the address of a resource. */
export function importBlocks(kind: Kind, listed: readonly ListedObject[]): string {
  const order = ({ id, createdAt = "" }: ListedObject) => `${createdAt} ${id}`;
  const sorted = [...listed].sort((one, other) => (order(one) < order(other) ? -1 : 1));
  return sorted.map((one) => importBlock(kind, one)).join("\n\n");
}

function importBlock(kind: Kind, { id, createdAt }: ListedObject): string {
  const made = createdAt ? ` # made ${createdAt}` : "";
  return `  import {\n    to = avatarops_${kind.name}.NAME\n    id = "${id}"${made}\n  }`;
}
