import {
  type Diagnostics,
  type PlanModification,
  type PrivateState,
  Unknown,
} from "@avatarops/terraform-plugin";
import { toPlainLine } from "../../base/text/index.js";
import { isManageable, type Kind } from "../../core/kinds/index.js";
import { type OpenAccount, unlessDown } from "./account/open-account.js";
import { isOfThisService } from "./account/same-service.js";
import type { PlanCall, ProposedPlanCall } from "./calls.js";
import {
  nameMoves,
  nameTaken,
  nameTakenByOther,
  nameUnconfirmed,
  needsProfile,
  notDeleted,
  notFound,
} from "./diagnostics.js";
import { findEdits, isImported, toEditKey, warnDeletedEdits, warnOverwritten } from "./last-applied.js";
import { planRotation } from "./rotation.js";
import { disallowed } from "./schema.js";
import { chooseStrategy, knownBy, knownByAttribute } from "./strategy.js";
import { differences, readableAttributes, toSpec, toState, type Values } from "./values.js";

/** Refines the framework's proposed plan. */
export async function modifyPlan(kind: Kind, call: ProposedPlanCall): Promise<PlanModification | undefined> {
  const { client, prior, planned, diagnostics, private: saved } = call;
  const { open } = client;
  if (prior && open && !isOfThisService(kind, saved, open, diagnostics)) return undefined;
  if (prior) open?.ownership.claim(kind, String(prior.id));
  if (open) await rejectMovedName(kind, call, open);
  if (!planned) {
    if (!prior) return undefined;
    if (prior.on_removal === "delete") return planDelete(kind, { ...call, prior });
    notDeleted(kind, prior, saved, diagnostics);
    return { private: { ...saved, is_announced: true } };
  }
  if (!open) return undefined;
  if (!isManageable(kind)) return void needsProfile(kind, "create", `avatarops_${kind.name}`, diagnostics);
  for (const [name, value] of Object.entries(deletes))
    if (planned[name] === value && !kind.remove)
      needsProfile(kind, "remove", `${name} = "${value}"`, diagnostics, [name]);
  rejectDuplicate(kind, { prior, planned, private: saved }, open, diagnostics);
  rejectDisallowedValues(kind, planned, open, diagnostics);
  if (prior) {
    warnOverwritten(kind, { prior, planned, saved }, open.settings, diagnostics);
    open.unreportedEdits.delete(toEditKey(kind, String(prior.id)));
  }
  const refined: PlanCall = { ...call, planned, open };
  switch (chooseStrategy(kind)) {
    case "adopt":
      return planAdoption(kind, refined);
    case "create":
      return prior ? warnOfNamesake(kind, refined, prior) : planCreate(kind, refined);
    case "rotate":
      return planRotation(kind, refined);
  }
}

/** Attribute values that request a delete. */
const deletes = { on_removal: "delete", on_rotation: "delete_old" };

/**
 * What the account has at present, and may no longer have when this is applied: apply refuses it then. In the plan it is a
 * warning, so that it is in the way of neither other resources nor a destroy.
 */
function untilApply({ warning }: Diagnostics): Diagnostics {
  return {
    warning,
    error: (summary, detail, path) => warning(summary, `Apply refuses this. ${detail}`, path),
  };
}

/** Two resources that are known by the same. What is unknown yet is looked at when it is planned once more, in the apply. */
function rejectDuplicate(
  kind: Kind,
  { prior, planned, private: saved }: Pick<PlanCall, "prior" | "planned" | "private">,
  { ownership }: OpenAccount,
  diagnostics: Diagnostics,
): void {
  if (isSecondHalf(prior, saved)) return;
  const name = knownByAttribute(kind);
  const value = knownBy(kind, planned);
  if (name === undefined || value === undefined) return;
  const id = prior ? String(prior.id) : undefined;
  if (ownership.reserve(kind, value, id, prior?.[name] === value)) return;
  const advice =
    name === "id"
      ? "Remove one of them: each would write over the other."
      : `Use a different one for each: it is how the ${kind.name} is found again if a response is lost.`;
  diagnostics.error(
    `Two resources use the same ${name}`,
    `Another resource of the configuration has the ${name} ${JSON.stringify(value)}, too. ${advice}`,
    [name],
  );
}

