import type { Diagnostics } from "@avatarops/terraform-plugin";
import { plainLine } from "../../base/text/index.js";
import type { ServiceError } from "../../core/api/index.js";
import { type Kind, type ListedObject, oldestFirst } from "../../core/kinds/index.js";
import type { RemoveResult, WriteResult } from "../../core/lifecycle/index.js";
import type { Values } from "./values.js";

/*
 * What resources report. Each function reports one thing; those that end a call return null, which is its result.
 */

/** An object to adopt does not exist. */
export function notFound(kind: Kind, id: string, diagnostics: Diagnostics): null {
  diagnostics.error(
    `The ${kind.name} does not exist`,
    `The account has no ${kind.name} ${id}. It can only be created elsewhere and adopted here: correct the id, or remove the resource.`,
    ["id"],
  );
  return null;
}

/** An object to adopt has something else in a field than what is to be written. */
export function adoptedDiffers(
  kind: Kind,
  name: string,
  { live, planned }: { readonly live: unknown; readonly planned: unknown },
  report: Diagnostics["error"],
): void {
  const quoted = (value: unknown) => JSON.stringify(plainLine(String(value)));
  report(
    `The ${kind.name} has another ${name} in the account`,
    `Its ${name} there is ${quoted(live)}, and this plan writes ${quoted(planned)} over it. To keep it, set that ${name} here. To write over it knowingly, import it: the plan then shows the change.`,
    [name],
  );
}

/** Another resource has the same name, or adopts the same object. */
export function usedTwice(kind: Kind, field: string, value: string, diagnostics: Diagnostics): void {
  const advice =
    field === "id"
      ? "Remove one of them: each would write over the other."
      : `Use a different one for each: it is how the ${kind.name} is found again if a response is lost.`;
  diagnostics.error(
    `Two resources use the same ${field}`,
    `Another resource of the configuration has the ${field} ${JSON.stringify(value)}, too. ${advice}`,
    [field],
  );
}

/** A new object would have the name of others in the account. */
export function nameTaken(
  kind: Kind,
  label: string,
  holders: readonly ListedObject[],
  diagnostics: Diagnostics,
): null {
  const several = holders.length > 1;
  const which = several ? `${holders.length} ${kind.collection}` : `a ${kind.name}`;
  const detail = [
    `To manage ${several ? "one of them" : "it"} here, import it: add this to the configuration, with the address of this resource for NAME.`,
    importBlocks(kind, holders),
    `If this resource made it and is half replaced under \`create_before_destroy\`: remove that setting, and run \`terraform state rm\` on the resource before the import. Otherwise choose another ${kind.label}. If another resource of the configuration is to give up this ${kind.label}, add it to depends_on.`,
  ].join("\n\n");
  diagnostics.error(`The account already has ${which} named ${JSON.stringify(label)}`, detail, [kind.label]);
  return null;
}

/** A change would give an object the name of others in the account. */
export function nameTakenByOther(
  kind: Kind,
  label: string,
  holders: readonly ListedObject[],
  diagnostics: Diagnostics,
): null {
  const ids = holders.map(({ id }) => id).join(", ");
  diagnostics.error(
    `The account already has another ${kind.name} named ${JSON.stringify(label)}`,
    `Its id is ${ids}. Choose another ${kind.label} for one of the two. If another resource of the configuration is to give up this ${kind.label}, add it to depends_on. To exchange ${kind.label}s, apply a third ${kind.label} for one of the two first.`,
    [kind.label],
  );
  return null;
}

/** The service refused the request; reported at the attribute that its message names. */
export function refused(kind: Kind, error: ServiceError, diagnostics: Diagnostics): null {
  const named = error.details.flatMap(({ loc }) => loc.split(".")).find((word) => word in kind.fields);
  const field = error.code === "name-taken" ? kind.label : named;
  diagnostics.error(
    `The service refused the ${kind.name}`,
    error.message,
    field === undefined ? [] : [field],
  );
  return null;
}

/** The object was changed after the plan was made. */
export function editedMeanwhile(kind: Kind, fields: readonly string[], diagnostics: Diagnostics): null {
  const changed = fields.length > 0 ? `Its ${fields.join(" and ")}` : "It";
  diagnostics.error(
    `The ${kind.name} was edited elsewhere`,
    `${changed} changed after the plan was made. Nothing was written. Plan again to see the edit.`,
    [fields[0] ?? kind.label],
  );
  return null;
}

/** The object that a plan would change does not exist any more. */
export function goneMeanwhile(kind: Kind, id: string, diagnostics: Diagnostics): null {
  diagnostics.error(
    `The ${kind.name} no longer exists`,
    `The account has no ${kind.name} ${id} any more. Plan again.`,
  );
  return null;
}

/** A write was sent, and it is unknown whether it was done. */
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
        ? `The account has objects that may be it, with other content. If one is, import it:\n\n${importBlocks(kind, candidates)}`
        : kind.list
          ? "The next plan looks for it by its name, and shows how to import it."
          : `It cannot be looked up: find it in the dashboard. If it is there, run \`terraform import avatarops_${kind.name}.NAME ID\` (if an old one is managed, run \`terraform state rm\` on it before). If it is not, apply again.`;
  diagnostics.error(`${action} outcome unknown`, `${error.message} ${next}`);
  return null;
}

