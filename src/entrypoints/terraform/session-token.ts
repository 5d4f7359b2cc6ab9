import {
  type Attribute,
  type Attributes,
  definitionsFor,
  type Type,
  Unknown,
  type Value,
} from "@avatarops/terraform-plugin";
import {
  type PresetField,
  type PresetFields,
  preset,
  presetReferences,
  presetTypes,
  withArticle,
} from "../../core/kinds/index.js";
import type { Account } from "./account/open-account.js";
import { reachable } from "./data-sources.js";
import { extraAttribute, extraJson, extraKeys } from "./extra.js";
import { schemaProblems } from "./schema.js";
import { toJson, type Values } from "./values.js";

const types = {
  ...{ text: "string", id: "string", reference: "string", flag: "bool", number: "number", count: "number" },
} as const satisfies Record<Exclude<PresetField["type"], "group">, Type>;

/** The attributes of a request: the body of a token request, spelled as the service spells it (§4.5). */
const requestAttributes = toPresetAttributes(preset.fields);

function toPresetAttributes(fields: PresetFields): Attributes {
  const attributes = Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, Attribute] => {
      if (field.type === "group") {
        const attributes = toPresetAttributes(field.fields);
        return [name, { nesting: "single", optional: true, description: field.description, attributes }];
      }
      const description = field.note ? `${field.description} ${field.note}` : field.description;
      const check = (value: Value) => schemaProblems(presetTypes[field.type](), name, toJson(value) as Value);
      return [name, { type: types[field.type], optional: true, description, validate: check }];
    }),
  );
  return { ...attributes, [preset.extra.key]: extraAttribute(fields) };
}

/** A token to start one session with. */
export const sessionToken = definitionsFor<Account>().ephemeralResource({
  description:
    "A token that starts one session. A new one is created in every plan and every apply, and is never in a plan or a state: use it where values are not kept, such as write-only arguments and other providers.",
  attributes: {
    ...requestAttributes,
    session_id: {
      type: "string",
      computed: true,
      description: "Id of the session, if the service returns it.",
    },
    session_token: {
      type: "string",
      computed: true,
      sensitive: true,
      description: "The token. Whoever has it can start the session.",
    },
  },
  validate({ config, diagnostics }) {
    const { field, value, reference, instead, consequence } = preset.expects;
    let referenced: Value = config as Values;
    for (const key of reference) {
      if (referenced === Unknown || referenced === null) break;
      referenced = (referenced as Values)[key] ?? null;
    }
    if ((config as Values)[field] !== value || referenced !== null) return;
    const extra = extraKeys((config as Values)[preset.extra.key] ?? null);
    if (!extra || extra.includes(instead)) return;
    const kind = presetReferences().find(({ into }) => into.join() === reference.join())?.kind;
    const [group, id] = reference;
    diagnostics.warning(
      `A ${value} session without ${kind ? withArticle(kind) : id}: ${consequence}`,
      `Set ${id} in ${group}.`,
      [field],
    );
  },
  async open(call) {
    const open = reachable(call);
    if (!open) return null;
    const { diagnostics, config } = call;
    const { sandboxAvatar } = open.settings;
    // Loaded here: most processes that terraform starts never ask for a token.
    const { requestToken } = await import("../../core/lifecycle/index.js");
    // What is in `extra` may be secret.
    const confidential = hasExtra(config as Values);
    const result = await requestToken(open.service, toBody(config as Values), {
      sandboxAvatar,
      confidential,
    });
    switch (result.outcome) {
      case "refused-in-sandbox":
        diagnostics.error(
          "The service refused the token",
          `${result.error.message} Sandbox mode accepts one avatar only: set sandbox_avatar of the provider to its id.`,
          ["is_sandbox"],
        );
        return null;
      case "no-avatar":
        diagnostics.error(
          "Sandbox mode needs an avatar",
          "Set avatar_id here, or sandbox_avatar of the provider.",
          ["is_sandbox"],
        );
        return null;
      case "no-token":
        diagnostics.error(
          "The answer contains no token",
          `Its keys are ${result.keys.join(", ") || "none"}. Check base_url, and whether the service has another version.`,
        );
        return null;
      case "unusable-token":
        diagnostics.error(
          "Invalid session token",
          "The token in the answer contains a space, a control character or another that no token has. Check base_url.",
        );
        return null;
      case "minted":
        return {
          result: {
            ...config,
            session_id: result.sessionId ?? null,
            session_token: result.token.reveal(),
          },
        };
    }
  },
});

/** The token request as configured, spelled as the service spells it. */
function toBody(config: Values, fields: PresetFields = preset.fields): Readonly<Record<string, unknown>> {
  const given = Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
    const value = config[name] ?? null;
    if (value === null) return [];
    return [[name, field.type === "group" ? toBody(value as Values, field.fields) : toJson(value)]];
  });
  const extra = extraJson(config[preset.extra.key] ?? null);
  return { ...Object.fromEntries(given), ...(extra as object | null) };
}

function hasExtra(config: Values, fields: PresetFields = preset.fields): boolean {
  if ((config[preset.extra.key] ?? null) !== null) return true;
  return Object.entries(fields).some(([name, field]) => {
    const value = config[name] ?? null;
    return field.type === "group" && value !== null && hasExtra(value as Values, field.fields);
  });
}
