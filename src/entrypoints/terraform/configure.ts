import { type ConfigCall, type Diagnostics, Unknown, type Value } from "@avatarops/terraform-plugin";
import {
  findUnreadableCertificates,
  isPinnedBy,
  parseAllowedHosts,
  parseProxy,
  trustAdvice,
} from "../../base/http/index.js";
import { nodeSystem } from "../../base/system/index.js";
import { findKeyProblem } from "../../core/api/index.js";
import { profileNames, valueSettings } from "../../core/kinds/index.js";
import { Sealed } from "../../core/secrets/index.js";
import { type Account, openAccount } from "./account/open-account.js";
import { normalizeAddress, readFormerUrls, readList } from "./addresses.js";
import { sentence } from "./schema.js";
import { drifts, type ProviderEnvironment, settings } from "./settings.js";

const fromEnvironment = { base_url: "AVATAROPS_BASE_URL", api_key: "AVATAROPS_API_KEY" } as const;

/** Opens the account of a provider block. Null, with an error reported, if the block is invalid. */
export function configureAccount(env: ProviderEnvironment, { config, diagnostics, signal, log }: ConfigCall) {
  const { system = nodeSystem, waits, environment, version, ownsProcess } = env;
  // With AVATAROPS_PIN, the configuration cannot choose the account, as in the CLI.
  const isPinned = isPinnedBy(environment);
  const setting = (name: keyof typeof fromEnvironment): Value => {
    const given = config[name] ?? null;
    const set = environment[fromEnvironment[name]] ?? null;
    if (!isPinned) return given ?? set;
    if (given !== null && given !== set)
      diagnostics.warning(
        `${name} of the provider is not used`,
        `AVATAROPS_PIN is set, so ${fromEnvironment[name]} decides.`,
        [name],
      );
    return set;
  };
  const address = setting("base_url");
  const apiKey = setting("api_key");
  const open: string[] = Object.keys(settings).filter((name) => config[name] === Unknown);
  if (open.length > 0 && [address, apiKey, config.profile].includes(Unknown)) {
    diagnostics.warning(
      "The service cannot be reached yet",
      `${open.join(" and ")} of the provider ${open.length > 1 ? "are" : "is"} known only after apply. Until then nothing is read: plans use the state alone and do not see edits made elsewhere.`,
      [open[0] ?? "base_url"],
    );
    return {} satisfies Account;
  }
  const url = readAddress(address, diagnostics);
  const hosts = parseAllowedHosts(environment, isPinned);
  const isWritten = !isPinned && (config.base_url ?? null) !== null;
  const problem = url && hosts?.check(url, isWritten ? "file" : "environment");
  if (problem) {
    diagnostics.error("Refused base_url", `The address of the service ${problem}.`, ["base_url"]);
    return null;
  }
  if (typeof apiKey !== "string" || apiKey === "") missing("api_key", diagnostics);
  if (url === undefined || typeof apiKey !== "string" || apiKey === "") return null;
  const unusable = findKeyProblem(apiKey);
  if (unusable) {
    diagnostics.error("Invalid api_key", sentence(unusable), ["api_key"]);
    return null;
  }
  const proxies = parseProxy(environment);
  if ("problem" in proxies) {
    diagnostics.error("Invalid proxy", proxies.problem);
    return null;
  }
  const { proxy } = proxies;
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === "0")
    // Node's own warning reaches only Terraform's log.
    diagnostics.warning(
      "Certificates are not checked",
      `NODE_TLS_REJECT_UNAUTHORIZED is 0: whoever is between here and the service can read the API key. Unset it. ${trustAdvice}`,
    );
  const unread = findUnreadableCertificates(environment);
  if (unread !== undefined)
    diagnostics.warning(
      "NODE_EXTRA_CA_CERTS is ignored",
      `It names ${unread}, which cannot be read. Correct the path, or unset NODE_EXTRA_CA_CERTS.`,
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
      // Earlier optimization would take a quarter of the provider's time in a plan of 100 objects.
      optimizeAfterMs: 5_000,
      proxy,
      onRequest: ({ method, path, status, error, durationMs, attempt }) =>
        log("debug", `${method} ${path}`, { answer: status ?? error ?? "none", durationMs, attempt }),
    },
    {
      allowedValues: Object.fromEntries(
        valueSettings.map(({ name }) => [name, (readList(config[name]) ?? []).map(String)]),
      ),
      profile: profileNames.find((profile) => profile === config.profile),
      drift: drifts.find((drift) => drift === config.drift) ?? "warn",
      formerUrls: readFormerUrls(config.former_base_urls, diagnostics),
      settleMs: waits?.settleMs,
      ...(fingerprintKey === undefined ? {} : { fingerprintKey: new Sealed(fingerprintKey) }),
      sandboxAvatar,
    },
  );
  return { open: account } satisfies Account;
}

/** Reads and normalizes the base URL. Undefined, with an error reported, if it is missing or invalid. */
function readAddress(address: Value, diagnostics: Diagnostics): string | undefined {
  if (typeof address !== "string" || address === "") {
    missing("base_url", diagnostics);
    return undefined;
  }
  const checked = normalizeAddress(address, diagnostics);
  if (checked?.exposesKey) {
    const detail = "base_url begins with http:// and is not on this machine. Write https://…";
    diagnostics.warning("The API key would travel unencrypted", detail, ["base_url"]);
  }
  return checked?.url;
}

function missing(name: keyof typeof fromEnvironment, diagnostics: Diagnostics): void {
  diagnostics.error(
    `Missing ${name}`,
    `Set ${name} in the provider block, or the environment variable ${fromEnvironment[name]}.`,
    [name],
  );
}

/** Reads a number. Undefined if it is unknown or null. */
function readNumber(value: Value | undefined): number | undefined {
  if (value === undefined || value === null || value === Unknown) return undefined;
  return Number(value);
}

function readText(value: Value | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
