import { isSameId } from "../../base/text/index.js";
import { type Action, actionFacts, type Doubt, digestSpec, explainDoubt } from "../kinds/index.js";
import type { StateEntry } from "../state/index.js";
import {
  addNewVersions,
  assumeWriteSucceeded,
  buildEntryFromIntent,
  buildSyncedEntry,
  findNewVersions,
} from "./decide-entry.js";
import type { DecideInput } from "./decide-input.js";
import {
  describeRotation,
  describeUnavailable,
  describeUnsent,
  describeUnverified,
  getNewVersion,
  listWriteOnlyToSend,
} from "./decide-values.js";
import type { LiveObservation } from "./observation.js";
import type { Change, ChangeReason, FieldChange } from "./plan-types.js";
import { classifyUnresolved } from "./rotation.js";
import {
  compareApplied,
  compareLive,
  getDesiredSpec,
  listNewFields,
  listWriteOnlyChanges,
  removeIgnored,
} from "./three-way-compare.js";
import { adviseForgetting } from "./unreadable.js";

export function decide(input: DecideInput): Change {
  return withLastingSettings(input, decideObject(input));
}

/**
 * Adds changed `protect` and `on_removal` settings to the change. The state records them, because they still apply once
 * the declaration is gone. Nothing is sent.
 */
function withLastingSettings({ tracked: { declaration, entry } }: DecideInput, change: Change): Change {
  const { onRemoval } = declaration;
  const protect = declaration.protect === true;
  const { protected: _, onRemoval: __, ...rest } = change.entry ?? entry ?? { id: "", applied: {} };
  const next: StateEntry = { ...rest, ...(protect && { protected: true }), ...(onRemoval && { onRemoval }) };
  const all: Change = {
    ...change,
    ...(protect && { protect: true }),
    ...(onRemoval && { onRemoval }),
    ...(change.entry && { entry: next }),
  };
  if (!entry || (change.action !== "keep" && change.action !== "update")) return all;
  const lasting = [
    ["protect", String(entry.protected ?? false), String(protect)],
    ["on_removal", entry.onRemoval ?? "default", onRemoval ?? "default"],
  ] as const;
  const set = lasting.flatMap(([field, before, after]): FieldChange[] =>
    before === after ? [] : [{ field, type: "string", cause: "configured", before, after }],
  );
  if (set.length === 0) return all;
  const fields = [...change.fields, ...set];
  if (change.action === "update") return { ...all, fields };
  return { ...all, action: "update", reason: "configured", fields, entry: next };
}

function decideObject(input: DecideInput): Change {
  const { observed, tracked } = input;
  const existing = { ...input, tracked: { ...tracked, declaration: removeIgnored(tracked.declaration) } };
  switch (observed.seen) {
    case "live":
      return decideLive(observed.recreated ? dropPriorState(existing) : existing, observed);
    case "unmoved":
      return decideUnchanged(input);
    case "unobservable":
      return tracked.entry ? decideUnseen(existing, tracked.entry) : adoptUnseen(existing);
    case "absent":
      return input.tracked.declaration.kind.create ? create(input, "vanished") : decideMissing(input);
    case "unreadable":
      return decideUnreadable(input, observed.error.message);
    case "nothing":
      return create(input, "new");
    case "under-way":
      return withNote(
        create(input, "new"),
        `Its create started at ${observed.since} and is running or was interrupted. Apply checks whether the object exists.`,
      );
    case "unconfirmed":
      return input.acceptDuplicate ? create(input, "new") : decideUnconfirmed(input, observed.doubt);
    case "several":
      return input.acceptDuplicate
        ? create(input, "new")
        : decideAmbiguous(input, "several-found", observed.candidates);
    case "unclear":
      return input.acceptDuplicate
        ? create(input, "new")
        : decideAmbiguous(input, "answer-lost", observed.candidates);
  }
}

/** Drops the recorded values, because they belong to another object. */
function dropPriorState(input: DecideInput): DecideInput {
  const { tracked, rotation } = input;
  const isComparison = rotation !== undefined && rotation.value !== "unavailable";
  return {
    ...input,
    tracked: { declaration: tracked.declaration },
    rotation: isComparison ? { value: "unrecorded" } : rotation,
  };
}

