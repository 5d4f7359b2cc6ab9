import { type Diagnostics, type PrivateState, Unknown } from "@avatarops/terraform-plugin";
import {
  digestValue,
  getEmptyValue,
  type Kind,
  listReadableFields,
  measureField,
  normalizeForComparison,
  parseTimestamp,
  type Spec,
} from "../../core/kinds/index.js";
import type { OpenedAccount } from "./account/open-account.js";
import {
  type AttributeValues,
  findDifferences,
  listReadableAttributes,
  normalizeValue,
  toAttributeName,
  toSpec,
} from "./values.js";

/*
 * Dashboard edits.
 *
 * Terraform compares the configuration with the refreshed state, so it would overwrite a dashboard edit like any other
 * difference. To detect these edits, private state contains digests of the last applied values.
 *
 * An edit that an earlier run already found may have been copied into the configuration since. Unless the plan restores
 * exactly the last applied value, such an edit is therefore only reported as possible, and never as an error.
 */
export interface LastApplied {
  /** Digests by field. */
  readonly applied?: Readonly<Record<string, string>>;
  /** Fields that the configuration set at the last apply. */
  readonly configured?: readonly string[];
  /** Fields that differ from the last apply. */
  readonly edited?: Readonly<Record<string, DashboardEdit>>;
}

interface DashboardEdit {
  readonly digest: string;
  /** Whether the state contained the edit before this run. */
  readonly recorded: boolean;
}

/** Records an object's values after a write, or after an adoption that needed no write. */
export function recordApplied(kind: Kind, live: Spec, config: AttributeValues): Required<LastApplied> {
  const configured = listReadableAttributes(kind);
  return {
    applied: makeDigests(kind, live),
    configured: configured.filter((name) => (config[name] ?? null) !== null),
    edited: {},
  };
}

/** Finds fields of a read object that differ from the last apply. */
export function findEdits(kind: Kind, live: Spec, saved: PrivateState): LastApplied {
  const now = makeDigests(kind, live);
  // An imported object has no saved values, so its first read counts as applied.
  const { applied = now, edited = {} } = saved as LastApplied;
  const changed = Object.entries(now).filter(([name, digest]) => applied[name] !== digest);
  const edits = changed.map(([name, digest]): [string, DashboardEdit] => [
    name,
    { digest, recorded: edited[name]?.digest === digest },
  ]);
  return { applied, edited: Object.fromEntries(edits) };
}

/** Returns whether a state has only the id. */
export function isImported(kind: Kind, state: AttributeValues): boolean {
  return listReadableAttributes(kind).every((name) => (state[name] ?? null) === null);
}

/** Lists fields that the last write set and the configuration no longer sets. Other unset fields are not managed. */
export function listUnsetFields(kind: Kind, config: AttributeValues, saved: PrivateState): readonly string[] {
  const { configured = [] } = saved as LastApplied;
  return listClearableFields(kind).filter((name) => config[name] === null && configured.includes(name));
}

/** Lists optional fields that can be cleared. */
export function listClearableFields(kind: Kind): readonly string[] {
  return listReadableFields(kind)
    .filter(([, field]) => !field.required && getEmptyValue(field) !== undefined)
    .map(([name]) => name);
}

/** Reports dashboard edits that a plan would overwrite. See the setting `drift`. */
export function reportOverwrittenEdits(
  kind: Kind,
  {
    prior,
    planned,
    saved,
  }: { readonly prior: AttributeValues; readonly planned: AttributeValues; readonly saved: PrivateState },
  { drift }: OpenedAccount["settings"],
  diagnostics: Diagnostics,
): void {
  if (drift === "overwrite") return;
  const { applied = {}, edited = {} } = saved as LastApplied;
  const [live, desired] = [toSpec(kind, prior), toSpec(kind, planned)];
  const changes = findDifferences(kind, desired, live);
  for (const [name, edit] of Object.entries(edited)) {
    const attribute = toAttributeName(kind, name);
    if (planned[attribute] !== Unknown && !changes.includes(name)) continue;
    const replacement =
      planned[attribute] === Unknown ? "a value known only after apply" : measureField(kind, name, desired);
    const changedMs = parseTimestamp(String(prior.updated_at ?? ""));
    const when = Number.isNaN(changedMs) ? "" : `, last changed at ${new Date(changedMs).toISOString()}`;
    const found = `The account has an edited ${name} (${measureField(kind, name, live)}${when}).`;
    if (edit.recorded && makeDigests(kind, desired)[name] !== applied[name]) {
      diagnostics.warning(
        `The ${kind.name}'s ${name} may have been edited elsewhere`,
        `${found} An earlier run already read the edit, so the configuration may contain it. If not, copy it from \`terraform state show\` first, because this plan overwrites it with ${replacement}.`,
        [attribute],
      );
      continue;
    }
    const command = edit.recorded ? "`terraform state show`" : "`terraform plan -refresh-only`";
    diagnostics[drift === "warn" ? "warning" : "error"](
      `The ${kind.name}'s ${name} was edited elsewhere`,
      `${found} This plan overwrites it with ${replacement}. To keep the edit, copy it from ${command} into the configuration. To overwrite it, plan and apply once with \`drift = "overwrite"\` in the provider block.`,
      [attribute],
    );
  }
}

/** Reports dashboard edits that would be deleted with their object. See the setting `drift`. */
export function reportDeletedEdits(
  kind: Kind,
  {
    live,
    saved,
    isReplaced = false,
  }: { readonly live: Spec; readonly saved: LastApplied; readonly isReplaced?: boolean },
  { drift }: Pick<OpenedAccount["settings"], "drift">,
  diagnostics: Diagnostics,
): void {
  if (drift === "overwrite") return;
  const keep = isReplaced
    ? "To keep the edit, copy it into the configuration."
    : `To keep the ${kind.name}, keep its resource.`;
  for (const [name, { recorded }] of Object.entries(saved.edited ?? {})) {
    const summary = `The ${kind.name}'s ${name} ${recorded ? "may have been" : "was"} edited elsewhere`;
    const found = `This plan deletes the ${kind.name}, including its edited ${name} (${measureField(kind, name, live)}). ${keep}`;
    // An edit that an earlier run found may since have been copied into the configuration.
    if (drift === "warn" || recorded) diagnostics.warning(summary, found, [toAttributeName(kind, name)]);
    else {
      const advice =
        'To delete it anyway, plan and apply once with `drift = "overwrite"` in the provider block.';
      diagnostics.error(summary, `${found} ${advice}`, [toAttributeName(kind, name)]);
    }
  }
}

/** Finds edits of fields that the configuration does not set. If the object is deleted, a new one does not have them. */
export function findUnsetEdits(
  kind: Kind,
  config: AttributeValues,
  saved: PrivateState,
): NonNullable<LastApplied["edited"]> {
  const { edited = {} } = saved as LastApplied;
  return Object.fromEntries(
    Object.entries(edited).filter(([name]) => (config[toAttributeName(kind, name)] ?? null) === null),
  );
}

/** Returns an object's key in `unreportedEdits`. */
export function toEditKey(kind: Kind, id: string): string {
  return `${kind.name} ${id}`;
}

function makeDigests(kind: Kind, spec: Spec): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listReadableFields(kind).map(([name, field]) => [
      name,
      digestValue(normalizeForComparison(field, normalizeValue(spec[name]))),
    ]),
  );
}
