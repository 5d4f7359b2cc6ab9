import type { AttributeProblem, Attributes, Value, ValueRecord } from "@avatarops/terraform-plugin";
import type { System } from "../../base/system/index.js";
import { profileNames, valueSettings } from "../../core/kinds/index.js";

/** What the provider may use of its environment; given by the one file that touches the process. */
export interface ProviderEnvironment {
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Nothing else runs in the process: see `ServiceOptions`. */
  readonly ownsProcess?: boolean;
  /** Default: that of the process. */
  readonly system?: System;
  /** Shorter waits than the defaults, for tests. */
  readonly waits?: { readonly backoffMs?: number; readonly settleMs?: number };
}

/** What a plan does that would overwrite an edit made elsewhere. */
export const drifts = ["warn", "refuse", "overwrite"] as const;

/** Lists of values that a kind's fields allow in addition to the documented ones. */
const valueLists: Attributes = Object.fromEntries(
  valueSettings.map(({ name, description }) => [
    name,
    { type: ["list", "string"], optional: true, description },
  ]),
);

/** The provider block: spelled as `service:` in the manifest. */
export const settings: Attributes = {
  base_url: {
    type: "string",
    optional: true,
    description: "Address of the service. Default: the environment variable `AVATAROPS_BASE_URL`.",
  },
  api_key: {
    type: "string",
    optional: true,
    sensitive: true,
    description: "API key. Default: the environment variable `AVATAROPS_API_KEY`.",
    validate: (value) => (value === "" ? [{ summary: "api_key is empty" }] : []),
  },
  requests_per_second: {
    type: "number",
    optional: true,
    description: "Requests started per second, at most. Default: what the service allows.",
    validate: (value) => above0("requests_per_second", value),
  },
  concurrency: {
    type: "number",
    optional: true,
    description: "Requests in flight at once, at most. Default: 10, as many as Terraform asks for at once.",
    validate: (value) => above0("concurrency", value, 100),
  },
  timeout_seconds: {
    type: "number",
    optional: true,
    description: "How long one request may take. Default: 30.",
    validate: (value) => above0("timeout_seconds", value, 3_600),
  },
  success_codes: {
    type: ["list", "number"],
    optional: true,
    description: "Envelope codes that mean success. Default: 100 and 1000.", // §2.1
    validate: checkCodes,
  },
  ignore_list_counts: {
    type: "bool",
    optional: true,
    description: "Ignore the `count` of lists, for services whose count is wrong. Default: false.", // §2.2
  },
  ...valueLists,
  sandbox_avatar: {
    type: "string",
    optional: true,
    description: "Id of the avatar that sandbox sessions use.", // §8
  },
  profile: {
    type: "string",
    optional: true,
    description:
      "What the deployment of the service offers beyond the service's document, such as deleting contexts and listing secrets: `liveavatar`. Default: nothing.",
    validate: (value) => checkChoice("profile", value, profileNames),
  },
  drift: {
    type: "string",
    optional: true,
    description:
      "What a plan does that would overwrite an edit made elsewhere, such as in the dashboard: `warn`, `refuse` with an error, or `overwrite` silently. Default: `warn`.",
    validate: (value) => checkChoice("drift", value, drifts),
  },
  former_base_urls: {
    type: ["list", "string"],
    optional: true,
    description:
      "Addresses that this same account had before. Ids belong to an account: an object that the state has from an address that is neither `base_url` nor one of these is refused, and not created again.",
  },
  fingerprint_key: {
    type: "string",
    optional: true,
    sensitive: true,
    description:
      "Mixed into the fingerprints of secret values that are kept beside the state. With a long random key, somebody who has only the state cannot guess values.",
  },
};

/** Whether a provider block writes an address of the service. */
export function hasAddress({ base_url, former_base_urls }: ValueRecord): boolean {
  return typeof base_url === "string" || Array.isArray(former_base_urls);
}

function checkCodes(value: Value): AttributeProblem[] {
  const codes = Array.isArray(value) ? value : [];
  if (codes.length > 0 && codes.every(Number.isInteger)) return [];
  return [{ summary: "success_codes must be one or more whole numbers" }];
}

function checkChoice(name: string, value: Value, known: readonly string[]): AttributeProblem[] {
  if (known.some((one) => one === value)) return [];
  return [{ summary: `${name} must be one of ${known.map((one) => `"${one}"`).join(", ")}` }];
}

function above0(name: string, value: Value, most = Number.POSITIVE_INFINITY): AttributeProblem[] {
  if (Number(value) > 0 && Number(value) <= most) return [];
  return [{ summary: `${name} must be above 0${Number.isFinite(most) ? ` and up to ${most}` : ""}` }];
}
