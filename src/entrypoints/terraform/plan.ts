import {
  type Diagnostics,
  type PlanModification,
  type PrivateState,
  Unknown,
} from "@avatarops/terraform-plugin";
import { toPlainLine } from "../../base/text/index.js";
import { isManageable, type Kind, type Spec } from "../../core/kinds/index.js";
import { type OpenedAccount, readUnlessDown } from "./account/open-account.js";
import { readResourceId } from "./account/resource-id.js";
import { isSameService } from "./account/same-service.js";
import type { PlanCall, ProposedPlanCall } from "./calls.js";
import {
  reportMissingProfile,
  reportNameMove,
  reportNameTaken,
  reportNameTakenByOther,
  reportNotFound,
  reportUnconfirmedName,
  warnNotDeleted,
} from "./diagnostics.js";
import {
  findEdits,
  findUnsetEdits,
  isImported,
  reportDeletedEdits,
  reportOverwrittenEdits,
  toEditKey,
} from "./edits-elsewhere.js";
import { planRotation } from "./rotation.js";
import { findDisallowed } from "./schema.js";
import { chooseStrategy, findIdentifyingAttribute, readIdentifyingValue } from "./strategy.js";
import { warnAboutUnrecorded } from "./unrecorded.js";
import { type AttributeValues, findDifferences, listReadableAttributes, toSpec } from "./values.js";

/** Refines the plan that the framework proposes. */
export async function modifyPlan(kind: Kind, call: ProposedPlanCall): Promise<PlanModification | undefined> {
  const { client, prior, planned, diagnostics, private: saved } = call;
  const { account } = client;
  if (prior && account && !isSameService(kind, saved, account, diagnostics)) return undefined;
  if (prior) account?.ownership.claim(kind, String(prior.id));
  if (account) await rejectMovedName(kind, call, account);
  if (!planned) {
    if (!prior) return undefined;
    if (prior.on_removal === "delete") return planDelete(kind, { ...call, prior });
    warnNotDeleted(kind, prior, saved, diagnostics);
    return { private: { ...saved, is_announced: true } };
  }
  if (!account) return undefined;
  if (!isManageable(kind))
    return void reportMissingProfile(kind, "create", `avatarops_${kind.name}`, diagnostics);
  for (const [name, value] of Object.entries(deletingValues))
    if (planned[name] === value && !kind.remove)
      reportMissingProfile(kind, "remove", `${name} = "${value}"`, diagnostics, [name]);
  rejectDuplicate(kind, { prior, planned, private: saved }, account, diagnostics);
  rejectDisallowedValues(kind, planned, account, diagnostics);
  if (prior) {
    reportOverwrittenEdits(kind, { prior, planned, saved }, account.settings, diagnostics);
    account.unreportedEdits.delete(toEditKey(kind, String(prior.id)));
  }
  const refined: PlanCall = { ...call, planned, account };
  const modification = await planChange(kind, refined);
  if (!prior) return modification;
  const edited = prior.on_removal === "delete" ? findUnsetEdits(kind, refined.config, saved) : {};
  if (Object.keys(edited).length === 0) return modification;
  // The plan of a replacement calls again with this private state, but without the prior state.
  return { ...modification, private: { ...saved, edited, to_delete: toSpec(kind, prior) } };
}

async function planChange(kind: Kind, call: PlanCall): Promise<PlanModification | undefined> {
  reportReplacedEdits(kind, call);
  switch (chooseStrategy(kind)) {
    case "adopt":
      return planAdoption(kind, call);
    case "create":
      return call.prior ? warnAboutNamesake(kind, call, call.prior) : planCreate(kind, call);
    case "rotate": {
      const modification = await planRotation(kind, call);
      if (!call.prior || modification?.planned?.id === Unknown) await warnAboutUnrecorded(kind, call);
      return modification;
    }
  }
}

/**
 * Reports edits that a replacement deletes. Terraform drops the warnings of this call, so the delete repeats them (see
 * delete.ts).
 */
function reportReplacedEdits(kind: Kind, { prior, account, diagnostics, private: saved }: PlanCall): void {
  const { to_delete: live } = saved as { readonly to_delete?: Spec };
  if (isReplacementCreate(prior, saved) && live)
    reportDeletedEdits(kind, { live, saved, isReplaced: true }, account.settings, diagnostics);
}

/** Attribute values that request a delete. */
const deletingValues = { on_removal: "delete", on_rotation: "delete_old" };

/**
 * Turns errors about the current account into warnings. The account may change before the apply, which checks again.
 */
function deferToApply({ warning }: Diagnostics): Diagnostics {
  return {
    warning,
    error: (summary, detail, path) =>
      warning(summary, `The apply will fail unless you fix this first. ${detail}`, path),
  };
}

/**
 * Rejects a second resource with the same object, name or adopted id. Unknown values are checked when the apply plans again.
 */
