import { checkBaseUrl } from "../api/index.js";
import { Sealed } from "../secrets/index.js";
import { type Account, openAccount } from "./account.js";
import { type Attributes, type Call, type Complaint, Decimal, Unknown, type Value } from "./plugin/index.js";
import type { Values } from "./values.js";

/** What the provider may use of the world; given by the one file that touches the process. */
export interface World {
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Wall clock in ms. Default: the system's. */
  readonly now?: () => number;
  /** Shorter than the defaults, where waiting has no sense. */
  readonly waits?: { readonly backoffMs?: number; readonly settleMs?: number };
}

/** The provider block: spelled as `service:` in the manifest. */
export const settings = {
  base_url: {
    type: "string",
    optional: true,
    description: "Address of the service. Default: the environment variable `AVATAROPS_BASE_URL`.",
    check: (value) => {
      const checked = checkBaseUrl(String(value));
      return "problem" in checked
        ? [{ summary: `base_url ${checked.problem}`, detail: `Please ${checked.hint}.` }]
        : [];
    },
  },
  api_key: {
    type: "string",
    optional: true,
    sensitive: true,
    description: "API key. Default: the environment variable `AVATAROPS_API_KEY`.",
    check: (value) => (value === "" ? [{ summary: "api_key is empty" }] : []),
  },
  requests_per_second: {
    type: "number",
    optional: true,
    description: "Requests begun in one second, at most. Default: what the service allows.",
    check: (value) => between(value, { above: 0 }),
  },
  concurrency: {
    type: "number",
    optional: true,
    description: "Requests under way at once, at most. Default: 8.",
    check: (value) => between(value, { above: 0, upTo: 100, whole: true }),
  },
  timeout_seconds: {
    type: "number",
    optional: true,
    description: "How long one request may take. Default: 30.",
    check: (value) => between(value, { above: 0, upTo: 3600 }),
  },
  success_codes: {
    type: ["list", "number"],
    optional: true,
    description: "Envelope codes that mean success (§2.1). Default: 100 and 1000.",
  },
  secret_types: {
    type: ["list", "string"],
    optional: true,
    description: "Secret types the service knows beyond those of the document.",
  },
  sandbox_avatar: {
    type: "string",
    optional: true,
    description: "Id of the avatar that sandbox sessions use (§8).",
  },
  fingerprint_key: {
    type: "string",
    optional: true,
    sensitive: true,
    description:
      "Mixed into the fingerprints of secret values that are kept beside the state. With a long random one, who has the state alone cannot guess at values.",
  },
} as const satisfies Attributes;

const fromEnvironment = { base_url: "AVATAROPS_BASE_URL", api_key: "AVATAROPS_API_KEY" } as const;

/** The account of a provider block; null where something is wrong with it, which is reported. */
export function configureAccount(world: World, { config, report, signal, log }: Call & { config: Values }) {
  const { now = Date.now, waits, environment, version } = world;
  const setting = (name: keyof typeof fromEnvironment): Value => {
    const given = config[name] ?? null;
    return given ?? environment[fromEnvironment[name]] ?? null;
  };
  const address = setting("base_url");
  const apiKey = setting("api_key");
  const open: string[] = Object.keys(settings).filter((name) => config[name] === Unknown);
  if (open.length > 0 && (address === Unknown || apiKey === Unknown)) {
    report.warning(
      "The service cannot be reached yet",
      `${open.join(" and ")} of the provider ${open.length > 1 ? "are" : "is"} known only after apply. Until then nothing is read: what the state says is taken for the truth, and edits made elsewhere are not seen.`,
      [open[0] ?? "base_url"],
    );
    return {} satisfies Account;
  }
  const url = addressOf(address, report);
  if (typeof apiKey !== "string" || apiKey === "") missing("api_key", report);
  if (url === undefined || typeof apiKey !== "string" || apiKey === "") return null;
  const fingerprintKey = textOf(config.fingerprint_key);
  const sandboxAvatar = textOf(config.sandbox_avatar);
  const account = openAccount(
    {
      baseUrl: url,
      apiKey,
      successCodes: listOf(config.success_codes)?.map(Number),
      concurrency: numberOf(config.concurrency),
      requestsPerSecond: numberOf(config.requests_per_second),
      timeoutMs: scaled(numberOf(config.timeout_seconds), 1000),
      backoffMs: waits?.backoffMs,
      signal,
      now,
      version,
      proxy: {
        http: environment.http_proxy ?? environment.HTTP_PROXY,
        https: environment.https_proxy ?? environment.HTTPS_PROXY,
        no: environment.no_proxy ?? environment.NO_PROXY,
      },
      onRequest: ({ method, path, status, error, durationMs, attempt }) =>
        log("debug", `${method} ${path}`, { answer: status ?? error ?? "none", durationMs, attempt }),
    },
    {
      secretTypes: (listOf(config.secret_types) ?? []).map(String),
      settleMs: waits?.settleMs ?? 10_000,
      ...(fingerprintKey === undefined ? {} : { fingerprintKey: new Sealed(fingerprintKey) }),
      ...(sandboxAvatar === undefined ? {} : { sandboxAvatar }),
    },
  );
  return { open: account } satisfies Account;
}

function addressOf(address: Value, report: Call["report"]): string | undefined {
  if (typeof address !== "string" || address === "") {
    missing("base_url", report);
    return undefined;
  }
  const checked = checkBaseUrl(address);
  if ("problem" in checked) {
    const detail = `The address of the service ${checked.problem}: ${checked.hint}.`;
    report.error("The address of the service is wrong", detail, ["base_url"]);
    return undefined;
  }
  if (checked.exposesKey) {
    const detail = "base_url begins with http:// and is not on this machine. Write https://…";
    report.warning("The API key would travel unencrypted", detail, ["base_url"]);
  }
  return checked.url;
}

function missing(name: keyof typeof fromEnvironment, report: Call["report"]): void {
  report.error(
    `The provider needs ${name}`,
    `Set ${name} in the provider block, or the environment variable ${fromEnvironment[name]}.`,
    [name],
  );
}

function between(
  value: Value,
  { above, upTo, whole }: { above: number; upTo?: number; whole?: true },
): Complaint[] {
  const number = Number(value instanceof Decimal ? value.text : value);
  const isRight =
    number > above && (upTo === undefined || number <= upTo) && (!whole || Number.isInteger(number));
  const kind = whole ? "a whole number" : "a number";
  const bounds = upTo === undefined ? `above ${above}` : `above ${above} and up to ${upTo}`;
  return isRight ? [] : [{ summary: `It must be ${kind} ${bounds}` }];
}

/** What is unknown yet, or null, has its default. */
function numberOf(value: Value | undefined): number | undefined {
  if (value === undefined || value === null || value === Unknown) return undefined;
  return Number(value instanceof Decimal ? value.text : value);
}

function scaled(value: number | undefined, by: number): number | undefined {
  return value === undefined ? undefined : value * by;
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function listOf(value: Value | undefined): readonly Value[] | undefined {
  return Array.isArray(value) ? value.filter((one) => one !== Unknown) : undefined;
}