function decideLive(input: DecideInput, observed: LiveObservation): Change {
  const { live, recovered } = observed;
  const { declaration, entry: managed } = input.tracked;
  const { update } = declaration.kind;
  const entry = assumeWriteSucceeded(input, live, recovered);
  const desired = getDesiredSpec(declaration, entry);
  const differences = compareLive(declaration, live, entry, input.merged);
  const write = {
    fields: [...differences, ...listWriteOnlyToSend(input, differences, recovered)],
    wanted: desired,
  };
  // Records an adopted UUID in the service's spelling. Later plans keep the recorded spelling.
  const { id: known = live.id } = input.tracked;
  const id = recovered || (!managed && isSameId(known, live.id)) ? live.id : known;
  const basis = { id, liveDigest: digestSpec(declaration.kind, live.spec) };
  if (write.fields.length === 0) {
    const notes = describeUnverified(input, recovered);
    return keepInSync(input, observed, {
      ...basis,
      notes,
      entry: buildSyncedEntry(input, observed, id, desired),
    });
  }
  if (managed || (recovered && !update)) {
    const reason = differences.length === 0 ? "rotated" : summarizeCauses(differences);
    // Records the object of a lost create first, so that its id is not lost when the object is superseded.
    const made =
      recovered && entry ? { entry: { ...entry, ...buildEntryFromIntent(input.tracked, id), id } } : {};
    const notes = describeRotation(input);
    if (!update) return createChange(input, "supersede", reason, { ...basis, ...write, ...made, notes });
    notes.push(...describeUnsent(input, write.fields));
    return createChange(input, "update", reason, { ...basis, ...write, notes });
  }
  // Creates another object, because this kind cannot be updated.
  if (!update) return create(input, "new");
  const notes = describeUnavailable(input);
  return createChange(input, "adopt", explainMatch(input, recovered), { ...basis, ...write, notes });
}

/** Keeps the object, or adopts it without a write. */
function keepInSync(
  input: DecideInput,
  { recovered }: LiveObservation,
  { entry: next, ...rest }: Partial<Change> & { readonly entry: StateEntry },
): Change {
  const { entry, intent } = input.tracked;
  // The state has no id yet, or still has the id of the replaced object.
  if (!entry || recovered)
    return createChange(input, "adopt", explainMatch(input, recovered), { ...rest, entry: next });
  const moved = JSON.stringify(next.applied) !== JSON.stringify(entry.applied);
  const isSameVersion = findNewVersions(input.rotation) === undefined;
  const same =
    !moved &&
    isSameVersion &&
    next.inSyncAt === entry.inSyncAt &&
    next.copyBefore === entry.copyBefore &&
    !intent;
  const unverified = (rest.notes ?? []).length > 0;
  const { liveDigest: _, ...kept } = rest;
  const reason = unverified ? "unverified" : moved ? "converged" : "unchanged";
  return createChange(input, "keep", reason, { ...kept, entry: same ? undefined : next });
}

function explainMatch({ tracked, reidentified }: DecideInput, recovered?: true): ChangeReason {
  if (recovered) return "recovered";
  if (reidentified) return "reidentified";
  return tracked.declaration.id === undefined ? "found" : "given";
}

/**
 * Decides the change to an object whose timestamp is unchanged. Only its write-only values may differ from the last
 * apply.
 */
function decideUnchanged(input: DecideInput): Change {
  const notes = describeUnverified(input);
  return keep(input, notes.length > 0 ? "unverified" : "unchanged", notes);
}

/** Decides the change from the last applied values, because the object cannot be read. */
function decideUnseen(input: DecideInput, entry: StateEntry): Change {
  const { declaration, intent } = input.tracked;
  // Sends all fields again, because an interrupted update may or may not have been processed.
  const differences = compareApplied(declaration, intent ? { ...entry, applied: {} } : entry);
  const rotated = input.rotation?.value === "changed";
  if (differences.length === 0 && !rotated) return keepUnseen(input);
  const { update } = declaration.kind;
  // A superseding create sends all fields, but an update sends only changed ones.
  const sealed = rotated || !update ? listWriteOnlyChanges(declaration, getNewVersion(input.rotation)) : [];
  return createChange(
    input,
    update ? "update" : "supersede",
    differences.length === 0 ? "rotated" : "configured",
    {
      id: entry.id,
      fields: [...differences, ...sealed],
      wanted: getDesiredSpec(declaration, entry),
      notes: [...describeRotation(input), ...describeUnsent(input, sealed)],
    },
  );
}

