import {
  type Action,
  type Attribute,
  type Attributes,
  type ClientCall,
  type Diagnostics,
  type Type,
  Unknown,
  type Value,
} from "@avatarops/terraform-plugin";
import { nodeSystem } from "../../base/system/index.js";
import {
  createPresetSchema,
  listPresetReferences,
  type PresetFields,
  preset,
  profileKeys,
  withArticle,
} from "../../core/kinds/index.js";
import type { TokenResult } from "../../core/lifecycle/index.js";
import type { Account } from "./account/open-account.js";
import { findAccount } from "./data-sources.js";
import { schemaProblems, toType } from "./schema.js";
import { toJson, type Values } from "./values.js";

/** The attributes of a sandbox request: the body of a token request, spelled as the service spells it (§4.5). */
const { is_sandbox: _, ...requestAttributes } = toPresetAttributes(preset.fields);

/** Checks that a session can be started, at a moment of the user's choice. */
export const smoke: Action<Account> = {
  description:
    "Checks that a session can be started: requests a sandbox session, which uses no credits and ends after about a minute, and looks for it among the active ones. If there is none, the apply fails; what it has changed stays.",
  attributes: {
    ...requestAttributes,
    timeout: {
      type: "number",
      optional: true,
      description: "How long the session may take to be listed as active, in seconds. Default: 10.",
      validate: (value) =>
        Number(value) >= 0 && Number(value) <= 600
          ? []
          : [{ summary: "timeout is not from 0 to 600", detail: "It is in seconds." }],
    },
    require_listed: {
      type: "bool",
      optional: true,
      description: "Whether it is an error, and not a warning, if the session is not listed in time.",
    },
  },
  validate: ({ config, diagnostics }) => warnIfSilent(config, diagnostics),
  async invoke(call) {
    const { client, config, diagnostics, progress, signal } = call;
    progress("Requesting a sandbox session.");
    const minted = await requestSession(call, config);
    if (!minted || !client.open) return;
    const { sessionId } = minted;
    if (sessionId === undefined) {
      const detail = "It cannot be looked for among the active sessions.";
      diagnostics.warning("The answer has a token, but no id of the session", detail);
      return;
    }
    progress(`Looking for session ${sessionId} among the active ones.`);
    const { findSessions } = await import("../../sessions/reports/index.js");
    const found = await findSessions(client.open.reader, [sessionId], {
      patienceMs: Number(config.timeout ?? 10) * 1000,
      requireListed: config.require_listed === true,
      names: { patience: "timeout", requireListed: "require_listed" },
      sleep: nodeSystem.sleep,
      signal,
    });
    const { status, problem } = found.get(sessionId) ?? {};
    if (!problem) return progress(`Session ${sessionId} is active.`);
    if (status === "warned") diagnostics.warning("The sandbox session was not seen active", problem.message);
    else diagnostics.error("The smoke check failed", problem.message);
  },
};

function toPresetAttributes(fields: PresetFields): Attributes {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, Attribute] => {
      if (field.type === "object") {
        const attributes = toPresetAttributes(field.parts);
        return [name, { nesting: "single", optional: true, description: field.description, attributes }];
      }
      const description = field.note ? `${field.description} ${field.note}` : field.description;
      const check = (value: Value) => schemaProblems(createPresetSchema(field), name, toJson(value) as Value);
      const type: Type = field.type === "map" ? ["map", "string"] : toType(field);
      const hidden = field.type === "string" && field.writeOnly ? ({ sensitive: true } as const) : {};
      return [name, { type, optional: true, ...hidden, description, validate: check }];
    }),
  );
}

/** Warns of a session in which nothing answers. */
function warnIfSilent(config: Values, diagnostics: Diagnostics): void {
  const { field, value, reference, instead, consequence } = preset.expects;
  let referenced: Value = config;
  for (const key of reference) {
    if (referenced === Unknown || referenced === null) break;
    referenced = (referenced as Values)[key] ?? null;
  }
  if (config[field] !== value || referenced !== null || (config[instead] ?? null) !== null) return;
  const kind = listPresetReferences().find(({ into }) => into.join() === reference.join())?.kind;
  const [group, id] = reference;
  diagnostics.warning(
    `A ${value} session without ${kind ? withArticle(kind) : id}: ${consequence}`,
    `Set ${id} in ${group}.`,
    [field],
  );
}

/** Requests a sandbox token as configured; null after an error. */
async function requestSession(
  call: ClientCall<Account>,
  config: Values,
): Promise<Extract<TokenResult, { outcome: "minted" }> | null> {
  const open = findAccount(call);
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
    return [[name, field.type === "object" ? toBody(value as Values, field.parts) : toJson(value)]];
  });
  return Object.fromEntries(given);
}

function isConfidential(config: Values, fields: PresetFields = preset.fields): boolean {
  return Object.entries(fields).some(([name, field]) => {
    const value = config[name] ?? null;
    if (value === null) return false;
    const isOffered = profileKeys.includes(name);
    return isOffered || (field.type === "object" && isConfidential(value as Values, field.parts));
  });
}
