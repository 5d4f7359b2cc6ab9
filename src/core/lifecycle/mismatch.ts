import { isMapping, listed } from "../../base/text/index.js";
import {
  comparable,
  differingFields,
  fieldSize,
  type Kind,
  type Live,
  type Spec,
  type Value,
} from "../kinds/index.js";
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
  return differingFields(kind, sent, stored, normalize).map((field) => ({
    field,
    summary: `The service stored ${isList(kind, field) ? "" : "a "}different ${field}`,
    detail: `Sent: ${fieldSize(kind, field, sent)}. Stored: ${fieldSize(kind, field, stored)}. ${
      explainListMismatch(kind, field, normalize(sent[field]), normalize(stored[field])) ??
      "Shorten or correct it, then apply again."
    }`,
  }));
}

function isList(kind: Kind, field: string): boolean {
  return kind.fields[field]?.type === "list";
}

/**
 * Some services merge the entries of a list with the stored ones: a write then neither removes nor moves any
 * (§4.3 does not say). Returns sentences about the stored entries and what to do; undefined if the mismatch
 * has another cause, such as a missing entry.
 */
function explainListMismatch(
  kind: Kind,
  name: string,
  sent: Value | undefined,
  stored: Value | undefined,
): string | undefined {
  const field = kind.fields[name];
  if (field?.type !== "list") return undefined;
  const entries = (value: Value | undefined) => (comparable(field, value) ?? []) as readonly Value[];
  const left = entries(stored).map((item) => JSON.stringify(item));
  for (const item of entries(sent)) {
    const at = left.indexOf(JSON.stringify(item));
    if (at === -1) return undefined;
    left.splice(at, 1);
  }
  if (left.length === 0)
    return `The service keeps its ${name} in their stored order. Declare them in that order, or change it in the dashboard.`;
  const shown = left.map((text) => {
    const entry = JSON.parse(text) as Value;
    return isMapping(entry) ? JSON.stringify(Object.values(entry)[0]) : text;
  });
  const them = shown.length === 1 ? "it" : "them";
  return `The service adds ${name} and removes none: it kept ${listed(shown, 3)}. Declare ${them} again, or remove ${them} in the dashboard.`;
}
