import { sourceOf } from "../../diagnostics/index.js";
import { addressOf, type Kind, type Spec } from "../../kinds/index.js";
import type { Declaration } from "./manifest.js";

/** What is recorded of an object, in the form of a declaration: for reading the account. No file has it. */
export function recordedDeclaration(kind: Kind, key: string, id: string, spec: Spec): Declaration {
  const range = { source: sourceOf("", ""), start: 0, end: 0 };
  return { address: addressOf(kind, key), kind, key, id, spec, sources: {}, range, origins: {} };
}
