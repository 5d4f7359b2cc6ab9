import type { ClientCall, Diagnostics, Resource } from "@avatarops/terraform-plugin";
import { addArticle, idForm, isId, isUuid, toCanonicalId, uuidForm } from "../../base/text/index.js";
import { isManageable, isRemovable, type Kind, withProfile } from "../../core/kinds/index.js";
import type { OpenedAccount, ProviderClient } from "./account/open-account.js";
import { listClearableFields, listUnsetFields } from "./edits-elsewhere.js";
import { createPolicyAttributes, toAttributes } from "./schema.js";
import { stateUpgraders } from "./state-upgraders.js";
import { chooseStrategy } from "./strategy.js";
import { resourceTimeouts, runWithTimeout } from "./timeouts.js";
import type { AttributeValues } from "./values.js";

/*
 * Creates a resource from a kind. Objects with a given id are adopted, others are created, and objects that cannot be
 * updated are superseded. Nothing here depends on a specific kind.
 */

/**
 * Creates the resource for a kind. Loads the code for changes on demand, because most processes only send the schema
 * and validate.
 */
export function toResource(kind: Kind): Resource<ProviderClient> {
  const applyProfile = ({ client }: ClientCall<ProviderClient>) =>
    withProfile(kind, client.account?.settings.profile);
  return {
    description: `${kind.description} ${isManageable(kind) ? "" : "Needs a `profile` in the provider block. "}${describeStrategy(kind)} ${describeUnset(kind)}${isRemovable(kind) ? `A destroy leaves the ${kind.name} in the account unless \`on_removal\` is \`delete\`.` : kind.afterForget}`,
    attributes: { ...toAttributes(kind), ...createPolicyAttributes(kind), ...resourceTimeouts },
    stateUpgraders,
    validate: ({ config, diagnostics }) => warnAboutLength(kind, config, diagnostics),
    unset: ({ config, private: saved }) => listUnsetFields(kind, config, saved),
    async modifyPlan(call) {
      const { modifyPlan } = await import("./plan.js");
      const values = call.planned ?? call.prior;
      return runWithTimeout("read", call, values, (limited) => modifyPlan(applyProfile(limited), limited));
    },
    async create(call) {
      const { createResource } = await import("./write.js");
      return runWithTimeout("create", call, call.planned, (limited) =>
        createResource(applyProfile(limited), startApply(limited)),
      );
    },
    async read(call) {
      const { readObject } = await import("./read.js");
      return runWithTimeout("read", call, call.state, (limited) =>
        readObject(applyProfile(limited), limited),
      );
    },
    async update(call) {
      const { updateResource } = await import("./write.js");
      return runWithTimeout("update", call, call.planned, (limited) =>
        updateResource(applyProfile(limited), startApply(limited)),
      );
    },
    async delete(call) {
      const { deleteObject, forgetObject } = await import("./delete.js");
      const remove = call.prior.on_removal === "delete" ? deleteObject : forgetObject;
      await runWithTimeout("delete", call, call.prior, async (limited) =>
        remove(applyProfile(limited), startApply(limited)),
      );
    },
    importState: async ({ id, diagnostics }) => importObject(kind, id, diagnostics),
  };
}

function describeStrategy(kind: Kind): string {
  const strategy = chooseStrategy(kind);
  if (strategy === "rotate") return `Any change creates a new ${kind.name} with a different id.`;
  if (strategy === "adopt") return `The ${kind.name} must already exist. The resource adopts it by its id.`;
  return `If the account already has ${addArticle(kind.name)} with this ${kind.label}, import it, because the provider does not create a second one. Do not set \`create_before_destroy\`: a replacement adopts the same object again.`;
}

function describeUnset(kind: Kind): string {
  const names = listClearableFields(kind).map((name) => `\`${name}\``);
  if (names.length === 0) return "";
  return `If you never set ${names.join(" or ")}, the account's value is kept. If you remove a value that was applied, it is cleared. `;
}

function startApply<Call extends ClientCall<ProviderClient>>(
  call: Call,
): Call & { readonly account: OpenedAccount } {
  const { account } = call.client;
  if (!account) throw new Error("Bug: apply before the provider settings are known");
  account.plannedNames.startApply();
  account.ownership.startApply();
  return { ...call, account };
}

function warnAboutLength(kind: Kind, config: AttributeValues, diagnostics: Diagnostics): void {
  for (const [name, field] of Object.entries(kind.fields)) {
    const value = config[name];
    if (field.type !== "string" || field.warnAbove === undefined || typeof value !== "string") continue;
    if (value.length <= field.warnAbove) continue;
    const [length, limit] = [value.length, field.warnAbove].map((count) => count.toLocaleString("en"));
    diagnostics.warning(
      `The ${name} is very long`,
      `It has ${length} characters. Some services silently truncate values to ${limit} characters, so shorten it.`,
      [name],
    );
  }
}

/** Returns an imported object's state. It contains only the id, because Terraform reads the object next. */
function importObject(kind: Kind, id: string, diagnostics: Diagnostics): AttributeValues | null {
  // Ids of secrets need not be UUIDs (§2.6).
  const allowsAnyId = chooseStrategy(kind) === "rotate";
  if (allowsAnyId ? isId(id) : isUuid(id)) return { id: toCanonicalId(id) };
  diagnostics.error(
    "Invalid import ID",
    `${JSON.stringify(id)} is not the id of ${addArticle(kind.name)}. Use ${allowsAnyId ? idForm : uuidForm}.`,
  );
  return null;
}
