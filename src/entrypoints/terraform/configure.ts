import { type ConfigCall, type Diagnostics, Unknown, type Value } from "@avatarops/terraform-plugin";
import {
  findCertificateProblem,
  isPinnedBy,
  parseAllowedHosts,
  parseProxy,
  trustAdvice,
} from "../../base/http/index.js";
import { nodeSystem } from "../../base/system/index.js";
import { findKeyProblem } from "../../core/api/index.js";
import { profileNames, valueSettings } from "../../core/kinds/index.js";
import { findReasonNotAValue, Sealed } from "../../core/secrets/index.js";
import { openAccount, type ProviderClient } from "./account/open-account.js";
import { normalizeBaseUrl, readFormerUrls, readList } from "./base-urls.js";
import { toSentence } from "./schema.js";
import { driftModes, type ProviderEnvironment, settings } from "./settings.js";

const environmentNames = { base_url: "AVATAROPS_BASE_URL", api_key: "AVATAROPS_API_KEY" } as const;

/** Opens a provider block's account. Reports an error and returns null if the block is invalid. */
export function configureAccount(env: ProviderEnvironment, { config, diagnostics, signal, log }: ConfigCall) {
  const { system = nodeSystem, waits, environment, version, ownsProcess } = env;
  // With AVATAROPS_PIN, the configuration cannot choose the account, as in the CLI.
  const isPinned = isPinnedBy(environment);
  const readSetting = (name: keyof typeof environmentNames): Value => {
    const given = config[name] ?? null;
    const set = environment[environmentNames[name]] ?? null;
    if (!isPinned) return given ?? set;
    if (given !== null && given !== set)
      diagnostics.warning(
        `${name} in the provider block is ignored`,
        `AVATAROPS_PIN is set, so ${environmentNames[name]} is used instead. Remove ${name} from the block, or unset AVATAROPS_PIN.`,
        [name],
      );
    return set;
  };
  const baseUrl = readSetting("base_url");
  const apiKey = readSetting("api_key");
  const unknownSettings: string[] = Object.keys(settings).filter((name) => config[name] === Unknown);
  if (unknownSettings.length > 0 && [baseUrl, apiKey, config.profile].includes(Unknown)) {
    diagnostics.warning(
      "The account cannot be read yet",
      `${unknownSettings.join(" and ")} in the provider block ${unknownSettings.length > 1 ? "are" : "is"} known only after apply, so plans use the state alone and do not show dashboard edits. To compare with the account, use known values, or first apply the resources that provide these settings.`,
      [unknownSettings[0] ?? "base_url"],
    );
    return {} satisfies ProviderClient;
  }
  const url = readBaseUrl(baseUrl, diagnostics);
  const hosts = parseAllowedHosts(environment, isPinned);
  const isWritten = !isPinned && (config.base_url ?? null) !== null;
  const problem = url && hosts?.check(url, isWritten ? "file" : "environment");
  if (problem) {
    diagnostics.error("base_url is not allowed", `The base URL ${problem}.`, ["base_url"]);
    return null;
  }
  if (typeof apiKey !== "string" || apiKey === "") reportMissing("api_key", diagnostics);
  if (url === undefined || typeof apiKey !== "string" || apiKey === "") return null;
  const reason = findReasonNotAValue(apiKey);
  const keyProblem = reason === undefined ? findKeyProblem(apiKey) : `the API key ${reason}`;
  if (keyProblem) {
    diagnostics.error("Invalid api_key", toSentence(keyProblem), ["api_key"]);
    return null;
  }
  const proxies = parseProxy(environment);
  if ("problem" in proxies) {
    diagnostics.error("Invalid proxy", proxies.problem);
    return null;
  }
  const { proxy } = proxies;
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === "0")
    // Node's own warning appears only in Terraform's log.
    diagnostics.warning(
      "TLS certificates are not checked",
      `NODE_TLS_REJECT_UNAUTHORIZED is 0, so anyone on the network path can read the API key. Unset it. ${trustAdvice}`,
    );
  const certificateProblem = findCertificateProblem(environment.NODE_EXTRA_CA_CERTS);
  if (certificateProblem !== undefined)
    diagnostics.warning(
      "NODE_EXTRA_CA_CERTS is ignored",
      `${toSentence(certificateProblem.problem)} ${certificateProblem.remedy}`,
    );
  const fingerprintKey = readText(config.fingerprint_key);
  const sandboxAvatar = readText(config.sandbox_avatar);
  const timeoutSeconds = readNumber(config.timeout_seconds);
  const account = openAccount(
    {
      baseUrl: url,
      apiKey,
      successCodes: readList(config.success_codes)?.map(Number),
      ignoreListCounts: config.ignore_list_counts === true,
      concurrency: readNumber(config.concurrency),
      requestsPerSecond: readNumber(config.requests_per_second),
      timeoutMs: timeoutSeconds && timeoutSeconds * 1000,
      backoffMs: waits?.backoffMs,
      signal,
      system,
      version,
      ownsProcess,
      // Earlier V8 optimization would cost a quarter of the provider's run time in a plan of 100 objects.
      optimizeAfterMs: 5_000,
      proxy,
      onRequest: ({ method, path, status, error, durationMs, attempt }) =>
        log("debug", `${method} ${path}`, { response: status ?? error ?? "none", durationMs, attempt }),
    },
    {
      allowedValues: Object.fromEntries(
        valueSettings.map(({ name }) => [name, (readList(config[name]) ?? []).map(String)]),
      ),
      profile: profileNames.find((profile) => profile === config.profile),
      drift: driftModes.find((drift) => drift === config.drift) ?? "warn",
      formerUrls: readFormerUrls(config.former_base_urls, diagnostics),
      settleMs: waits?.settleMs,
      ...(fingerprintKey === undefined ? {} : { fingerprintKey: new Sealed(fingerprintKey) }),
      sandboxAvatar,
    },
  );
  return { account } satisfies ProviderClient;
}

/** Reads and normalizes the base URL. Reports an error and returns undefined if it is missing or invalid. */
function readBaseUrl(value: Value, diagnostics: Diagnostics): string | undefined {
  if (typeof value !== "string" || value === "") {
    reportMissing("base_url", diagnostics);
    return undefined;
  }
  const checked = normalizeBaseUrl(value, diagnostics);
  if (checked?.exposesKey) {
    const detail = "base_url is on another machine and begins with http://. Use https://.";
    diagnostics.warning("base_url sends the API key unencrypted", detail, ["base_url"]);
  }
  return checked?.url;
}

function reportMissing(name: keyof typeof environmentNames, diagnostics: Diagnostics): void {
  diagnostics.error(
    `Missing ${name}`,
    `Set ${name} in the provider block, or set the environment variable ${environmentNames[name]}.`,
    [name],
  );
}

/** Reads a number. Returns undefined if it is unknown, null or missing. */
function readNumber(value: Value | undefined): number | undefined {
  if (value === undefined || value === null || value === Unknown) return undefined;
  return Number(value);
}

function readText(value: Value | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
