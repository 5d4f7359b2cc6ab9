import type { ClientCall, Diagnostics, Resource } from "@avatarops/terraform-plugin";
import { idForm, isId, isUuid, toCanonicalId, uuidForm } from "../../base/text/index.js";
import { isManageable, isRemovable, type Kind, withProfile } from "../../core/kinds/index.js";
import type { Account, OpenAccount } from "./account/open-account.js";
import { listClearableFields, listUnsetFields } from "./last-applied.js";
import { policyAttributes, toAttributes } from "./schema.js";
import { stateUpgraders } from "./state-upgraders.js";
import { chooseStrategy } from "./strategy.js";
import { resourceTimeouts, withinTimeout } from "./timeouts.js";
import type { Values } from "./values.js";

/*
 * A kind as a resource. What Terraform asks for is answered by what the kind can do: objects with a given id are
 * adopted, others are created, and what cannot be changed is superseded. Nothing here asks which kind it is.
 */

/** The resource of a kind. Its operations are loaded when they are called: most processes only send the schema and check values. */
export function toResource(kind: Kind): Resource<Account> {
  const offered = ({ client }: ClientCall<Account>) => withProfile(kind, client.open?.settings.profile);
  return {
    description: `${kind.description} ${isManageable(kind) ? "" : "Needs a `profile` of the provider. "}${describeStrategy(kind)} ${whenUnset(kind)}${isRemovable(kind) ? `A destroy leaves the ${kind.name} in the account, unless \`on_removal\` says otherwise.` : kind.afterForget}`,
    attributes: { ...toAttributes(kind), ...policyAttributes(kind), ...resourceTimeouts },
    stateUpgraders,
    validate: ({ config, diagnostics }) => warnOfLength(kind, config, diagnostics),
    unset: ({ config, private: saved }) => listUnsetFields(kind, config, saved),
    async modifyPlan(call) {
      const { modifyPlan } = await import("./plan.js");
      const values = call.planned ?? call.prior;
      return withinTimeout("read", call, values, (limited) => modifyPlan(offered(limited), limited));
    },
    async create(call) {
      const { createResource } = await import("./write.js");
      return withinTimeout("create", call, call.planned, (limited) =>
        createResource(offered(limited), withAccount(limited)),
      );
    },
    async read(call) {
      const { readObject } = await import("./read.js");
      return withinTimeout("read", call, call.state, (limited) => readObject(offered(limited), limited));
    },
    async update(call) {
      const { updateResource } = await import("./write.js");
      return withinTimeout("update", call, call.planned, (limited) =>
        updateResource(offered(limited), withAccount(limited)),
      );
    },
    async delete(call) {
      const { deleteObject, forgetObject } = await import("./delete.js");
      const end = call.prior.on_removal === "delete" ? deleteObject : forgetObject;
      await withinTimeout("delete", call, call.prior, async (limited) =>
        end(offered(limited), withAccount(limited)),
      );
    },
    importState: async ({ id, diagnostics }) => importObject(kind, id, diagnostics),
  };
}

function describeStrategy(kind: Kind): string {
  const strategy = chooseStrategy(kind);
  if (strategy === "rotate") return "It is written once: any change creates a new one with another id.";
  if (strategy === "adopt") return "It exists already, and is adopted by its id.";
  return `If the account already has one with this ${kind.label}, import it: creating a second one is refused. Do not replace one under \`create_before_destroy\`: without it, the same object is adopted again.`;
}

function whenUnset(kind: Kind): string {
  const names = listClearableFields(kind).map((name) => `\`${name}\``);
  if (names.length === 0) return "";
  return `If ${names.join(" or ")} was never set, it stays as it is in the account; if it was set at the last write and no longer is, it is cleared. `;
}

function withAccount<Call extends ClientCall<Account>>(call: Call): Call & { readonly open: OpenAccount } {
  const { open } = call.client;
  if (!open) throw new Error("Bug: something is applied before the provider's settings are known");
  open.plannedNames.startApply();
  return { ...call, open };
}

function warnOfLength(kind: Kind, config: Values, diagnostics: Diagnostics): void {
  for (const [name, field] of Object.entries(kind.fields)) {
    const value = config[name];
    if (field.type !== "string" || field.warnAbove === undefined || typeof value !== "string") continue;
    if (value.length <= field.warnAbove) continue;
    const [length, limit] = [value.length, field.warnAbove].map((many) => many.toLocaleString("en"));
    diagnostics.warning(
      `The ${name} is very long`,
      `It has ${length} characters. Some services cut what is longer than ${limit} characters without an error.`,
      [name],
    );
  }
}

/** The state of an object to import, which has only its id; it is read next. */
function importObject(kind: Kind, id: string, diagnostics: Diagnostics): Values | null {
  // Only the ids of secrets may be other texts (§2.6).
  const isPlain = chooseStrategy(kind) === "rotate";
  if (isPlain ? isId(id) : isUuid(id)) return { id: toCanonicalId(id) };
  diagnostics.error(
    "Invalid import ID",
    `${JSON.stringify(id)} is not the id of a ${kind.name}: it must be ${isPlain ? idForm : uuidForm}.`,
  );
  return null;
}