/** A name that one resource gives up and another takes: Terraform applies the two in any order. */
async function rejectMovedName(
  kind: Kind,
  { prior, planned, private: saved, diagnostics }: ProposedPlanCall,
  open: OpenAccount,
): Promise<void> {
  if (knownByAttribute(kind) !== kind.label || isSecondHalf(prior, saved)) return;
  const before = prior?.[kind.label];
  const after = planned?.[kind.label];
  const moved = open.plannedNames.add(kind, {
    id: prior ? String(prior.id) : undefined,
    before: typeof before === "string" ? before : undefined,
    after: typeof after === "string" || after === Unknown ? after : undefined,
    isDeleted: prior?.on_removal === "delete",
  });
  if (!moved) return;
  const { id, after: next } = moved.first ?? {};
  // A resource that is not planned yet may also give up this name.
  const lookup =
    id !== undefined && typeof next === "string"
      ? await unlessDown(open, () => open.objects.findByName(kind, next, [id]))
      : undefined;
  const holder = lookup?.outcome === "found" ? lookup.found[0].id : undefined;
  nameMoves(kind, { ...moved, holder }, planned ? [kind.label] : [], diagnostics);
}

/** Whether this is the create of a replacement, which gets the private state of the delete. */
function isSecondHalf(prior: Values | null, saved: PrivateState): boolean {
  return !prior && saved.service !== undefined;
}

/** Plans the adoption of an existing object. */
async function planAdoption(kind: Kind, call: PlanCall): Promise<PlanModification | undefined> {
  const { open, prior, planned, diagnostics } = call;
  if (prior) {
    const isUnseen = planned !== prior && isImported(kind, prior);
    return isUnseen ? { planned: fillAfterApply(kind, planned) } : undefined;
  }
  if (typeof planned.id !== "string") return undefined;
  const { id } = planned;
  const { has, released } = open.ownership;
  if (has(kind, id) || released(kind, id)) {
    warnAdoptedAgain(kind, id, call);
    return undefined;
  }
  const found = await unlessDown(open, () => open.objects.read(kind, id));
  if (found?.seen === "absent") notFound(kind, id, untilApply(diagnostics));
  if (found?.seen === "live" && open.settings.drift !== "overwrite") {
    const quoted = (value: unknown) => JSON.stringify(toPlainLine(String(value)));
    for (const name of differences(kind, toSpec(kind, planned), found.live.spec)) {
      const report = open.settings.drift === "refuse" ? diagnostics.error : diagnostics.warning;
      report(
        `The ${kind.name} has another ${name} in the account`,
        `Its ${name} there is ${quoted(found.live.spec[name])}, and this plan writes ${quoted(planned[name])} over it. To keep it, set that ${name} here. To write over it knowingly, import it: the plan then shows the change.`,
        [name],
      );
    }
  }
  return undefined;
}

/** Marks computed values as known after apply, for an imported object that cannot be read. */
function fillAfterApply(kind: Kind, planned: Values): Values {
  const unseen = Object.keys(kind.computed).filter((name) => planned[name] === null);
  return { ...planned, ...Object.fromEntries(unseen.map((name) => [name, Unknown])) };
}

/**
 * Plans a create. An unmanaged object with the name must be imported instead of duplicated. An object that a resource gives up in
 * this run is adopted again: the service cannot delete, so a replacement would create a duplicate.
 */
async function planCreate(
  kind: Kind,
  { open, config, planned, diagnostics }: PlanCall,
): Promise<PlanModification | undefined> {
  const label = planned[kind.label];
  if (typeof label !== "string") return undefined;
  const lookup = await unlessDown(open, () => open.objects.findByName(kind, label));
  if (lookup?.outcome === "unknown") nameUnconfirmed(kind, label, lookup.doubt, untilApply(diagnostics));
  const namesakes = lookup?.outcome === "found" ? lookup.found : [];
  const { has, released } = open.ownership;
  const foreign = namesakes.filter(({ id }) => !has(kind, id) && !released(kind, id));
  if (foreign.length > 0) nameTaken(kind, label, foreign, untilApply(diagnostics));
  for (const { id } of namesakes) warnAdoptedAgain(kind, id, { open, config, planned, diagnostics });
  // An object that is adopted again keeps its unset values. A new object has none.
  if (namesakes.length > 0) return undefined;
  const unset = readableAttributes(kind).filter((name) => config[name] === null && planned[name] === Unknown);
  return { planned: { ...planned, ...Object.fromEntries(unset.map((name) => [name, null])) } };
}

