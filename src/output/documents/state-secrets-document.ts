import { parseAddress, writeOnlyFields } from "../../core/kinds/index.js";
import type { StaleObject } from "../../core/state/index.js";
import { given, type Head, head } from "./document.js";
import type { ShownState } from "./state-document.js";

/** The managed objects with write-only fields, from the state and the files alone. */
export interface StateSecretsDocument extends Head<"state-secrets"> {
  readonly service: string;
  readonly lineage: string;
  readonly serial: number;
  /** By address. */
  readonly secrets: readonly ShownSecret[];
}

/** One object with write-only fields. */
export interface ShownSecret {
  readonly address: string;
  readonly id: string;
  readonly label: string;
  /** When its values were last sent, ISO 8601; absent if that is not recorded. */
  readonly written_at?: string;
  readonly fields: readonly ShownSecretField[];
  /** What it superseded, and is still stored in the service. */
  readonly stale: readonly (StaleObject & { readonly age_days: number })[];
}

/** A write-only field: never its value. */
export interface ShownSecretField {
  readonly field: string;
  /** Where its value comes from; absent if no file declares it. */
  readonly source?: string;
  /** Of the value that was sent, if its source or its declaration tells one. */
  readonly version?: string;
}

/** Creates the document; `sourceOf` describes the source of a field. */
export function stateSecretsDocument(
  state: ShownState,
  sourceOf: (address: string, field: string) => string | undefined,
  nowMs: number,
): StateSecretsDocument {
  const addresses = Object.keys(state.objects).sort();
  return {
    ...head("state-secrets"),
    service: state.service,
    lineage: state.lineage,
    serial: state.serial,
    secrets: addresses.flatMap((address): ShownSecret[] => {
      const object = state.objects[address];
      const kind = parseAddress(address)?.kind;
      const fields = kind ? writeOnlyFields(kind) : [];
      if (!object || !kind || fields.length === 0) return [];
      const label = object.applied[kind.label];
      return [
        {
          address,
          id: object.id,
          label: typeof label === "string" ? label : "",
          ...given("written_at", object.writtenAt),
          fields: fields.map((field) => ({
            field,
            ...given("source", sourceOf(address, field)),
            ...given("version", object.versions?.[field]?.version),
          })),
          stale: (object.stale ?? []).map(({ id, label, since }) => ({
            ...{ id, label, since },
            age_days: Math.max(0, Math.floor((nowMs - Date.parse(since)) / 86_400_000)),
          })),
        },
      ];
    }),
  };
}
