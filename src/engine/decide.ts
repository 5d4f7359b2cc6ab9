import { detectsChangesByTimestamp, digestSpec, type Kind } from "../kinds/index.js";
import type { Entry } from "../state/index.js";
import {
  appliedOf,
  compareApplied,
  compareLive,
  desiredSpec,
  everyField,
  writeOnlyChange,
} from "./compare.js";
import { wasSent } from "./find.js";
import type { Observed, Rotation } from "./observation.js";
import type { Action, Change, FieldChange, Reason } from "./plan-value.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";
import { forgetHint } from "./unreadable.js";

/** All that is known of one declared object. */
export interface DecideInput {
  readonly tracked: TrackedDeclaration;
  readonly observed: Observed;
  readonly rotation?: Rotation;
  /** Ids of listed objects that have the declared name. */
  readonly known: readonly string[];
  /** The state holds another id for the address than the one declared. */
  readonly reidentified: boolean;
  /** The user accepts that a create may make a second object. */
  readonly acceptDuplicate: boolean;
}

/** What is to be done with one declared object. Total: every case has an answer. */
export function decide(one: DecideInput): Change {
  const { observed } = one;
  switch (observed.seen) {
    case "live":
      // A successor is another object: nothing is known of it.
      return decideLive(
        observed.succeeds ? { ...one, tracked: { declaration: one.tracked.declaration } } : one,
        observed,
      );
    case "unmoved":
      return keep(one, "unchanged");
    case "unobservable":
      return one.tracked.entry ? decideUnseen(one, one.tracked.entry) : adoptUnseen(one);
    case "absent":
      return one.tracked.declaration.kind.create ? create(one, "vanished") : missing(one);
    case "unreadable":
      return unreadable(one, observed.error.message);
    case "nothing":
      return create(one, "new");
    case "several":
      return one.acceptDuplicate ? create(one, "new") : ambiguous(one, "several-found", observed.candidates);
    case "unclear":
      return one.acceptDuplicate ? create(one, "new") : ambiguous(one, "answer-lost", observed.candidates);
  }
}

type Live = Extract<Observed, { seen: "live" }>;

function decideLive(one: DecideInput, { live, settled, recovered }: Live): Change {
  const { declaration, intent } = one.tracked;
  const entry = asIfAnswered(one, live, recovered);
  const desired = desiredSpec(declaration, entry);
  const differences = compareLive(declaration, live, entry);
  // As it was asked for: a service may spell a UUID in other letters, and would seem to answer with another object.
  const id = recovered ? live.id : (one.tracked.id ?? live.id);
  const basis = { id, liveDigest: digestSpec(declaration.kind, live.spec) };
  const managed = one.tracked.entry !== undefined;
  if (differences.length > 0) {
    const wanted = { ...basis, fields: differences, wanted: desired };
    return managed
      ? change(one, declaration.kind.update ? "update" : "supersede", causeOf(differences), wanted)
      : change(one, "adopt", foundBy(one, recovered), wanted);
  }
  const { inSyncAt: older, ...kept } = one.tracked.entry ?? {};
  const applied = appliedOf(declaration, desired);
  const moved = JSON.stringify(applied) !== JSON.stringify(one.tracked.entry?.applied);
  const inSyncAt = stampOf(declaration.kind, live, settled) ?? (moved ? undefined : older);
  const next: Entry = { ...kept, id, applied, ...(inSyncAt === undefined ? {} : { inSyncAt }) };
  if (!managed) return change(one, "adopt", foundBy(one, recovered), { ...basis, entry: next });
  const same = !moved && next.inSyncAt === one.tracked.entry?.inSyncAt && !intent;
  return change(one, "keep", moved ? "converged" : "unchanged", {
    id,
    ...(same ? {} : { entry: next }),
  });
}

/** The `updated_at` that tells a later plan that the object has not moved; undefined where it cannot. */
function stampOf(kind: Kind, { updatedAt }: Live["live"], settled: boolean): string | undefined {
  return settled && detectsChangesByTimestamp(kind) ? updatedAt : undefined;
}

/**
 * The entry as it would be had the last write been answered: when what is live is what an interrupted update sent,
 * that update was done, and its result is no edit of somebody else.
 */
function asIfAnswered({ tracked }: DecideInput, live: Live["live"], recovered?: true): Entry | undefined {
  const { entry, intent, declaration } = tracked;
  if (!intent || !(recovered || wasSent(declaration.kind, intent, live))) return entry;
  return { ...entry, id: live.id, applied: { ...entry?.applied, ...intent.sent } };
}

