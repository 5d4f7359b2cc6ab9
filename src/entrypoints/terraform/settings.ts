import type { AttributeProblem, Attributes, Value, ValueRecord } from "@avatarops/terraform-plugin";
import type { System } from "../../base/system/index.js";
import { profileNames, valueSettings } from "../../core/kinds/index.js";

/** The provider's process environment, passed in by `main.ts`. */
export interface ProviderEnvironment {
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether nothing else runs in the process. See `ServiceOptions`. */
  readonly ownsProcess?: boolean;
  /** Source of time, timers and random values. Default: the real system. */
  readonly system?: System;
  /** Shorter waits than the defaults, for tests. */
  readonly waits?: { readonly backoffMs?: number; readonly settleMs?: number };
}

/** Reactions to a dashboard edit that a plan would overwrite. */
export const driftModes = ["warn", "refuse", "overwrite"] as const;

/** Attributes that extend the allowed values of a kind's fields. */
const valueLists: Attributes = Object.fromEntries(
  valueSettings.map(({ name, description }) => [
    name,
    { type: ["list", "string"], optional: true, description },
  ]),
);

const emptyUrlAdvice =
  "Write it like https://api.example.com, or remove it to use the environment variable AVATAROPS_BASE_URL.";

/** Provider block attributes, named as in the manifest's `service:`. */
export const settings: Attributes = {
  base_url: {
    type: "string",
    optional: true,
    description: "Base URL of the service. Default: the environment variable `AVATAROPS_BASE_URL`.",
    validate: (value) => (value === "" ? [{ summary: "base_url is empty", detail: emptyUrlAdvice }] : []),
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
    description: "Maximum number of requests started per second. Default: as many as the service allows.",
    validate: (value) => checkPositive("requests_per_second", value),
  },
  concurrency: {
    type: "number",
    optional: true,
    description:
      "Maximum number of concurrent requests, up to 100. Default: 10, like Terraform's `-parallelism`.",
    validate: (value) => checkPositive("concurrency", value, 100),
  },
  timeout_seconds: {
    type: "number",
    optional: true,
    description: "Time limit for one request, in seconds. Default: 30.",
    validate: (value) => checkPositive("timeout_seconds", value, 3_600),
  },
  success_codes: {
    type: ["list", "number"],
    optional: true,
    description: "Envelope codes that mean success. Default: 100 and 1000.", // Documented in §2.1.
    validate: checkCodes,
  },
  ignore_list_counts: {
    type: "bool",
    optional: true,
    description: "Whether to ignore the `count` of lists, for services whose count is wrong. Default: false.", // Documented in §2.2.
  },
  ...valueLists,
  sandbox_avatar: {
    type: "string",
    optional: true,
    description: "Id of the avatar that sandbox sessions use.", // The sandbox avatar is documented in §8.
  },
  profile: {
    type: "string",
    optional: true,
    description:
      "Profile with the extra features of this deployment, such as deleting contexts and listing secrets. Allowed: `liveavatar`. Default: none.",
    validate: (value) => checkChoice("profile", value, profileNames),
  },
  drift: {
    type: "string",
    optional: true,
    description:
      "How to handle a plan that would overwrite an edit made elsewhere, such as in the dashboard: `warn`, `refuse` (an error) or `overwrite` (no message). Default: `warn`.",
    validate: (value) => checkChoice("drift", value, driftModes),
  },
  former_base_urls: {
    type: ["list", "string"],
    optional: true,
    description:
      "Former base URLs of the same account. If the state recorded an object under any URL other than these and `base_url`, the plan fails instead of creating the object again.",
  },
  fingerprint_key: {
    type: "string",
    optional: true,
    sensitive: true,
    description:
      "Long random key that is mixed into the fingerprints of secret values, so that values cannot be guessed from the state alone.",
  },
};

/** Returns whether a provider block contains a current base URL or former ones. */
export function hasBaseUrl({ base_url, former_base_urls }: ValueRecord): boolean {
  return typeof base_url === "string" || Array.isArray(former_base_urls);
}

function checkCodes(value: Value): AttributeProblem[] {
  const codes = Array.isArray(value) ? value : [];
  if (codes.length > 0 && codes.every(Number.isInteger)) return [];
  return [{ summary: "success_codes must be a list of one or more integers" }];
}

function checkChoice(name: string, value: Value, choices: readonly string[]): AttributeProblem[] {
  if (choices.some((choice) => choice === value)) return [];
  return [{ summary: `${name} must be one of ${choices.map((choice) => `"${choice}"`).join(", ")}` }];
}

function checkPositive(name: string, value: Value, max = Number.POSITIVE_INFINITY): AttributeProblem[] {
  if (Number(value) > 0 && Number(value) <= max) return [];
  return [{ summary: `${name} must be above 0${Number.isFinite(max) ? ` and at most ${max}` : ""}` }];
}
