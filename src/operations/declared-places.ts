import type { DeclaredAt, PlaceOfText } from "../documents/index.js";
import { declaredAt, firstLineOf, type Manifest } from "../manifest/index.js";

/** Where texts are in the files; a saved plan is shown without them. */
export function placesIn(manifest: Manifest | undefined): PlaceOfText {
  const declared = new Map(manifest?.declarations.map((declaration) => [declaration.address, declaration]));
  return (address, field) => {
    const declaration = declared.get(address);
    return declaration && firstLineOf(declaration, field);
  };
}

/** Where objects and fields are declared. */
export function declarationsIn(manifest: Manifest | undefined): DeclaredAt {
  const declared = new Map(manifest?.declarations.map((declaration) => [declaration.address, declaration]));
  return (address, field) => {
    const declaration = declared.get(address);
    return declaration && declaredAt(declaration, field);
  };
}
