import type { Diagnostics, Path, PrivateState } from "@avatarops/terraform-plugin";
import { addArticle, capitalize, toPlainLine } from "../../base/text/index.js";
import type { ServiceError } from "../../core/api/index.js";
import {
  type Doubt,
  explainDoubt,
  type Kind,
  type ListedObject,
  listProfiles,
  sortOldestFirst,
} from "../../core/kinds/index.js";
import type { WriteResult } from "../../core/lifecycle/index.js";
import type { MovedName, NameChange } from "./account/planned-names.js";
import { chooseStrategy } from "./strategy.js";
import { listSupersededIds } from "./superseded-ids.js";
import { type AttributeValues, toAttributeName } from "./values.js";

/* Diagnostics shared by resource calls. Some functions return null, so that a call can return their result. */

/** Reports that an object to adopt does not exist. */
export function reportNotFound(kind: Kind, id: string, diagnostics: Diagnostics): null {
  diagnostics.error(
    `The ${kind.name} does not exist`,
    `The account has no ${kind.name} ${id}, and Terraform cannot create one. Correct the id, or remove the resource.`,
    ["id"],
  );
  return null;
}

export function reportNameTaken(
  kind: Kind,
  label: string,
  holders: readonly ListedObject[],
  diagnostics: Diagnostics,
): null {
  const several = holders.length > 1;
  const which = several ? `${holders.length} ${kind.collection}` : addArticle(kind.name);
  const [object, block] = several ? ["one of them", "its import block"] : ["it", "this import block"];
  const detail = [
    `To manage ${object} here, add ${block} and replace NAME with the name of this resource:`,
    renderImportBlocks(kind, holders),
    `If this is a replacement with \`create_before_destroy\`, remove that setting. If another resource gives up this ${kind.label}, apply that change alone first. Otherwise choose another ${kind.label}.`,
  ].join("\n\n");
  diagnostics.error(`The account already has ${which} named ${JSON.stringify(label)}`, detail, [kind.label]);
  return null;
}

/** Warns of objects that no state may contain, because Terraform was killed right after their create. */
export function warnUnrecorded(
  kind: Kind,
  label: string,
  holders: readonly ListedObject[],
  { isNew }: { readonly isNew: boolean },
  diagnostics: Diagnostics,
): void {
  const ids = sortOldestFirst(holders).map(({ id }) => id);
  const advice = isNew
    ? `If an interrupted apply created it with the same values, replace NAME with the name of this resource and import it:\n\n${renderImportBlocks(kind, holders)}`
    : `If an interrupted apply created it and nothing uses it, delete it in the dashboard: ${ids.join(", ")}.`;
  diagnostics.warning(
    `The account already has ${isNew ? addArticle(kind.name) : `a newer ${kind.name}`} named ${JSON.stringify(label)}`,
    `This plan creates another ${kind.name}. ${advice}`,
    [kind.label],
  );
}

/** Reports that the name belongs to another object, which must not be adopted. */
export function reportNameTakenByOther(
  kind: Kind,
  label: string,
  holders: readonly Pick<ListedObject, "id">[],
  diagnostics: Diagnostics,
): null {
  const ids = holders.map(({ id }) => id).join(", ");
  diagnostics.error(
    `The account already has another ${kind.name} named ${JSON.stringify(label)}`,
    `Its id is ${ids}. If another resource gives up this ${kind.label}, apply that change alone first. To swap ${kind.label}s, apply a temporary ${kind.label} first. Otherwise choose another ${kind.label}.`,
    [kind.label],
  );
  return null;
}

const alone = "alone first, for example with `-target`";

/**
 * Reports a name that moves from one resource of a plan to another. `holder` is the object, if any, that has the new
 * name of `first` and no planned change.
 */
