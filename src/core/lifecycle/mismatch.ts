import { findDifferingFields, measureField, type RemoteObject, type Spec } from "../kinds/index.js";
import type { WriteContext } from "./write-context.js";

/** Field whose stored value differs from the sent value. */
export interface Mismatch {
  readonly field: string;
  /** Summary as a phrase without a full stop. */
  readonly summary: string;
  /** Sentences with the sent and stored sizes and advice. */
  readonly detail: string;
}

/** Finds the fields that the service stored differently (rule 3). */
export function findMismatches(
  { kind, normalize = (value) => value }: Pick<WriteContext, "kind" | "normalize">,
  sent: Spec,
  { spec: stored }: RemoteObject,
): readonly Mismatch[] {
  return findDifferingFields(kind, sent, stored, normalize).map((field) => {
    const isList = kind.fields[field]?.type === "list";
    const sizes = `Sent: ${measureField(kind, field, sent)}. Stored: ${measureField(kind, field, stored)}.`;
    return {
      field,
      summary: `The service stored ${isList ? "" : "a "}different ${field}`,
      detail: `${sizes} ${isList ? keptEntries : "Shorten or correct it, then apply again."}`,
    };
  });
}

/** Advice in case the service merges sent list entries with stored entries, which §4.3 does not specify. */
const keptEntries =
  "Some services do not remove or reorder entries. Declare the entries as stored, or change them in the dashboard.";
