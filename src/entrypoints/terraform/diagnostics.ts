import type { Diagnostics, Path, PrivateState } from "@avatarops/terraform-plugin";
import { capitalise } from "../../base/text/index.js";
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
import type { MovedName, NameRelease } from "./account/planned-names.js";
import { chooseStrategy } from "./strategy.js";
import { supersededIds } from "./superseded-ids.js";
import { attributeOf, type Values } from "./values.js";

/* Diagnostics that several resource operations share. Functions that end a call return its result, null. */

/** Reports that an object to adopt does not exist. */
export function notFound(kind: Kind, id: string, diagnostics: Diagnostics): null {
  diagnostics.error(
    `The ${kind.name} does not exist`,
    `The account has no ${kind.name} ${id}. It can only be created elsewhere and adopted here: correct the id, or remove the resource.`,
    ["id"],
  );
  return null;
}

/** Reports that a new object's name is taken. */
export function nameTaken(
  kind: Kind,
  label: string,
  holders: readonly ListedObject[],
  diagnostics: Diagnostics,
): null {
  const several = holders.length > 1;
  const which = several ? `${holders.length} ${kind.collection}` : `a ${kind.name}`;
  const detail = [
    `If another resource of the configuration has this ${kind.label} and is to give it up, apply that change alone first. To manage ${several ? "one of them" : "it"} here, import it: add this to the configuration, with the address of this resource for NAME.`,
    renderImportBlocks(kind, holders),
    `If this resource made it and is half replaced under \`create_before_destroy\`: remove that setting, and run \`terraform state rm\` on the resource before the import. Otherwise choose another ${kind.label}.`,
  ].join("\n\n");
  diagnostics.error(`The account already has ${which} named ${JSON.stringify(label)}`, detail, [kind.label]);
  return null;
}

/** Reports that another object has the name, and must not be adopted. */
export function nameTakenByOther(
  kind: Kind,
  label: string,
  holders: readonly Pick<ListedObject, "id">[],
  diagnostics: Diagnostics,
): null {
  const ids = holders.map(({ id }) => id).join(", ");
  diagnostics.error(
    `The account already has another ${kind.name} named ${JSON.stringify(label)}`,
    `Its id is ${ids}. Choose another ${kind.label} for one of the two. If another resource of the configuration is to give up this ${kind.label}, apply that change alone first. To exchange ${kind.label}s, apply a third ${kind.label} for one of the two first.`,
    [kind.label],
  );
  return null;
}

/** Reports a name that moves from one resource of a plan to another. */
export function nameMoves(
  kind: Kind,
  { release, first, holder }: MovedName & { readonly holder: string | undefined },
  path: Path,
  diagnostics: Diagnostics,
): void {
  const { before, after, id, isDeleted } = release;
  const object = `the ${kind.name} ${JSON.stringify(before)} (${id})`;
  const removal = isDeleted ? `deletes ${object}` : `removes ${object} from the state`;
  const change = after === undefined ? removal : `renames ${object} to ${nameAfter(after)}`;
  const alone = "alone first, for example with `-target`";
  const unmoved = ", or add `moved` blocks if only addresses changed, such as an index of `count`.";
  const advice =
    first === undefined
      ? `The ${kind.label}s go round in a circle: apply a third ${kind.label} for one of them first.`
      : holder !== undefined
        ? `Apply the change of ${nameAfter(first.after)} (${holder}) ${alone}${unmoved}`
        : first !== release
          ? `Apply ${describeRelease(first)} ${alone}${unmoved}`
          : after === undefined
            ? `If it is the same object, add a \`moved\` block, or else apply the removal ${alone}.`
            : `Apply that rename ${alone}${unmoved}`;
  diagnostics.error(
    `The ${kind.label} ${JSON.stringify(before)} moves between two resources`,
    `One resource takes this ${kind.label}, and this plan also ${change}. ${advice} To destroy everything, use \`-refresh=false\`.`,
    path,
  );
}

function describeRelease({ before, after, id }: NameRelease): string {
  const object = `${JSON.stringify(before)} (${id})`;
  return after === undefined ? `the removal of ${object}` : `the rename of ${object} to ${nameAfter(after)}`;
}

function nameAfter(name: NameRelease["after"]): string {
  return typeof name === "string" ? JSON.stringify(name) : "one that is known only after apply";
}