/** A delete was sent, and was not done, or it is unknown whether it was. */
export function deleteOutcomeUnknown(
  kind: Kind,
  id: string,
  { outcome, error }: Extract<RemoveResult, { outcome: "still-there" | "unknown" }>,
  diagnostics: Diagnostics,
): void {
  const isThere = outcome === "still-there";
  diagnostics.error(
    isThere ? `The ${kind.name} is not deleted` : "Delete outcome unknown",
    `${error.message} ${isThere ? `The ${kind.name} ${id} is still there.` : ""} Apply again: a delete may be sent more than once.`,
  );
}

/** What a deleted object superseded stays in the account. */
export function supersededLeft(kind: Kind, ids: readonly string[], diagnostics: Diagnostics): void {
  if (ids.length === 0) return;
  diagnostics.warning(
    `The superseded ${kind.collection} are not deleted`,
    `They stay in the account, and no state has their ids any more: ${ids.join(", ")}.`,
  );
}

/** What leaves the configuration stays in the account. */
export function notDeleted(kind: Kind, prior: Values, diagnostics: Diagnostics): void {
  const before = Array.isArray(prior.superseded_ids) ? prior.superseded_ids.map(String) : [];
  const others = before.length > 0 ? ` It superseded ${before.join(", ")}, stored there as well.` : "";
  diagnostics.warning(
    `The ${kind.name} is forgotten, not deleted`,
    `${kind.afterForget} Its id is ${String(prior.id)}.${others}`,
  );
}

/** What was superseded stays in the account. */
export function supersededNotDeleted(kind: Kind, id: string, diagnostics: Diagnostics): void {
  diagnostics.warning(
    `The superseded ${kind.name} is not deleted`,
    `${kind.afterForget} Its id is ${id}; \`superseded_ids\` keeps it.`,
  );
}

/** The service shows nothing of the object. */
export function unobservable(kind: Kind, id: string, state: Values, diagnostics: Diagnostics): void {
  const label = state[kind.label];
  const known =
    typeof label === "string"
      ? `${JSON.stringify(label)} is its ${kind.label} as last applied; edits made elsewhere are not seen`
      : `its ${kind.label} is not known until it is applied`;
  diagnostics.warning(
    `Some ${kind.collection} cannot be seen`,
    `The service does not show the ${kind.name} ${id}: ${known}.`,
  );
}

/** Longer than some services store. */
export function veryLong(name: string, length: number, limit: number, diagnostics: Diagnostics): void {
  diagnostics.warning(
    `The ${name} is very long`,
    `It has ${length.toLocaleString("en")} characters. Some services cut what is longer than ${limit.toLocaleString("en")} characters without an error.`,
    [name],
  );
}

/** The import id is not an id. */
export function invalidImportId(kind: Kind, id: string, form: string, diagnostics: Diagnostics): null {
  diagnostics.error(
    "Invalid import id",
    `${JSON.stringify(id)} is not an id: a ${kind.name} is imported by its id. Ids are ${form}.`,
  );
  return null;
}

/** An imported object of which nothing can be compared. */
export function importedUnseen(kind: Kind, id: string, diagnostics: Diagnostics): void {
  diagnostics.warning(
    `The imported ${kind.name} cannot be compared`,
    `The service does not show what the ${kind.name} ${id} holds. It is recorded as configured, and nothing is sent. Later changes are noticed.`,
  );
}

/** A write-only value that is known only after apply. */
export function valueUnknown(kind: Kind, name: string, diagnostics: Diagnostics): void {
  diagnostics.warning(
    `Cannot tell yet whether ${name} changed`,
    `Its value is known only after apply. The ${kind.name} stays as it is. To send a new value anyway, set or change ${name}_version.`,
    [name],
  );
}

/** A write-only value whose fingerprint was made with another key. */
export function otherFingerprintKey(kind: Kind, name: string, diagnostics: Diagnostics): void {
  diagnostics.warning(
    `Cannot tell whether ${name} changed`,
    `Its fingerprint was made with another fingerprint_key. The ${kind.name} stays as it is. Give the provider the former key, or set ${name}_version once: that records a new fingerprint.`,
    [name],
  );
}

/** Ids belong to an account: those of another would all look as if they were gone. */
export function otherService(kind: Kind, recorded: string, baseUrl: string, diagnostics: Diagnostics): void {
  diagnostics.error(
    "The state belongs to another service",
    `It has this ${kind.name} from ${recorded}, and base_url of the provider is ${baseUrl}. Give each account its own state, such as a workspace. If it is the same account at another address, add former_base_urls = [${JSON.stringify(recorded)}] to the provider block.`,
  );
}

/** Blocks to paste, one for each object, oldest first; a provider does not know the address of a resource. */
function importBlocks(kind: Kind, listed: readonly ListedObject[]): string {
  const blocks = oldestFirst(listed).map((object) => importBlock(kind, object));
  return blocks.join("\n\n");
}

function importBlock(kind: Kind, { id, createdAt }: ListedObject): string {
  const made = createdAt ? ` # made ${createdAt}` : "";
  return `  import {\n    to = avatarops_${kind.name}.NAME\n    id = "${id}"${made}\n  }`;
}