export function reportNameMove(
  kind: Kind,
  { taker, release, first, holder }: MovedName & { readonly holder: string | undefined },
  path: Path,
  diagnostics: Diagnostics,
): void {
  const name = JSON.stringify(release.before);
  diagnostics.error(
    `The ${kind.label} ${name} moves between two resources`,
    `This plan ${describeChange(kind, taker)}, and ${describeChange(kind, release)}. ${adviseOnNameMove(kind, { taker, release, first, holder })} When you destroy all resources, use \`-refresh=false\`.`,
    path,
  );
}

function describeChange(kind: Kind, { id, before, after, isDeleted }: NameChange): string {
  if (id === undefined) return `creates the ${kind.name} ${describeNewName(after)}`;
  const object = `the ${kind.name} ${JSON.stringify(before)} (${id})`;
  if (after !== undefined) return `renames ${object} to ${describeNewName(after)}`;
  return isDeleted ? `deletes ${object}` : `removes ${object} from the state`;
}

/** Advises what to apply first to free the name. The plan may not yet show which change frees it. */
function adviseOnNameMove(
  kind: Kind,
  { taker, release, first, holder }: MovedName & { readonly holder: string | undefined },
): string {
  const { name, label } = kind;
  if (!first)
    return `The ${label}s form a cycle, so first apply a temporary ${label} for one of them, such as the ${name} ${JSON.stringify(release.before)}.`;
  const object = `${JSON.stringify(first.before)} (${first.id})`;
  const next = describeNewName(first.after);
  const orMoved = ", or add `moved` blocks if only addresses changed, such as an index of `count`.";
  if (holder !== undefined)
    return `The ${name} ${holder} still has the ${label} ${next}. If another error in this plan is about ${next}, fix that one first${orMoved} Otherwise use another ${label} for ${object}.`;
  if (first.after !== undefined) return `Apply the rename of ${object} to ${next} ${alone}${orMoved}`;
  if (first.isDeleted)
    return `If both are the same object, add a \`moved\` block. Otherwise apply the deletion of ${object} ${alone}.`;
  const sameObject =
    "If only addresses changed, add `moved` blocks, or change a shifted `count` to `for_each` first.";
  // Without a deletion, the object keeps its name in the account.
  return taker.id === undefined && first === release
    ? `${sameObject} Otherwise apply the removal ${alone}. The object keeps its ${label} in the account, so import it by its id.`
    : `${sameObject} Otherwise the ${name} ${object} keeps its ${label} in the account, so rename it and apply before you remove it.`;
}

function describeNewName(name: NameChange["after"]): string {
  return typeof name === "string" ? JSON.stringify(name) : "a value that is known only after apply";
}

/** Reports that an incomplete list cannot show whether a name exists. */
export function reportUnconfirmedName(
  kind: Kind,
  label: string,
  doubt: Doubt,
  diagnostics: Diagnostics,
): null {
  diagnostics.error(
    `Cannot check whether the ${kind.name} ${JSON.stringify(label)} exists`,
    describeDoubt(kind, doubt),
    [kind.label],
  );
  return null;
}

/** Explains why a list may be incomplete, and what to do. */
export function describeDoubt(kind: Kind, doubt: Doubt): string {
  const { problem, advice } = explainDoubt(kind, doubt, "`ignore_list_counts = true` in the provider block");
  return `${capitalize(problem)}. ${advice}`;
}

/** Reports a feature that needs a profile. */
export function reportMissingProfile(
  kind: Kind,
  operation: "create" | "list" | "remove" | "listStock",
  feature: string,
  diagnostics: Diagnostics,
  path: Path = [],
): null {
  const profiles = listProfiles(kind, (profiled) => profiled[operation]).filter(
    (profile) => profile !== undefined,
  );
  const detail = `Only some deployments of the service support this. If yours does, set profile = "${profiles.join('" or "')}" in the provider block.`;
  diagnostics.error(`${feature} needs a profile`, detail, path);
  return null;
}

