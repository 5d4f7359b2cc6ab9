import {
  type Declaration,
  findFirstLine,
  findLineOfPart,
  findStretches,
  type Manifest,
} from "../../core/manifest/index.js";
import type { DeclarationLocator, TextLocator } from "../../output/documents/index.js";

/**
 * Creates a function that finds where texts are in the files. Without a manifest, as for a saved plan, it finds
 * nothing.
 */
export function createTextLocator(manifest: Manifest | undefined): TextLocator {
  const find = createDeclarationFinder(manifest);
  return (address, field) => {
    const declaration = find(address);
    return declaration && findStretches(declaration, field);
  };
}

/** Creates a function that finds where objects, fields and parts of fields are declared. */
export function createDeclarationLocator(manifest: Manifest | undefined): DeclarationLocator {
  const find = createDeclarationFinder(manifest);
  return (address, field, part) => {
    const declaration = find(address);
    if (!declaration) return undefined;
    return field !== undefined && part
      ? findLineOfPart(declaration, field, part)
      : findFirstLine(declaration, field);
  };
}

function createDeclarationFinder(manifest: Manifest | undefined) {
  const declared = new Map(
    manifest?.declarations.map((declaration): [string, Declaration] => [declaration.address, declaration]),
  );
  return (address: string) => declared.get(address);
}
