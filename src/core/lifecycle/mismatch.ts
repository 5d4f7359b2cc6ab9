import { findDifferingFields, measureField, type RemoteObject, type Spec } from "../kinds/index.js";
import type { WriteContext } from "./write-context.js";

/** A field whose stored value differs from the sent one. */
export interface Mismatch {
  readonly field: string;
  /** A phrase without a full stop. */
  readonly summary: string;
  /** The sizes sent and stored, and what to do, in sentences. */
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

/** Advice for services that merge the entries of a list with the stored ones (§4.3 does not say). */
const keptEntries =
  "Some services neither remove nor move entries. Declare the stored entries in their order, or change them in the dashboard.";