/** Reports that a list cannot prove that a name is free. */
export function nameUnconfirmed(kind: Kind, label: string, doubt: Doubt, diagnostics: Diagnostics): null {
  diagnostics.error(
    `It is unknown whether the account has a ${kind.name} named ${JSON.stringify(label)}`,
    describeDoubt(kind, doubt),
    [kind.label],
  );
  return null;
}

/** Explains why a list may be incomplete, and what to do. */
export function describeDoubt(kind: Kind, doubt: Doubt): string {
  const { problem, advice } = explainDoubt(kind, doubt, "`ignore_list_counts = true` in the provider block");
  return `${capitalise(problem)}. ${advice}`;
}

/** Reports a feature that needs a profile. */
export function needsProfile(
  kind: Kind,
  power: "create" | "list" | "remove" | "stock",
  what: string,
  diagnostics: Diagnostics,
  path: Path = [],
): null {
  const profiles = listProfiles(kind, (one) => one[power]).filter((profile) => profile !== undefined);
  const detail = `The service's document does not have it. If your deployment offers it, set profile = "${profiles.join('" or "')}" in the provider block.`;
  diagnostics.error(`${what} needs a profile`, detail, path);
  return null;
}

/** Reports a rejected request, at the attribute that the message names. */
export function refused(kind: Kind, error: ServiceError, diagnostics: Diagnostics): null {
  const named = error.details.flatMap(({ loc }) => loc.split(".")).find((word) => word in kind.fields);
  const field = error.code === "name-taken" ? kind.label : named;
  diagnostics.error(
    `The service refused the ${kind.name}`,
    error.message,
    field === undefined ? [] : [attributeOf(kind, field)],
  );
  return null;
}

/** Reports that the object changed after the plan. */
export function editedMeanwhile(kind: Kind, fields: readonly string[], diagnostics: Diagnostics): null {
  const changed = fields.length > 0 ? `Its ${fields.join(" and ")}` : "It";
  diagnostics.error(
    `The ${kind.name} was edited elsewhere`,
    `${changed} changed after the plan was made. Nothing was written. Plan again to see the edit.`,
    [attributeOf(kind, fields[0] ?? kind.label)],
  );
  return null;
}

/** Reports a write with an unknown outcome. */
export function outcomeUnknown(
  kind: Kind,
  action: "Create" | "Update",
  { error, candidates }: Extract<WriteResult, { outcome: "unknown" }>,
  diagnostics: Diagnostics,
): null {
  const next =
    action === "Update"
      ? "Plan again to see what the service has."
      : candidates.length > 0
        ? `The account has objects that may be it, with other content. If one is, import it:\n\n${renderImportBlocks(kind, candidates)}`
        : kind.list && chooseStrategy(kind) !== "rotate"
          ? "The next plan looks for it by its name, and shows how to import it."
          : `It cannot be looked up: find it in the dashboard. If it is there, run \`terraform import avatarops_${kind.name}.NAME ID\` (if an old one is managed, run \`terraform state rm\` on it before). If it is not, apply again.`;
  diagnostics.error(`${action} outcome unknown`, `${error.message} ${next}`);
  return null;
}

/** Warns that a removed resource's object stays in the account. */
export function notDeleted(kind: Kind, prior: Values, saved: PrivateState, diagnostics: Diagnostics): void {
  const before = supersededIds(prior, saved);
  const others = before.length > 0 ? ` It superseded ${before.join(", ")}, stored there as well.` : "";
  diagnostics.warning(
    `The ${kind.name} is forgotten, not deleted`,
    `${kind.afterForget} Its id is ${String(prior.id)}.${others}`,
  );
}

/** Reports an object that a refused resource should have adopted. Forgetting it would leave it in no state. */
export function notForgotten(kind: Kind, prior: Values, diagnostics: Diagnostics): void {
  diagnostics.error(
    `The ${kind.name} is not forgotten`,
    `A new resource with the ${kind.label} ${JSON.stringify(prior[kind.label])} was refused, since ${String(prior.id)} has it. If both are the same object, add a \`moved\` block. Otherwise apply the removal alone first, for example with \`-target\`.`,
  );
}

/** Renders import blocks, oldest object first. The user fills in NAME, because a provider does not know resource addresses. */
function renderImportBlocks(kind: Kind, listed: readonly ListedObject[]): string {
  const blocks = sortOldestFirst(listed).map(({ id, createdAt }) => {
    const made = createdAt ? ` # made ${createdAt}` : "";
    return `  import {\n    to = avatarops_${kind.name}.NAME\n    id = "${id}"${made}\n  }`;
  });
  return blocks.join("\n\n");
}
