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
} from "../../core/kinds/index.js";
import type { TokenResult } from "../../core/lifecycle/index.js";
import type { ProviderClient } from "./account/open-account.js";
import { requireAccount } from "./data-sources.js";
import { findSchemaProblems, toType } from "./schema.js";
import { type AttributeValues, toJson } from "./values.js";

/** Attributes of a sandbox request, named like the fields of a token request (§4.5). */
const { is_sandbox: _, ...requestAttributes } = toPresetAttributes(preset.fields);

/** Action that checks whether a session can be started. */
export const smoke: Action<ProviderClient> = {
  description:
    "Checks that a session can be started: requests a sandbox session, which uses no credits and ends after about a minute, and looks for it among the active sessions. If the check fails, the apply fails, but its earlier changes stay.",
  attributes: {
    ...requestAttributes,
    timeout: {
      type: "number",
      optional: true,
      description: "Maximum time until the session is listed as active, in seconds. Default: 10.",
      validate: (value) =>
        Number(value) >= 0 && Number(value) <= 600 ? [] : [{ summary: "timeout must be 0 to 600 seconds" }],
    },
    require_listed: {
      type: "bool",
      optional: true,
      description: "Whether to fail instead of warning if the session is not listed in time. Default: false.",
    },
  },
  validate: ({ config, diagnostics }) => warnIfSilent(config, diagnostics),
  async invoke(call) {
    const { client, config, diagnostics, progress, signal } = call;
    progress("Requesting a sandbox session.");
    const minted = await requestSession(call, config);
    if (!minted || !client.account) return;
    const { sessionId } = minted;
    if (sessionId === undefined) {
      const detail =
        "Without the id, the session cannot be found among the active sessions. Look for the session in the dashboard.";
      diagnostics.warning("The token response contains no session id", detail);
      return;
    }
    progress(`Looking for session ${sessionId} among the active sessions.`);
    const { findSessions } = await import("../../sessions/reports/index.js");
    const found = await findSessions(client.account.reader, [sessionId], {
      patienceMs: Number(config.timeout ?? 10) * 1000,
      requireListed: config.require_listed === true,
      names: { patience: "timeout", requireListed: "require_listed" },
      monotonic: nodeSystem.monotonic,
      sleep: nodeSystem.sleep,
      signal,
    });
    const { status, problem } = found.get(sessionId) ?? {};
    if (!problem) return progress(`Session ${sessionId} is active.`);
    if (status === "warned") diagnostics.warning("The smoke check has a warning", problem.message);
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
      const check = (value: Value) =>
        findSchemaProblems(createPresetSchema(field), name, toJson(value) as Value);
      const type: Type = field.type === "map" ? ["map", "string"] : toType(field);
      const secrecy = field.type === "string" && field.writeOnly ? ({ sensitive: true } as const) : {};
      return [name, { type, optional: true, ...secrecy, description, validate: check }];
    }),
  );
}

/** Warns if the avatar would never reply in this session. */
function warnIfSilent(config: AttributeValues, diagnostics: Diagnostics): void {
  const { field, value, reference, instead, consequence } = preset.expects;
  let referenced: Value = config;
  for (const key of reference) {
    if (referenced === Unknown || referenced === null) break;
    referenced = (referenced as AttributeValues)[key] ?? null;
  }
  if (config[field] !== value || referenced !== null || (config[instead] ?? null) !== null) return;
  const kind = listPresetReferences().find(({ into }) => into.join() === reference.join())?.kind;
  const [group, id] = reference;
  diagnostics.warning(
    `A ${value} session has no ${kind?.name ?? id}, so ${consequence}`,
    `Set ${id} in ${group}.`,
    [field],
  );
}

/** Requests a sandbox token. If no token is issued, reports an error and returns null. */
async function requestSession(
  call: ClientCall<ProviderClient>,
  config: AttributeValues,
): Promise<Extract<TokenResult, { outcome: "minted" }> | null> {
  const account = requireAccount(call);
  if (!account) return null;
  const { diagnostics } = call;
  const { sandboxAvatar } = account.settings;
  const path = ["avatar_id"];
  // The token code is loaded on demand, because most provider processes do not request a token.
  const { requestToken } = await import("../../core/lifecycle/index.js");
  const result = await requestToken(account.service, toRequestBody(config), {
    ...{ sandboxAvatar, sandbox: true },
    // Undocumented fields may be secret.
    confidential: isConfidential(config),
  });
  switch (result.outcome) {
    case "minted":
      return result;
    case "refused-in-sandbox":
      diagnostics.error(
        "The service rejected the token request",
        `${result.error.message} Sandbox mode accepts only one avatar. Set its id as sandbox_avatar in the provider block.`,
        path,
      );
      return null;
    case "no-avatar":
      diagnostics.error(
        "Sandbox mode needs an avatar",
        "Set avatar_id here, or sandbox_avatar in the provider block.",
        path,
      );
      return null;
    case "no-token":
      diagnostics.error(
        "The token response contains no token",
        `Its keys are: ${result.keys.join(", ") || "none"}. Check base_url and the version of the service.`,
      );
      return null;
    case "unusable-token":
      diagnostics.error(
        "Invalid session token",
        "The token in the response contains a space, a control character or another invalid character. Check base_url.",
      );
      return null;
  }
}

function toRequestBody(
  config: AttributeValues,
  fields: PresetFields = preset.fields,
): Readonly<Record<string, unknown>> {
  const given = Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
    const value = config[name] ?? null;
    if (value === null) return [];
    return [
      [name, field.type === "object" ? toRequestBody(value as AttributeValues, field.parts) : toJson(value)],
    ];
  });
  return Object.fromEntries(given);
}

function isConfidential(config: AttributeValues, fields: PresetFields = preset.fields): boolean {
  return Object.entries(fields).some(([name, field]) => {
    const value = config[name] ?? null;
    if (value === null) return false;
    const needsProfile = profileKeys.includes(name);
    return needsProfile || (field.type === "object" && isConfidential(value as AttributeValues, field.parts));
  });
}
