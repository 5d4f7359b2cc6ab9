import { kindNamed } from "../../kinds/index.js";
import { type Node, rangeAt } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { Declaration } from "./manifest.js";
import { checkReference, type DeclaredNames } from "./names.js";

/** Reports references to undeclared objects, and declarations that refer to each other in a cycle. */
export function checkReferences(
  declarations: readonly Declaration[],
  findNode: (declaration: Declaration) => Node | undefined,
  declared: DeclaredNames,
  reading: Reading,
): void {
  // Most projects have none, and some have ten thousand objects.
  if (!declarations.some(({ references }) => references)) return;
  const byAddress = new Map(declarations.map((declaration) => [declaration.address, declaration]));
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
  for (const cycle of cyclesIn(byAddress)) {
    const [first] = cycle;
    const addresses = [...cycle, first].map((declaration) => declaration?.address).join(" → ");
    const hint = "remove one of the references: an object is created after those it refers to";
    reading.collector.error(
      "reference-cycle",
      `objects refer to each other: ${addresses}`,
      first?.range,
      hint,
    );
  }
}

/** Each cycle once, from its first declaration. */
function cyclesIn(byAddress: ReadonlyMap<string, Declaration>): Declaration[][] {
  const done = new Set<Declaration>();
  const cycles: Declaration[][] = [];
  const visit = (declaration: Declaration, path: readonly Declaration[]): void => {
    const at = path.indexOf(declaration);
    if (at !== -1) cycles.push(path.slice(at));
    if (at !== -1 || done.has(declaration)) return;
    for (const address of Object.values(declaration.references ?? {})) {
      const next = byAddress.get(address);
      if (next) visit(next, [...path, declaration]);
    }
    done.add(declaration);
  };
  for (const declaration of byAddress.values()) if (declaration.references) visit(declaration, []);
  return cycles;
}
