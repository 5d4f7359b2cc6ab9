import { differingFields, type Kind, type Live, type Spec, sizeOf } from "../kinds/index.js";
import { explainListMismatch } from "./list-mismatch.js";
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
export function mismatchesOf(
  { kind, normalize = (value) => value }: Pick<WriteContext, "kind" | "normalize">,
  sent: Spec,
  { spec: stored }: Live,
): readonly Mismatch[] {
  return differingFields(kind, sent, stored, normalize).map((field) => ({
    field,
    summary: `The service stored ${isList(kind, field) ? "" : "a "}different ${field}`,
    detail: `Sent: ${sizeOf(kind, field, sent)}. Stored: ${sizeOf(kind, field, stored)}. ${
      explainListMismatch(kind, field, normalize(sent[field]), normalize(stored[field])) ??
      "Shorten or correct it, then apply again."
    }`,
  }));
}

function isList(kind: Kind, field: string): boolean {
  return kind.fields[field]?.type === "list";
}