function rejectDuplicate(
  kind: Kind,
  { prior, planned, private: saved }: Pick<PlanCall, "prior" | "planned" | "private">,
  { ownership }: OpenedAccount,
  diagnostics: Diagnostics,
): void {
  if (isReplacementCreate(prior, saved)) return;
  if (prior && !ownership.planExisting(kind, String(prior.id), readResourceId(saved))) {
    diagnostics.error(
      `Two resources manage the same ${kind.name}`,
      `Another resource in the configuration has the id ${String(prior.id)}. Remove one of them with a \`removed\` block or with \`terraform state rm\`, because each would overwrite the other.`,
    );
    return;
  }
  const name = findIdentifyingAttribute(kind);
  const value = readIdentifyingValue(kind, planned);
  if (name === undefined || value === undefined) return;
  const id = prior ? String(prior.id) : undefined;
  if (ownership.reserve(kind, value, id, prior?.[name] === value)) return;
  const advice =
    name === "id"
      ? "Remove one of them, because each would overwrite the other."
      : `Use a different ${name} for each, because the provider finds the ${kind.name} by its ${name} after a lost response.`;
  diagnostics.error(
    `Two resources use the same ${name}`,
    `Another resource in the configuration has the ${name} ${JSON.stringify(value)}. ${advice}`,
    [name],
  );
}

/** Rejects a name that moves between two resources, because Terraform applies them in any order. */
async function rejectMovedName(
  kind: Kind,
  { prior, planned, private: saved, diagnostics }: ProposedPlanCall,
  account: OpenedAccount,
): Promise<void> {
  if (findIdentifyingAttribute(kind) !== kind.label || isReplacementCreate(prior, saved)) return;
  const before = prior?.[kind.label];
  const after = planned?.[kind.label];
  const moved = account.plannedNames.add(kind, {
    id: prior ? String(prior.id) : undefined,
    before: typeof before === "string" ? before : undefined,
    after: typeof after === "string" || after === Unknown ? after : undefined,
    isDeleted: prior?.on_removal === "delete",
  });
  if (!moved) return;
  const { id, after: next } = moved.first ?? {};
  // The last known change of a chain may depend on a resource that is not planned yet.
  const lookup =
    kind.uniqueLabels && id !== undefined && typeof next === "string"
      ? await readUnlessDown(account, () => account.objects.findByName(kind, next, [id]))
      : undefined;
  const holder = lookup?.outcome === "found" ? lookup.found[0].id : undefined;
  reportNameMove(kind, { ...moved, holder }, planned ? [kind.label] : [], diagnostics);
}

/** Returns whether a create is part of a replacement. Its private state then comes from the delete. */
function isReplacementCreate(prior: AttributeValues | null, saved: PrivateState): boolean {
  return !prior && saved.service !== undefined;
}

/** Plans the adoption of an existing object. */
async function planAdoption(kind: Kind, call: PlanCall): Promise<PlanModification | undefined> {
  const { account, prior, planned, diagnostics } = call;
  if (prior) {
    const isUnread = planned !== prior && isImported(kind, prior);
    return isUnread ? { planned: markUnreadUnknown(kind, planned) } : undefined;
  }
  if (typeof planned.id !== "string") return undefined;
  const { id } = planned;
  const { ownership } = account;
  if (ownership.isClaimed(kind, id) || ownership.findReleased(kind, id)) {
    warnAdoptedAgain(kind, id, call);
    return undefined;
  }
  const found = await readUnlessDown(account, () => account.objects.read(kind, id));
  if (found?.seen === "absent") reportNotFound(kind, id, deferToApply(diagnostics));
  if (found?.seen === "live" && account.settings.drift !== "overwrite") {
    const quote = (value: unknown) => JSON.stringify(toPlainLine(String(value)));
    for (const name of findDifferences(kind, toSpec(kind, planned), found.live.spec)) {
      const report = account.settings.drift === "refuse" ? diagnostics.error : diagnostics.warning;
      report(
        `The ${kind.name} has a different ${name} in the account`,
        `This plan overwrites ${quote(found.live.spec[name])} with ${quote(planned[name])}. To keep the current ${name}, set it here. To overwrite it, import the ${kind.name}, so that the plan shows the change.`,
        [name],
      );
    }
  }
  return undefined;
}

/** Marks computed values as known after apply, for an imported object that cannot be read. */
function markUnreadUnknown(kind: Kind, planned: AttributeValues): AttributeValues {
  const unread = Object.keys(kind.computed).filter((name) => planned[name] === null);
  return { ...planned, ...Object.fromEntries(unread.map((name) => [name, Unknown])) };
}

/**
 * Plans a create. An unmanaged object with this name must be imported. An object whose resource is removed in the same
 * run is adopted again, because the service has no documented delete.
 */
