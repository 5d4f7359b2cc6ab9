import { kindNamed } from "../../kinds/index.js";
import { type Node, rangeAt } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { Declaration } from "./manifest.js";
import { checkReference, type DeclaredNames } from "./names.js";

/** Reports references to undeclared objects. */
export function checkReferences(
  declarations: readonly Declaration[],
  findNode: (declaration: Declaration) => Node | undefined,
  declared: DeclaredNames,
  reading: Reading,
): void {
  // Most projects have none, and some have ten thousand objects.
  if (!declarations.some(({ references }) => references)) return;
  for (const declaration of declarations) {
    for (const [field, address] of Object.entries(declaration.references ?? {})) {
      const kind = kindNamed(address.slice(0, address.indexOf(".")));
      if (!kind) throw new Error(`Bug: ${declaration.address}.${field} refers to a kind that does not exist`);
      const value = findNode(declaration);
      const range = value ? rangeAt(declaration.range, value, [field]) : declaration.range;
      const name = address.slice(kind.name.length + 1);
      const hint = `declare the object under ${kind.collection}: and write its name`;
      checkReference(`${declaration.address}.${field}`, kind, name, range, declared, reading, hint);
    }
  }
}
