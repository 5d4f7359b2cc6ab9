import type { Drift, DriftedObject, PendingRotations } from "../../core/engine/index.js";
import { createHead, type Parsed } from "./document.js";
import { type TextLocator, toShownLocations } from "./plan-document.js";
import type { driftForm } from "./schemas/other-forms.js";

/** Edits made in the account since the last apply. `schemas/drift-v1.schema.json` describes each key. */
export interface DriftDocument extends Parsed<typeof driftForm> {}

/** A managed object that was edited or deleted. */
export type ShownDrift = DriftDocument["objects"][number];

/** The last applied and the live value of a field. */
export type ShownDriftField = ShownDrift["fields"][number];

/** A pull request, and whether it was opened, updated or closed. */
export type ProposalFacts = NonNullable<DriftDocument["pull_request"]>;

export interface DriftFacts
  extends Pick<
    DriftDocument,
    "service" | "environment" | "targets" | "state" | "notes" | "requests" | "pull_request"
  > {
  readonly drift: Drift;
  /** Rotated secrets, omitted unless requested. */
  readonly rotations?: Omit<PendingRotations, "unknown">;
}

export function toDriftDocument(facts: DriftFacts, locateText: TextLocator = () => undefined): DriftDocument {
  const { drift, state, rotations = { pending: [], unverified: [] } } = facts;
  const vanished = drift.objects.filter(({ live }) => live === undefined).length;
  return {
    ...createHead("drift"),
    service: facts.service,
    environment: facts.environment,
    targets: facts.targets,
    state: { lineage: state.lineage, serial: state.serial },
    drifted: drift.objects.length > 0,
    summary: {
      changed: drift.objects.length - vanished,
      vanished,
      unreadable: drift.unreadable.length,
      unchanged: drift.unchanged,
      unobservable: drift.unobservable,
    },
    objects: drift.objects.map((object) => toShownDrift(object, locateText)),
    unreadable: drift.unreadable,
    rotation_pending: rotations.pending.map(({ address, because }) => ({
      address,
      note: because,
    })),
    secrets_unverified: rotations.unverified,
    notes: facts.notes,
    requests: facts.requests,
    pull_request: facts.pull_request,
  };
}

/** Returns whether the files already contain every edit to a drifted object, so apply would not overwrite any. */
export function isInFiles({
  fields,
}: {
  readonly fields: readonly Pick<ShownDriftField, "files">[];
}): boolean {
  return fields.length > 0 && fields.every(({ files }) => files === "live" || files === "merged");
}

/**
 * Returns whether both sides changed an object, by the same criteria as a planned change. Edits that the files already
 * contain do not count.
 */
function isConflicting({
  isChangedInFiles,
  fields,
}: Pick<DriftedObject, "isChangedInFiles" | "fields">): boolean {
  const sides = new Set(fields.map(({ files }) => files));
  return sides.has("other") || (sides.has("applied") && (isChangedInFiles || sides.has("merged")));
}

function toShownDrift(
  { address, kind, label, id, live, successor, isChangedInFiles, fields }: DriftedObject,
  locateText: TextLocator,
): ShownDrift {
  return {
    address,
    kind: kind.name,
    label,
    id,
    change: live ? "changed" : "vanished",
    updated_at: live?.updatedAt,
    successor,
    conflicting: isConflicting({ isChangedInFiles, fields }),
    fields: fields.map(({ field, type, before, after, files }) => {
      const of = files === "applied" ? "before" : files === "live" ? "after" : undefined;
      return {
        ...{ field, type },
        before,
        after,
        files,
        ...(type === "prose" ? toShownLocations(locateText(address, field), of) : {}),
      };
    }),
  };
}
