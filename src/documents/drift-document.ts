import type { Drift, DriftedField, DriftedObject, Undeclared } from "../engine/index.js";
import { given, type Head, head } from "./document.js";
import {
  type PlaceOfText,
  type ShownField,
  type ShownUndeclared,
  type ShownValue,
  shownUndeclared,
} from "./plan-document.js";

/** What moved in the account since the last apply. */
export interface DriftDocument extends Head<"drift"> {
  readonly service: string;
  readonly environment?: string;
  readonly targets?: readonly string[];
  /** The state it was compared with. */
  readonly state: { readonly lineage: string; readonly serial: number };
  /** Something was edited or is gone: the command exits with 2. */
  readonly drifted: boolean;
  /** Numbers of objects. */
  readonly summary: Readonly<
    Record<"changed" | "vanished" | "unreadable" | "unchanged" | "unobservable", number>
  >;
  readonly objects: readonly ShownDrift[];
  /** Objects of which nothing is known now, and why. */
  readonly unreadable: readonly { readonly address: string; readonly reason: string }[];
  /** Sentences about the whole comparison. */
  readonly notes: readonly string[];
  /** With --undeclared: the objects of the account that neither the files nor the state know. */
  readonly undeclared?: readonly ShownUndeclared[];
  /** Requests sent to the service. */
  readonly requests: number;
  /** With --pull-request: what became of it. */
  readonly pull_request?: ProposalFacts;
  /** With --issue: what became of it. */
  readonly issue?: ProposalFacts;
}

/** A managed object that was edited, or is gone. */
export interface ShownDrift {
  readonly address: string;
  readonly kind: string;
  /** As last applied. */
  readonly label: string;
  readonly id: string;
  readonly change: "changed" | "vanished";
  /** When it was last edited, as the service says. It does not say who did it. */
  readonly updated_at?: string;
  /** Of an object that vanished: the id of another one that has its name now. */
  readonly successor?: string;
  readonly fields: readonly ShownDriftField[];
}

/** A field: as last applied and as it is live. */
export interface ShownDriftField extends Pick<ShownField, "field" | "type" | "place"> {
  /** As last applied: of a long text that the files no longer have, only digest and length are known. */
  readonly before?: NonNullable<ShownField["before"]>;
  /** Live; absent: empty. */
  readonly after?: ShownValue;
  /** What the files have: what was last applied, what is live, something else, or no such object. */
  readonly files: DriftedField["files"];
}

/** A pull request or issue: what was done with it. */
export interface ProposalFacts {
  readonly result: "opened" | "updated" | "unchanged" | "closed" | "none";
  readonly number?: number;
  readonly url?: string;
  readonly branch?: string;
  /** What it brings into the files. */
  readonly written: readonly { readonly address: string; readonly field: string; readonly file: string }[];
  /** What it does not, and why, as sentences. */
  readonly refused: readonly { readonly address: string; readonly field?: string; readonly reason: string }[];
  /** Further facts, as sentences. */
  readonly notes: readonly string[];
}

/** Everything that the document is made of. */
export interface DriftFacts
  extends Pick<
    DriftDocument,
    "service" | "environment" | "targets" | "state" | "notes" | "requests" | "pull_request" | "issue"
  > {
  readonly drift: Drift;
  readonly undeclared?: readonly Undeclared[];
}

/** Creates the document for drift, with the places of texts where known. */
export function driftDocument(facts: DriftFacts, placeOf: PlaceOfText = () => undefined): DriftDocument {
  const { drift, state } = facts;
  const vanished = drift.objects.filter(({ live }) => live === undefined).length;
  return {
    ...head("drift"),
    service: facts.service,
    ...given("environment", facts.environment),
    ...given("targets", facts.targets),
    state: { lineage: state.lineage, serial: state.serial },
    drifted: drift.objects.length > 0,
    summary: {
      changed: drift.objects.length - vanished,
      vanished,
      unreadable: drift.unreadable.length,
      unchanged: drift.unchanged,
      unobservable: drift.unobservable,
    },
    objects: drift.objects.map((object) => shownDrift(object, placeOf)),
    unreadable: drift.unreadable,
    notes: facts.notes,
    ...given("undeclared", facts.undeclared?.map(shownUndeclared)),
    requests: facts.requests,
    ...given("pull_request", facts.pull_request),
    ...given("issue", facts.issue),
  };
}

function shownDrift(
  { address, kind, label, id, live, successor, fields }: DriftedObject,
  placeOf: PlaceOfText,
): ShownDrift {
  return {
    address,
    kind: kind.name,
    label,
    id,
    change: live ? "changed" : "vanished",
    ...given("updated_at", live?.updatedAt),
    ...given("successor", successor),
    fields: fields.map(({ field, type, before, after, files }) => {
      const place = type === "prose" ? placeOf(address, field) : undefined;
      return {
        ...{ field, type },
        ...given("before", before),
        ...given("after", after),
        files,
        ...given("place", place),
      };
    }),
  };
}