/** Reports a refused request at the attribute that the message names. */
export function reportRefusal(kind: Kind, error: ServiceError, diagnostics: Diagnostics): null {
  const named = error.details.flatMap(({ loc }) => loc.split(".")).find((word) => word in kind.fields);
  const field = error.code === "name-taken" ? kind.label : named;
  diagnostics.error(
    `The service rejected the ${kind.name}`,
    error.message,
    field === undefined ? [] : [toAttributeName(kind, field)],
  );
  return null;
}

/** Reports that the object changed after the plan. */
export function reportEditedSincePlan(kind: Kind, fields: readonly string[], diagnostics: Diagnostics): null {
  const changed = fields.length > 0 ? `Its ${fields.join(" and ")}` : "It";
  diagnostics.error(
    `The ${kind.name} was edited elsewhere`,
    `${changed} changed after the plan was made, so nothing was written. Plan again to see the edit.`,
    [toAttributeName(kind, fields[0] ?? kind.label)],
  );
  return null;
}

export function reportUnknownOutcome(
  kind: Kind,
  action: "Create" | "Update",
  { error, candidates }: Extract<WriteResult, { outcome: "unknown" }>,
  diagnostics: Diagnostics,
): null {
  const next =
    action === "Update"
      ? "Plan again to see the current values."
      : candidates.length > 0
        ? `The account has objects with this name and different content. If this apply created one of them, import it:\n\n${renderImportBlocks(kind, candidates)}`
        : kind.list && chooseStrategy(kind) !== "rotate"
          ? "Plan again. The plan looks up the object by name, and shows how to import it."
          : `Look for the object in the dashboard. If it does not exist, apply again. Otherwise run \`terraform import avatarops_${kind.name}.NAME ID\`. If the resource manages an old object, run \`terraform state rm\` first.`;
  diagnostics.error(`${action} outcome unknown`, `${error.message} ${next}`);
  return null;
}

/** Warns that superseded objects stay in the account after their ids leave the state. */
export function warnSupersededRemain(kind: Kind, ids: readonly string[], diagnostics: Diagnostics): void {
  if (ids.length === 0) return;
  diagnostics.warning(
    `The superseded ${kind.collection} were not deleted`,
    `Superseded ${kind.collection} stay in the account, but the state no longer contains their ids. To delete them later, note these ids: ${ids.join(", ")}.`,
  );
}

/** Warns that a removed resource's object stays in the account. */
export function warnNotDeleted(
  kind: Kind,
  prior: AttributeValues,
  saved: PrivateState,
  diagnostics: Diagnostics,
): void {
  const superseded = listSupersededIds(prior, saved);
  const others =
    superseded.length > 0 ? ` Superseded objects also stay there: ${superseded.join(", ")}.` : "";
  diagnostics.warning(
    `The ${kind.name} is removed from the state, but not deleted`,
    `${kind.afterForget}${others} To manage it again, import it by its id ${String(prior.id)}.`,
  );
}

/**
 * Reports that an object was not forgotten, because the create that should have adopted it failed. Otherwise no state
 * would contain the object.
 */
export function reportNotForgotten(kind: Kind, prior: AttributeValues, diagnostics: Diagnostics): void {
  diagnostics.error(
    `The ${kind.name} was not removed from the state`,
    `Creating ${addArticle(kind.name)} with the ${kind.label} ${JSON.stringify(prior[kind.label])} failed, because the object ${String(prior.id)} already has that ${kind.label}. If both are the same object, add a \`moved\` block. Otherwise apply the removal alone first, for example with \`-target\`.`,
  );
}

/**
 * Renders import blocks, oldest object first. NAME is a placeholder, because a provider does not receive the names of
 * resources.
 */
function renderImportBlocks(kind: Kind, listed: readonly ListedObject[]): string {
  const blocks = sortOldestFirst(listed).map(({ id, createdAt }) => {
    const created = createdAt ? ` # created ${toPlainLine(createdAt)}` : "";
    return `  import {\n    to = avatarops_${kind.name}.NAME\n    id = "${id}"${created}\n  }`;
  });
  return blocks.join("\n\n");
}