function keepUnseen(input: DecideInput): Change {
  const notes = describeUnverified(input);
  return keep(input, notes.length > 0 ? "unverified" : "unobservable", notes);
}

/** Adopts an object that cannot be read, by writing all its fields once. */
function adoptUnseen(input: DecideInput): Change {
  const { declaration, id = "" } = input.tracked;
  const fields = listNewFields(declaration);
  return createChange(input, "adopt", input.reidentified ? "reidentified" : "given", {
    id,
    fields,
    wanted: declaration.spec,
    ...(fields.length === 0 && { entry: { id, applied: {} } }),
  });
}

function create(input: DecideInput, reason: ChangeReason): Change {
  const { declaration, entry, intent } = input.tracked;
  const isSuperseding = entry && (!declaration.kind.read || intent?.action === "supersede");
  return createChange(input, isSuperseding && reason !== "vanished" ? "supersede" : "create", reason, {
    fields: listNewFields(declaration),
    wanted: declaration.spec,
    notes: describeUnavailable(input),
  });
}

function withNote(change: Change, note: string): Change {
  return { ...change, notes: [...change.notes, note] };
}

function decideMissing(input: DecideInput): Change {
  const { declaration, entry, id = "" } = input.tracked;
  return createChange(input, "missing", entry ? "vanished" : "unknown-id", {
    id,
    notes: [
      `The account has no ${declaration.kind.name} with the id ${id}, and the service cannot create one. Correct the id.`,
    ],
  });
}

function decideUnreadable(input: DecideInput, why: string): Change {
  const { declaration, entry, id } = input.tracked;
  return createChange(input, "unreadable", "unreadable", {
    id,
    notes: [
      `It could not be read, so it is left unchanged. ${why}${entry ? ` ${adviseForgetting(declaration.address)}` : ""}`,
    ],
  });
}

/** Withholds a create, because an object with its name may exist. */
function decideUnconfirmed(input: DecideInput, doubt: Doubt): Change {
  const { kind, address } = input.tracked.declaration;
  const { problem, advice } = explainDoubt(kind, doubt);
  const made = createChange(input, "unreadable", "unreadable", {});
  const otherwise =
    doubt.reason === "changing"
      ? ` If the dashboard shows no such object, apply with \`--accept-duplicate ${address}\`.`
      : "";
  return {
    ...made,
    notes: [
      `Not created, because an object named ${JSON.stringify(made.label)} may exist: ${problem}. ${advice}${otherwise}`,
    ],
  };
}

function decideAmbiguous(
  input: DecideInput,
  reason: ChangeReason,
  candidates: Change["candidates"] = [],
): Change {
  return createChange(input, "ambiguous", reason, { candidates });
}

function keep(input: DecideInput, reason: ChangeReason, notes: readonly string[] = []): Change {
  return createChange(input, "keep", reason, { entry: addNewVersions(input), id: input.tracked.id, notes });
}

function createChange(
  input: DecideInput,
  action: Action,
  reason: ChangeReason,
  rest: Partial<Change>,
): Change {
  const { address, kind, spec, references } = input.tracked.declaration;
  const known = input.observed.seen === "live" ? input.observed.live.label : undefined;
  const label = spec[kind.label] ?? input.tracked.entry?.applied[kind.label] ?? known;
  const fields = rest.fields ?? [];
  return {
    address,
    kind: kind.name,
    label: typeof label === "string" ? label : "",
    action,
    reason,
    overwrites: fields.some(({ cause }) => cause !== "configured"),
    notes: [],
    ...(actionFacts[action].sends === "create" && { known: input.known }),
    ...rest,
    references: rest.wanted && references,
    ...classifyUnresolved(input.rotation, action, fields),
    fields,
  };
}

function summarizeCauses(fields: readonly FieldChange[]): ChangeReason {
  const causes = fields.map(({ cause }) => cause);
  if (causes.includes("conflicting")) return "conflicting";
  if (!causes.includes("drifted")) return "configured";
  return causes.includes("configured") ? "conflicting" : "drifted";
}
