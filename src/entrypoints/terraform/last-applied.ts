import { type Diagnostics, type PrivateState, Unknown } from "@avatarops/terraform-plugin";
import {
  comparable,
  digestValue,
  emptyValue,
  fieldSize,
  type Kind,
  parseTimestamp,
  readableFields,
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
 * Edits made elsewhere.
 *
 * Terraform compares the configuration with what a refresh has just read. So an edit made in the dashboard looks like a
 * change of the configuration, and is written over. What was last applied is the third side of the comparison, and is kept
 * beside the state, as digests: a field that the refresh finds otherwise was edited elsewhere.
 *
 * Whoever takes such an edit into the configuration has a plan without changes, of which Terraform lets a provider keep
 * nothing. What it does keep, at the end of an apply, is what was read at its beginning. So an edit that the state had
 * already when this run began has been through an apply. Either it was taken into the configuration, or a write
 * over it failed, or it was only refreshed. If the plan would restore exactly what was last applied, it was not taken over,
 * and is reported again. Otherwise this cannot be known: it is reported as a possibility, and never refused.
 */
export interface LastApplied {
  /** Digests by field. */
  readonly applied?: Readonly<Record<string, string>>;
  /** The fields that the configuration set then. */
  readonly configured?: readonly string[];
  /** The fields that differ from it now. */
  readonly edited?: Readonly<Record<string, Edit>>;
}

interface Edit {
  readonly digest: string;
  /** The state had it before this run. */
  readonly recorded: boolean;
}

/** What is to be remembered of an object that a write of ours, or the adoption of it as it was, has left so. */
export function appliedNow(kind: Kind, live: Spec, config: Values): Required<LastApplied> {
  const configured = readableAttributes(kind);
  return {
    applied: makeDigests(kind, live),
    configured: configured.filter((name) => (config[name] ?? null) !== null),
    edited: {},
  };
}

/** What is to be remembered of an object that was read. */
export function editsSince(kind: Kind, live: Spec, saved: PrivateState): LastApplied {
  const now = makeDigests(kind, live);
  // Nothing is saved of an imported object: what is read first was applied.
  const { applied = now, edited = {} } = saved as LastApplied;
  const changed = Object.entries(now).filter(([name, digest]) => applied[name] !== digest);
  const edits = changed.map(([name, digest]): [string, Edit] => [
    name,
    { digest, recorded: edited[name]?.digest === digest },
  ]);
  return { applied, edited: Object.fromEntries(edits) };
}

/** Whether a state has nothing but the id. */
export function isImported(kind: Kind, state: Values): boolean {
  return readableAttributes(kind).every((name) => (state[name] ?? null) === null);
}

/**
 * The fields that were set when the object was last written and are set no longer. Others that are not set are not
 * managed: an object that was imported keeps them.
 */
export function noLongerSet(kind: Kind, config: Values, saved: PrivateState): readonly string[] {
  const { configured = [] } = saved as LastApplied;
  return mayBeUnset(kind).filter((name) => config[name] === null && configured.includes(name));
}

/** The fields that need not be set and can be cleared. */
export function mayBeUnset(kind: Kind): readonly string[] {
  return readableFields(kind)
    .filter(([, field]) => !field.required && emptyValue(field) !== undefined)
    .map(([name]) => name);
}

/** Reports each edit made elsewhere that a plan would overwrite; see the setting `drift`. */
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
      planned[attribute] === Unknown ? "what is known only after apply" : fieldSize(kind, name, desired);
    const movedMs = parseTimestamp(String(prior.updated_at ?? ""));
    const since = Number.isNaN(movedMs) ? "" : `, last changed at ${new Date(movedMs).toISOString()},`;
    const found = `The ${kind.name}${since} has ${fieldSize(kind, name, live)} of ${name}, which is not what was applied last.`;
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

/** Reports each edit made elsewhere that would be deleted with its object; see the setting `drift`. */
export function warnDeletedEdits(
  kind: Kind,
  { prior, saved }: { readonly prior: Values; readonly saved: PrivateState },
  { drift }: OpenAccount["settings"],
  diagnostics: Diagnostics,
): void {
  if (drift === "overwrite") return;
  for (const [name, { recorded }] of Object.entries((saved as LastApplied).edited ?? {})) {
    const summary = `${name} of the ${kind.name} ${recorded ? "may have been" : "was"} edited elsewhere`;
    const found = `It has ${fieldSize(kind, name, toSpec(kind, prior))} of ${name}, which is not what was applied last. This plan deletes it with the ${kind.name}.`;
    // What the state has had since an earlier run may have been taken over meanwhile: that cannot be known.
    if (drift === "warn" || recorded) diagnostics.warning(summary, found, [attributeOf(kind, name)]);
    else {
      const advice = `To keep the ${kind.name}, keep its resource. To delete it all the same, plan and apply once with \`drift = "overwrite"\` in the provider block.`;
      diagnostics.error(summary, `${found} ${advice}`, [attributeOf(kind, name)]);
    }
  }
}

/** The key of an object among the unreported edits. */
export function editKey(kind: Kind, id: string): string {
  return `${kind.name} ${id}`;
}

function makeDigests(kind: Kind, spec: Spec): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readableFields(kind).map(([name, field]) => [
      name,
      digestValue(comparable(field, normalizedValue(spec[name]))),
    ]),
  );
}
