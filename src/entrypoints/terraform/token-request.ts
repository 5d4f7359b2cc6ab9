import {
  type Attribute,
  type AttributeProblem,
  type Attributes,
  type ClientCall,
  Decimal,
  type Diagnostics,
  Dynamic,
  type Type,
  Unknown,
  type Value,
} from "@avatarops/terraform-plugin";
import {
  isExactInJson,
  isOnlyField,
  type PresetField,
  type PresetFields,
  preset,
  presetReferences,
  presetTypes,
  profileKeys,
  withArticle,
} from "../../core/kinds/index.js";
import type { TokenResult } from "../../core/lifecycle/index.js";
import type { Account } from "./account/open-account.js";
import { reachable } from "./data-sources.js";
import { schemaProblems } from "./schema.js";
import { toJson, type Values } from "./values.js";

const types = {
  ...{ text: "string", id: "string", reference: "string", flag: "bool", number: "number", count: "number" },
  ...{ language: "string", texts: ["map", "string"], credential: "string" },
} as const satisfies Record<Exclude<PresetField["type"], "group">, Type>;

/** The attributes of a sandbox request: the body of a token request, spelled as the service spells it (§4.5). */
const { is_sandbox: _, ...requestAttributes } = toPresetAttributes(preset.fields);

export { requestAttributes };

function toPresetAttributes(fields: PresetFields): Attributes {
  const attributes = Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, Attribute] => {
      if (field.type === "group") {
        const attributes = toPresetAttributes(field.fields);
        return [name, { nesting: "single", optional: true, description: field.description, attributes }];
      }
      const description = field.note ? `${field.description} ${field.note}` : field.description;
      const check = (value: Value) => schemaProblems(presetTypes[field.type](), name, toJson(value) as Value);
      const hidden = field.type === "credential" ? ({ sensitive: true } as const) : {};
      return [name, { type: types[field.type], optional: true, ...hidden, description, validate: check }];
    }),
  );
  return { ...attributes, [preset.extra.key]: extraAttribute(fields) };
}

/** Warns of a session in which nothing answers. */
export function warnIfSilent(config: Values, diagnostics: Diagnostics): void {
  const { field, value, reference, instead, consequence } = preset.expects;
  let referenced: Value = config;
  for (const key of reference) {
    if (referenced === Unknown || referenced === null) break;
    referenced = (referenced as Values)[key] ?? null;
  }
  if (config[field] !== value || referenced !== null || (config[instead] ?? null) !== null) return;
  const extra = extraKeys(config[preset.extra.key] ?? null);
  if (!extra || extra.includes(instead)) return;
  const kind = presetReferences().find(({ into }) => into.join() === reference.join())?.kind;
  const [group, id] = reference;
  diagnostics.warning(
    `A ${value} session without ${kind ? withArticle(kind) : id}: ${consequence}`,
    `Set ${id} in ${group}.`,
    [field],
  );
}

/** Requests a sandbox token as configured; null after an error. */
export async function requestSession(
  call: ClientCall<Account>,
  config: Values,
): Promise<Extract<TokenResult, { outcome: "minted" }> | null> {
  const open = reachable(call);
  if (!open) return null;
  const { diagnostics } = call;
  const { sandboxAvatar } = open.settings;
  const place = ["avatar_id"];
  // Loaded here: most processes that terraform starts never ask for a token.
  const { requestToken } = await import("../../core/lifecycle/index.js");
  const result = await requestToken(open.service, toBody(config), {
    ...{ sandboxAvatar, sandbox: true },
    // What the interface does not have may be secret.
    confidential: isConfidential(config),
  });
  switch (result.outcome) {
    case "minted":
      return result;
    case "refused-in-sandbox":
      diagnostics.error(
        "The service refused the token",
        `${result.error.message} Sandbox mode accepts one avatar only: set sandbox_avatar of the provider to its id.`,
        place,
      );
      return null;
    case "no-avatar":
      diagnostics.error(
        "Sandbox mode needs an avatar",
        "Set avatar_id here, or sandbox_avatar of the provider.",
        place,
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
  }
}

/** The token request as configured, spelled as the service spells it. */
function toBody(config: Values, fields: PresetFields = preset.fields): Readonly<Record<string, unknown>> {
  const given = Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
    const value = config[name] ?? null;
    if (value === null) return [];
    return [[name, field.type === "group" ? toBody(value as Values, field.fields) : toJson(value)]];
  });
  const extra = toJson(config[preset.extra.key] ?? null, true);
  return { ...Object.fromEntries(given), ...(extra as object | null) };
}

function isConfidential(config: Values, fields: PresetFields = preset.fields): boolean {
  if ((config[preset.extra.key] ?? null) !== null) return true;
  return Object.entries(fields).some(([name, field]) => {
    const value = config[name] ?? null;
    if (value === null) return false;
    const isOffered = profileKeys.includes(name);
    return isOffered || (field.type === "group" && isConfidential(value as Values, field.fields));
  });
}

/** The attribute for what the service accepts in addition to these fields (§4.5): any object, sent as it is. */
function extraAttribute(fields: PresetFields): Attribute {
  return {
    type: "dynamic",
    optional: true,
    sensitive: true,
    description: `${preset.extra.description} An object, with null as null.`,
    validate(value) {
      const inner = withoutType(value);
      if (inner === Unknown) return [];
      if (!isObject(inner))
        return [{ summary: `${preset.extra.key} is not an object`, detail: "Write { key = value, … }." }];
      const own = Object.keys(inner).filter((key) => isOnlyField(key, fields));
      return [
        ...own.map((key) => ({
          summary: `${key} is an attribute of its own`,
          detail: `Set ${key} beside ${preset.extra.key}.`,
        })),
        ...inexact(inner),
      ];
    },
  };
}

/** The keys of an extra value; undefined while they are unknown. */
function extraKeys(value: Value): readonly string[] | undefined {
  const inner = withoutType(value);
  if (inner === Unknown) return undefined;
  return isObject(inner) ? Object.keys(inner) : [];
}

/** Numbers that JSON cannot hold: they would be sent rounded. */
function inexact(value: Value): AttributeProblem[] {
  const inner = withoutType(value);
  const isRounded =
    (inner instanceof Decimal || typeof inner === "bigint" || typeof inner === "number") &&
    !isExactInJson(toJson(inner) as number);
  if (isRounded) {
    const detail = "Write it as a text, if the service takes one.";
    return [{ summary: `A number in ${preset.extra.key} cannot be held exactly by JSON`, detail }];
  }
  if (Array.isArray(inner)) return inner.flatMap(inexact);
  return isObject(inner) ? Object.values(inner).flatMap(inexact) : [];
}

function withoutType(value: Value): Value {
  return value instanceof Dynamic ? withoutType(value.value) : value;
}

function isObject(value: Value): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Decimal);
}