function foundBy({ tracked, reidentified }: DecideInput, recovered?: true): Reason {
  if (recovered) return "recovered";
  if (reidentified) return "reidentified";
  return tracked.declaration.id === undefined ? "found" : "given";
}

/** Nothing can be read: what was last applied is taken for live. */
function decideUnseen(one: DecideInput, entry: Entry): Change {
  const { declaration, intent } = one.tracked;
  // An interrupted update may or may not have been done: nothing is known to be applied, so it is sent again.
  const differences = compareApplied(declaration, intent ? { ...entry, applied: {} } : entry);
  const rotated = one.rotation?.value === "changed";
  if (differences.length === 0 && !rotated) return keepUnseen(one);
  const { update } = declaration.kind;
  // What takes another's place is made whole; an update sends what changed.
  const sealed = rotated || !update ? Object.keys(declaration.sources).map(writeOnlyChange) : [];
  return change(one, update ? "update" : "supersede", differences.length === 0 ? "rotated" : "configured", {
    id: entry.id,
    fields: [...differences, ...sealed],
    wanted: desiredSpec(declaration, entry),
  });
}

function keepUnseen(one: DecideInput): Change {
  const { rotation } = one;
  if (!rotation || rotation.value === "same") return keep(one, "unobservable");
  return keep(one, "unverified", [unverified(rotation)]);
}

function unverified(rotation: Rotation): string {
  switch (rotation.value) {
    case "unavailable":
      return `Whether the value changed cannot be told. ${rotation.problem}`;
    case "other-key":
      return "Whether the value changed cannot be told: fingerprint_key is not the one it was recorded with.";
    default:
      return "Whether the value changed cannot be told: no fingerprint of it was recorded.";
  }
}

/** A given object that is new to us and cannot be read: its fields are written once, and known from then on. */
function adoptUnseen(one: DecideInput): Change {
  const { declaration, id } = one.tracked;
  return change(one, "adopt", one.reidentified ? "reidentified" : "given", {
    ...(id === undefined ? {} : { id }),
    fields: everyField(declaration),
    wanted: declaration.spec,
  });
}

function create(one: DecideInput, reason: Reason): Change {
  const { declaration, entry } = one.tracked;
  const unavailable = one.rotation?.value === "unavailable" ? [one.rotation.problem] : [];
  return change(one, entry && !declaration.kind.read ? "supersede" : "create", reason, {
    fields: everyField(declaration),
    wanted: declaration.spec,
    known: one.known,
    notes: unavailable,
  });
}

function missing(one: DecideInput): Change {
  const { declaration, entry, id = "" } = one.tracked;
  return change(one, "missing", entry ? "vanished" : "unknown-id", {
    id,
    notes: [
      `The account has no ${declaration.kind.name} with the id ${id}, and the service offers no way to create one: correct the id.`,
    ],
  });
}

function unreadable(one: DecideInput, why: string): Change {
  const { declaration, entry, id } = one.tracked;
  return change(one, "unreadable", "unreadable", {
    ...(id === undefined ? {} : { id }),
    notes: [
      `It could not be read, and is left as it is. ${why}${entry ? ` ${forgetHint(declaration.address)}` : ""}`,
    ],
  });
}

function ambiguous(one: DecideInput, reason: Reason, candidates: Change["candidates"] = []): Change {
  return change(one, "ambiguous", reason, { candidates });
}

function keep(one: DecideInput, reason: Reason, notes: readonly string[] = []): Change {
  return change(one, "keep", reason, {
    ...(one.tracked.id === undefined ? {} : { id: one.tracked.id }),
    notes,
  });
}

function change(one: DecideInput, action: Action, reason: Reason, rest: Partial<Change>): Change {
  const { address, kind, spec } = one.tracked.declaration;
  const known = one.observed.seen === "live" ? one.observed.live.label : undefined;
  const label = spec[kind.label] ?? one.tracked.entry?.applied[kind.label] ?? known;
  const fields = rest.fields ?? [];
  return {
    address,
    kind: kind.name,
    label: typeof label === "string" ? label : "",
    action,
    reason,
    overwrites: fields.some(({ cause }) => cause !== "configured"),
    notes: [],
    ...rest,
    fields,
  };
}

function causeOf(fields: readonly FieldChange[]): Reason {
  const causes = fields.map(({ cause }) => cause);
  if (causes.includes("conflicting")) return "conflicting";
  if (!causes.includes("drifted")) return "configured";
  return causes.includes("configured") ? "conflicting" : "drifted";
}
