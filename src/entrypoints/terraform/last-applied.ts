import { type Diagnostics, type PrivateState, Unknown } from "@avatarops/terraform-plugin";
import {
  digestValue,
  emptyValue,
  type Kind,
  listReadableFields,
  measureField,
  normalizeForComparison,
  parseTimestamp,
  type Spec,
} from "../../core/kinds/index.js";
import type { OpenAccount } from "./account/open-account.js";
import {
  attributeOf,
  differences,
  normalizedValue,
  readableAttributes,
  toSpec,
  type Values,
} from "./values.js";

/*
 * Dashboard edits.
 *
 * Terraform compares the configuration with the refreshed state. So a dashboard edit looks like a configuration change, and is
 * overwritten. To detect it, digests of the last applied values are kept in private state: a refreshed field that differs was
 * edited.
 *
 * An edit that was copied into the configuration gives an empty plan, and Terraform then stores nothing for a provider. An apply
 * does store what its refresh read. So an edit that was in the state before this run was in an earlier apply: it was copied, its
 * overwrite failed, or it was only refreshed. If the plan restores exactly the last applied value, it was not copied, and is
 * reported again. Otherwise it is reported as possible, and never refused.
 */
export interface LastApplied {
  /** Digests by field. */
  readonly applied?: Readonly<Record<string, string>>;
  /** Fields that the configuration set at the last apply. */
  readonly configured?: readonly string[];
  /** Fields that differ from the last apply. */
  readonly edited?: Readonly<Record<string, Edit>>;
}

interface Edit {
  readonly digest: string;
  /** Whether the state had it before this run. */
  readonly recorded: boolean;
}

/** Records an object's values after a write, or after an adoption without one. */
export function recordApplied(kind: Kind, live: Spec, config: Values): Required<LastApplied> {
  const configured = readableAttributes(kind);
  return {
    applied: makeDigests(kind, live),
    configured: configured.filter((name) => (config[name] ?? null) !== null),
    edited: {},
  };
}

/** Compares a read object with the last apply. */
export function findEdits(kind: Kind, live: Spec, saved: PrivateState): LastApplied {
  const now = makeDigests(kind, live);
  // An imported object has no saved values, so its first read counts as applied.
  const { applied = now, edited = {} } = saved as LastApplied;
  const changed = Object.entries(now).filter(([name, digest]) => applied[name] !== digest);
  const edits = changed.map(([name, digest]): [string, Edit] => [
    name,
    { digest, recorded: edited[name]?.digest === digest },
  ]);
  return { applied, edited: Object.fromEntries(edits) };
}

/** Whether a state has only the id. */
export function isImported(kind: Kind, state: Values): boolean {
  return readableAttributes(kind).every((name) => (state[name] ?? null) === null);
}

/** Lists fields that the last write set and the configuration no longer sets. Other unset fields are not managed. */
export function listUnsetFields(kind: Kind, config: Values, saved: PrivateState): readonly string[] {
  const { configured = [] } = saved as LastApplied;
  return listClearableFields(kind).filter((name) => config[name] === null && configured.includes(name));
}

/** Lists optional fields that can be cleared. */
export function listClearableFields(kind: Kind): readonly string[] {
  return listReadableFields(kind)
    .filter(([, field]) => !field.required && emptyValue(field) !== undefined)
    .map(([name]) => name);
}

/** Reports dashboard edits that a plan would overwrite. See the setting `drift`. */
export function warnOverwritten(
  kind: Kind,
  {
    prior,
    planned,
    saved,
  }: { readonly prior: Values; readonly planned: Values; readonly saved: PrivateState },
  { drift }: OpenAccount["settings"],
  diagnostics: Diagnostics,
): void {
  if (drift === "overwrite") return;
  const { applied = {}, edited = {} } = saved as LastApplied;
  const [live, desired] = [toSpec(kind, prior), toSpec(kind, planned)];
  const changes = differences(kind, desired, live);
  for (const [name, edit] of Object.entries(edited)) {
    const attribute = attributeOf(kind, name);
    if (planned[attribute] !== Unknown && !changes.includes(name)) continue;
    const ours =
      planned[attribute] === Unknown ? "what is known only after apply" : measureField(kind, name, desired);
    const movedMs = parseTimestamp(String(prior.updated_at ?? ""));
    const since = Number.isNaN(movedMs) ? "" : `, last changed at ${new Date(movedMs).toISOString()},`;
    const found = `The ${kind.name}${since} has ${measureField(kind, name, live)} of ${name}, which is not what was applied last.`;
    if (edit.recorded && makeDigests(kind, desired)[name] !== applied[name]) {
      diagnostics.warning(
        `${name} of the ${kind.name} may have been edited elsewhere`,
        `${found} The state has had it since an earlier run: \`terraform state show\` shows it. If it was taken into the configuration then, nothing is lost; else this plan writes ${ours} over an edit.`,
        [attribute],
      );
      continue;
    }
    const shows = edit.recorded ? "`terraform state show`" : "`terraform plan -refresh-only`";
    diagnostics[drift === "warn" ? "warning" : "error"](
      `${name} of the ${kind.name} was edited elsewhere`,
      `${found} This plan writes ${ours} over it. To keep the edit, take it into the configuration before you apply: ${shows} shows it. To write over it knowingly, plan and apply once with \`drift = "overwrite"\` in the provider block; with \`drift = "refuse"\`, such a plan is an error.`,
      [attribute],
    );
  }
}

/** Reports dashboard edits that would be deleted with their object. See the setting `drift`. */
export function warnDeletedEdits(
  kind: Kind,
  { prior, saved }: { readonly prior: Values; readonly saved: PrivateState },
  { drift }: OpenAccount["settings"],
  diagnostics: Diagnostics,
): void {
  if (drift === "overwrite") return;
  for (const [name, { recorded }] of Object.entries((saved as LastApplied).edited ?? {})) {
    const summary = `${name} of the ${kind.name} ${recorded ? "may have been" : "was"} edited elsewhere`;
    const found = `It has ${measureField(kind, name, toSpec(kind, prior))} of ${name}, which is not what was applied last. This plan deletes it with the ${kind.name}.`;
    // An edit from an earlier run may have been copied into the configuration since.
    if (drift === "warn" || recorded) diagnostics.warning(summary, found, [attributeOf(kind, name)]);
    else {
      const advice = `To keep the ${kind.name}, keep its resource. To delete it all the same, plan and apply once with \`drift = "overwrite"\` in the provider block.`;
      diagnostics.error(summary, `${found} ${advice}`, [attributeOf(kind, name)]);
    }
  }
}

/** Returns an object's key in `unreportedEdits`. */
export function toEditKey(kind: Kind, id: string): string {
  return `${kind.name} ${id}`;
}

function makeDigests(kind: Kind, spec: Spec): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listReadableFields(kind).map(([name, field]) => [
      name,
      digestValue(normalizeForComparison(field, normalizedValue(spec[name]))),
    ]),
  );
}