/** Warns if an unmanaged object has the new name. A resource that has it may give it up in this run. */
async function warnOfNamesake(
  kind: Kind,
  { open, planned, diagnostics }: PlanCall,
  prior: Values,
): Promise<undefined> {
  const label = planned[kind.label];
  if (typeof label !== "string" || label === prior[kind.label]) return;
  const lookup = await unlessDown(open, () => open.objects.findByName(kind, label, [String(prior.id)]));
  const { warning } = diagnostics;
  const warn = { warning, error: warning };
  if (lookup?.outcome === "unknown") nameUnconfirmed(kind, label, lookup.doubt, warn);
  if (lookup?.outcome !== "found") return;
  const foreign = lookup.found.filter(({ id }) => !open.ownership.has(kind, id));
  if (foreign.length > 0) nameTakenByOther(kind, label, foreign, warn);
}

/** Warns of edits in a tainted resource's object, which is planned like a new one and overwritten. */
function warnAdoptedAgain(
  kind: Kind,
  id: string,
  { open, config, planned, diagnostics }: Pick<PlanCall, "open" | "config" | "planned" | "diagnostics">,
): void {
  const key = toEditKey(kind, id);
  const edits = open.unreportedEdits.get(key);
  if (!edits) return;
  open.unreportedEdits.delete(key);
  const { prior, saved } = edits;
  const unset = readableAttributes(kind).filter((name) => config[name] === null);
  const staying = unset.map((name): [string, Values[string]] => [name, prior[name] ?? null]);
  const written = { ...planned, ...Object.fromEntries(staying) };
  warnOverwritten(kind, { prior, planned: written, saved }, open.settings, diagnostics);
}

/**
 * Plans a delete. Terraform before 1.15 plans a removed resource before its refresh. So the object is read here, and the apply
 * deletes it only if it is still the same.
 */
async function planDelete(
  kind: Kind,
  { client, prior, diagnostics, private: saved }: ProposedPlanCall & { readonly prior: Values },
): Promise<PlanModification> {
  const { open } = client;
  if (open && !kind.remove) {
    needsProfile(kind, "remove", 'on_removal = "delete"', diagnostics);
    return {};
  }
  const found = open && (await unlessDown(open, () => open.objects.read(kind, String(prior.id))));
  if (found?.seen === "absent") return {};
  diagnostics.warning(
    `The ${kind.name} is deleted`,
    `${JSON.stringify(prior[kind.label])} (${String(prior.id)}) is deleted from the account, since its state has on_removal = "delete". To keep it, apply without that first.`,
  );
  if (!open || found?.seen !== "live") return {};
  const { spec } = found.live;
  // An edit that this run's refresh found is not from an earlier run.
  const seen = open.unreportedEdits.get(toEditKey(kind, String(prior.id))) ?? {
    prior: toState(kind, found.live, prior),
    saved: { ...findEdits(kind, spec, saved) },
  };
  warnDeletedEdits(kind, seen, open.settings, diagnostics);
  return { private: { ...saved, to_delete: spec } };
}

/** Checks values against the documented ones and those of the provider settings. */
function rejectDisallowedValues(
  kind: Kind,
  planned: Values,
  { settings }: OpenAccount,
  diagnostics: Diagnostics,
): void {
  for (const [name, field] of Object.entries(kind.fields)) {
    const value = planned[name];
    if (field.type !== "string" || !field.valuesFrom || typeof value !== "string") continue;
    for (const { summary, detail } of disallowed(kind, name, value, settings.allowedValues)) {
      diagnostics.error(
        summary.replace(`service.${field.valuesFrom.name}`, `${field.valuesFrom.name} of the provider`),
        detail,
        [name],
      );
    }
  }
}
