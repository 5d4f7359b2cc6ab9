import type {
  Attributes,
  ClientCall,
  Diagnostics,
  PrivateState,
  Resource,
} from "@avatarops/terraform-plugin";
import type { Kind } from "../kinds/index.js";
import { idForm, isId } from "../shapes/index.js";
import { type Account, editKey, type OpenAccount } from "./account.js";
import { attributesOf, disallowed, supersedes } from "./attributes.js";
import { mayBeUnset, noLongerSet, warnOverwritten } from "./last-applied.js";
import { readOf } from "./reading.js";
import type { CreateCall, PlanCall, PlannedValues, SavedValues, UpdateCall } from "./resource-lifecycle.js";
import { isOfThisService } from "./same-service.js";
import { specOf, type Values } from "./values.js";

/*
 * A kind as a resource. What Terraform asks for is answered by what the kind can do: objects with a given id are
 * adopted, others are created, and what cannot be changed is superseded. Nothing here asks which kind it is.
 */

/** The resource of a kind. */
export function resourceOf(kind: Kind): Resource<Attributes, Account> {
  // Loaded when something is planned: most processes that terraform starts only tell the schema and check values.
  const way = async () => (await import("./ways.js")).lifecycleOf(kind);
  const resource: ResourceOfKind = {
    description: `${kind.description} ${lifecycleInWords(kind)} ${whenUnset(kind)}${kind.afterForget}`,
    attributes: attributesOf(kind),
    validate: ({ config, diagnostics }) => warnOfLength(kind, config, diagnostics),
    unset: ({ config, private: kept }) => noLongerSet(kind, config, kept),
    async modifyPlan(call) {
      const { client, prior, planned, diagnostics, private: kept } = call;
      if (prior && client.open && !isOfThisService(kind, kept, client.open, diagnostics)) return undefined;
      if (prior) client.open?.ownership.claim(kind, String(prior.id));
      if (!planned) return warnNotDeleted(kind, prior, diagnostics);
      if (!client.open) return undefined;
      refuseDisallowed(kind, planned, client.open, diagnostics);
      if (prior) {
        warnOverwritten(kind, { prior, planned, kept }, client.open.settings, diagnostics);
        client.open.unreportedEdits.delete(editKey(kind, String(prior.id)));
      }
      return (await way()).plan({ ...call, planned, open: client.open });
    },
    create: async (call) => (await way()).create({ ...call, open: openOf(call) }),
    read: readOf(kind),
    update: async (call) => (await way()).update({ ...call, open: openOf(call) }),
    async delete(call) {
      const { ownership } = openOf(call);
      // The half of a replacement is in no plan of its own. Of these, the next one is another object.
      if (supersedes(kind) || kind.identity === "adopted") warnNotDeleted(kind, call.prior, call.diagnostics);
      ownership.release(kind, String(call.prior.id), specOf(kind, call.prior));
      ownership.giveBack(kind, String(call.prior[kind.label]));
    },
    async importState({ id, diagnostics }) {
      if (uuid.test(id)) return { id: kind.identity === "adopted" ? id : id.toLowerCase() };
      // Only where the object is written once are ids plain texts (§2.6).
      if (supersedes(kind) && isId(id)) return { id };
      const ids = supersedes(kind) ? idForm : "UUIDs, 8-4-4-4-12 hex digits";
      diagnostics.error(
        `${kind.title}s are imported by id`,
        `${JSON.stringify(id)} is no id: ids are ${ids}.`,
      );
      return null;
    },
  };
  return resource as unknown as Resource<Attributes, Account>;
}

function lifecycleInWords(kind: Kind): string {
  if (supersedes(kind)) return "It is written once: a change of anything makes a new one, with another id.";
  if (kind.identity === "adopted") return "It exists already, and is adopted by its id.";
  return `One whose ${kind.label} is in the account already is to be imported: a create of a second one is refused. So do not replace one under \`create_before_destroy\`: without it, the same object is taken over.`;
}

function whenUnset(kind: Kind): string {
  const names = mayBeUnset(kind).map((name) => `\`${name}\``);
  if (names.length === 0) return "";
  return `Where ${names.join(" or ")} was never set, it stays as it is in the account; what was set at the last write and is set no longer is cleared. `;
}

/** The contract's resource with values by name: the attributes of a kind are known only when it runs. */
interface ResourceOfKind extends Pick<Resource<Attributes, Account>, "description" | "attributes"> {
  validate(call: { config: Values; diagnostics: Diagnostics }): void;
  unset(call: { config: Values; private: PrivateState }): readonly string[];
  modifyPlan(call: PlanArguments): Promise<PlannedValues | undefined>;
  create(call: Omit<CreateCall, "open">): Promise<SavedValues | null>;
  read: ReturnType<typeof readOf>;
  update(call: Omit<UpdateCall, "open">): Promise<SavedValues | null>;
  delete(call: ClientCall<Account> & { prior: Values }): Promise<void>;
  importState(call: ClientCall<Account> & { id: string }): Promise<Values | null>;
}

type PlanArguments = Omit<PlanCall, "open" | "planned"> & { readonly planned: Values | null };

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function openOf({ client }: ClientCall<Account>): OpenAccount {
  if (!client.open) throw new Error("Bug: something is applied before the provider's settings are known");
  return client.open;
}

function warnNotDeleted(kind: Kind, prior: Values | null, diagnostics: Diagnostics): undefined {
  if (!prior) return;
  const before = Array.isArray(prior.superseded_ids) ? prior.superseded_ids.map(String) : [];
  const others = before.length > 0 ? ` It superseded ${before.join(", ")}, stored there as well.` : "";
  diagnostics.warning(
    `The ${kind.name} is forgotten, not deleted`,
    `${kind.afterForget} Its id is ${String(prior.id)}.${others}`,
  );
}

function warnOfLength(kind: Kind, config: Values, diagnostics: Diagnostics): void {
  for (const [name, field] of Object.entries(kind.fields)) {
    const value = config[name];
    if (field.type !== "string" || field.warnAbove === undefined || typeof value !== "string") continue;
    if (value.length <= field.warnAbove) continue;
    diagnostics.warning(
      `The ${name} is very long`,
      `It has ${value.length.toLocaleString("en")} characters. Deployments were seen to cut what is longer than ${field.warnAbove.toLocaleString("en")} characters, without a word.`,
      [name],
    );
  }
}

/** Values that a setting of the provider adds to. */
function refuseDisallowed(
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