async function planCreate(
  kind: Kind,
  { account, config, planned, diagnostics }: PlanCall,
): Promise<PlanModification | undefined> {
  const label = planned[kind.label];
  if (typeof label !== "string") return undefined;
  const lookup = await readUnlessDown(account, () => account.objects.findByName(kind, label));
  if (lookup?.outcome === "unknown")
    reportUnconfirmedName(kind, label, lookup.doubt, deferToApply(diagnostics));
  const namesakes = lookup?.outcome === "found" ? lookup.found : [];
  const { ownership } = account;
  const foreign = namesakes.filter(
    ({ id }) => !ownership.isClaimed(kind, id) && !ownership.findReleased(kind, id),
  );
  if (foreign.length > 0) reportNameTaken(kind, label, foreign, deferToApply(diagnostics));
  for (const { id } of namesakes) warnAdoptedAgain(kind, id, { account, config, planned, diagnostics });
  // An object that is adopted again keeps the values of unconfigured fields. A new object has none.
  if (namesakes.length > 0) return undefined;
  const unset = listReadableAttributes(kind).filter(
    (name) => config[name] === null && planned[name] === Unknown,
  );
  return { planned: { ...planned, ...Object.fromEntries(unset.map((name) => [name, null])) } };
}

/**
 * Warns if an unmanaged object has the new name. Ignores managed objects, because they may give up the name in this
 * run.
 */
async function warnAboutNamesake(
  kind: Kind,
  { account, planned, diagnostics }: PlanCall,
  prior: AttributeValues,
): Promise<undefined> {
  const label = planned[kind.label];
  if (typeof label !== "string" || label === prior[kind.label]) return;
  const lookup = await readUnlessDown(account, () =>
    account.objects.findByName(kind, label, [String(prior.id)]),
  );
  const { warning } = diagnostics;
  const warn = { warning, error: warning };
  if (lookup?.outcome === "unknown") reportUnconfirmedName(kind, label, lookup.doubt, warn);
  if (lookup?.outcome !== "found") return;
  const foreign = lookup.found.filter(({ id }) => !account.ownership.isClaimed(kind, id));
  if (foreign.length > 0) reportNameTakenByOther(kind, label, foreign, warn);
}

/** Warns of edits to a tainted resource's object, which is planned like a new object and overwritten. */
function warnAdoptedAgain(
  kind: Kind,
  id: string,
  { account, config, planned, diagnostics }: Pick<PlanCall, "account" | "config" | "planned" | "diagnostics">,
): void {
  const key = toEditKey(kind, id);
  const edits = account.unreportedEdits.get(key);
  if (!edits) return;
  account.unreportedEdits.delete(key);
  const { prior, saved } = edits;
  if (prior.on_removal === "delete")
    reportDeletedEdits(
      kind,
      { live: toSpec(kind, prior), saved: { edited: findUnsetEdits(kind, config, saved) }, isReplaced: true },
      account.settings,
      diagnostics,
    );
  const unset = listReadableAttributes(kind).filter((name) => config[name] === null);
  const unchanged = unset.map((name): [string, AttributeValues[string]] => [name, prior[name] ?? null]);
  const written = { ...planned, ...Object.fromEntries(unchanged) };
  reportOverwrittenEdits(kind, { prior, planned: written, saved }, account.settings, diagnostics);
}

/**
 * Plans a delete. Terraform before 1.15 plans a removed resource before its refresh, so the object is read here. The
 * apply deletes the object only if it has not changed since that read.
 */
async function planDelete(
  kind: Kind,
  { client, prior, diagnostics, private: saved }: ProposedPlanCall & { readonly prior: AttributeValues },
): Promise<PlanModification> {
  const { account } = client;
  if (account && !kind.remove) {
    reportMissingProfile(kind, "remove", 'on_removal = "delete"', diagnostics);
    return {};
  }
  const found =
    account && (await readUnlessDown(account, () => account.objects.read(kind, String(prior.id))));
  if (found?.seen === "absent") return {};
  diagnostics.warning(
    `The ${kind.name} will be deleted`,
    `This plan deletes ${JSON.stringify(prior[kind.label])} (${String(prior.id)}) from the account, because its last apply set on_removal = "delete". To keep it, apply without that setting first.`,
  );
  if (!account || found?.seen !== "live") return {};
  const { spec } = found.live;
  // Uses the edits that this run's refresh found, because edits that are detected again count as edits of an earlier
  // run.
  const edits = account.unreportedEdits.get(toEditKey(kind, String(prior.id)));
  reportDeletedEdits(
    kind,
    edits
      ? { live: toSpec(kind, edits.prior), saved: edits.saved }
      : { live: spec, saved: findEdits(kind, spec, saved) },
    account.settings,
    diagnostics,
  );
  return { private: { ...saved, to_delete: spec, is_announced: true } };
}

/** Checks values against the documented values and the values in the provider block. */
function rejectDisallowedValues(
  kind: Kind,
  planned: AttributeValues,
  { settings }: OpenedAccount,
  diagnostics: Diagnostics,
): void {
  for (const [name, field] of Object.entries(kind.fields)) {
    const value = planned[name];
    if (field.type !== "string" || !field.valuesFrom || typeof value !== "string") continue;
    for (const { summary, detail } of findDisallowed(kind, name, value, settings.allowedValues)) {
      diagnostics.error(
        summary.replace(`service.${field.valuesFrom.name}`, `${field.valuesFrom.name} in the provider block`),
        detail,
        [name],
      );
    }
  }
}
