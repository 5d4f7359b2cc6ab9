import { differingFields, fieldSize, type Live, type Spec } from "../kinds/index.js";
import type { WriteContext } from "./write-context.js";

/** A field that the service stored differently from what was sent. */
export interface Mismatch {
  readonly field: string;
  /** A few words, without a full stop. */
  readonly summary: string;
  /** The sizes sent and stored, and what to do: whole sentences. */
  readonly detail: string;
}

/** The fields that the service stored differently from what was sent (rule 3). */
export function findMismatches(
  { kind, normalize = (value) => value }: Pick<WriteContext, "kind" | "normalize">,
  sent: Spec,
  { spec: stored }: Live,
): readonly Mismatch[] {
  return differingFields(kind, sent, stored, normalize).map((field) => {
    const isList = kind.fields[field]?.type === "list";
    const sizes = `Sent: ${fieldSize(kind, field, sent)}. Stored: ${fieldSize(kind, field, stored)}.`;
    return {
      field,
      summary: `The service stored ${isList ? "" : "a "}different ${field}`,
      detail: `${sizes} ${isList ? keptEntries : "Shorten or correct it, then apply again."}`,
    };
  });
}

/** Some services merge the entries of a list with the stored ones (§4.3 does not say). */
const keptEntries =
  "Some services neither remove nor move entries: declare what it has, in its order, or change it in the dashboard.";
