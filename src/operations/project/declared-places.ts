import { type Declaration, findFirstLine, findStretches, type Manifest } from "../../core/manifest/index.js";
import type { DeclaredAt, FindPlaces } from "../../output/documents/index.js";

/**
 * Creates a function that finds the locations of texts in the files. Without a manifest, as for a saved plan, it finds
 * no locations.
 */
export function createFindPlaces(manifest: Manifest | undefined): FindPlaces {
  return createPlaceFinder(manifest, findStretches);
}

/** Creates a function that finds where objects and fields are declared. */
export function createDeclaredAt(manifest: Manifest | undefined): DeclaredAt {
  return createPlaceFinder(manifest, findFirstLine);
}

function createPlaceFinder<Field, Place>(
  manifest: Manifest | undefined,
  find: (declaration: Declaration, field: Field) => Place,
): (address: string, field: Field) => Place | undefined {
  const declared = new Map(manifest?.declarations.map((declaration) => [declaration.address, declaration]));
  return (address, field) => {
    const declaration = declared.get(address);
    return declaration && find(declaration, field);
  };
}
