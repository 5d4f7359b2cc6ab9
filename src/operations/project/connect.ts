import { UsageError } from "../../base/diagnostics/index.js";
import { type ProxyOptions, parseProxy } from "../../base/http/index.js";
import { capitalize } from "../../base/text/index.js";
import {
  checkBaseUrl,
  openService,
  restrictToReads,
  type Service,
  ServiceError,
} from "../../core/api/index.js";
import {
  defaultSources,
  isLiteral,
  type Manifest,
  resolveStock,
  type Setting,
} from "../../core/manifest/index.js";
import {
  describe,
  isEnv,
  resolve,
  type Sealed,
  type SourceEnvironment,
  type ValueSource,
} from "../../core/secrets/index.js";
import {
  createReadOnlyError,
  createSourceEnvironment,
  isPinned,
  isReadOnly,
  readVariable,
} from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { assertFound } from "./open-project.js";

/**
 * Opens a project's service while `use` runs. The first call looks up the ids of stock objects in the manifest, so pass
 * a manifest without unused objects.
 *
 * @throws SourceError; UsageError without a valid base URL or key; InvalidProjectError; errors of `use`, with the key's
 * source if the service rejects the key.
 */
export async function withService<Result>(
  runtime: Runtime,
  manifest: Manifest,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const { host, options, signal } = runtime;
  const { successCodes, ignoreListCounts, concurrency, requestsPerSecond, timeoutMs } = manifest.service;
  const { baseUrl, apiKey } = await resolveAccess(runtime, manifest);
  const service = openService({
    ...{ baseUrl, apiKey: apiKey.reveal(), successCodes, requestsPerSecond, timeoutMs, signal },
    ignoreListCounts,
    concurrency: options.concurrency ?? concurrency,
    system: host,
    exchange: host.outside?.exchange,
    backoffMs: host.waits?.backoffMs,
    ownsProcess: host.ownsProcess,
    onRequest: host.onRequest,
    version: host.version,
    proxy: readProxy(runtime),
  });
  const throwReadOnly = () => {
    throw createReadOnlyError();
  };
  try {
    const diagnostics = await resolveStock(restrictToReads(service), manifest);
    if (diagnostics.length > 0) assertFound(runtime, { diagnostics });
    return await use(isReadOnly(runtime) ? restrictToReads(service, throwReadOnly) : service);
  } catch (error) {
    if (error instanceof ServiceError && (error.code === "unauthorized" || error.code === "forbidden"))
      error.message = `${error.message} The key came from ${describe(chooseAccess(runtime, manifest.service).apiKey)}.`;
    throw error;
  } finally {
    await service.close();
  }
}

/** Returns whether an API key is available. For an untrusted change, only the environment counts. */
export function hasKey(runtime: Runtime, project: Project): boolean {
  const { apiKey } = chooseAccess(runtime, project.service);
  if (!isEnv(apiKey)) return project.untrusted === undefined;
  return (readVariable(runtime, apiKey.name) ?? "").trim() !== "";
}

/**
 * Resolves the service's base URL and key for a project, for requests outside the client.
 *
 * @throws SourceError; UsageError without a valid base URL or key.
 */
export async function resolveAccess(
  runtime: Runtime,
  project: Project,
): Promise<{ readonly baseUrl: string; readonly apiKey: Sealed }> {
  const access = chooseAccess(runtime, project.service);
  const sources = createSourceEnvironment(runtime, project);
  return {
    baseUrl: await resolveAddress(runtime, access, sources),
    apiKey: await resolve(access.apiKey, sources),
  };
}

/** Returns the configured base URL, or undefined if there is none. */
export function readServiceUrl(runtime: Runtime, { service }: Project): string | undefined {
  const { baseUrl } = chooseAccess(runtime, service);
  if (isLiteral(baseUrl)) return baseUrl.literal;
  return isEnv(baseUrl) ? readVariable(runtime, baseUrl.name) : undefined;
}

/** Sources for the base URL and the key. */
interface ResolvedAccess {
  readonly baseUrl: Setting;
  readonly apiKey: ValueSource;
  /** Setting that contains a literal base URL, for messages. */
  readonly urlSetting: string;
}

/**
 * Chooses the sources. `--base-url` overrides the manifest. With pinned credentials, both settings in the manifest are
 * ignored and their sources are not resolved.
 */
function chooseAccess(
  runtime: Runtime,
  ofManifest: Pick<ResolvedAccess, "baseUrl" | "apiKey">,
): ResolvedAccess {
  const settings = isPinned(runtime) ? defaultSources : ofManifest;
  const given = runtime.options.baseUrl;
  return given === undefined
    ? { ...settings, urlSetting: "service.base_url" }
    : { ...settings, baseUrl: { literal: given }, urlSetting: "--base-url" };
}

export function readProxy({ host }: Runtime): ProxyOptions {
  const proxies = parseProxy(host.environment);
  if ("problem" in proxies) throw new UsageError("proxy", proxies.problem);
  return proxies.proxy;
}

/**
 * Resolves the base URL, and warns if it lacks TLS. Skips the warning for a literal `service.base_url`, because loading
 * the manifest already warns about it.
 */
async function resolveAddress(
  runtime: Runtime,
  { baseUrl: setting, urlSetting }: ResolvedAccess,
  sources: SourceEnvironment,
): Promise<string> {
  const [text, origin] = isLiteral(setting)
    ? [setting.literal, urlSetting]
    : [(await resolve(setting, sources)).reveal(), describe(setting)];
  const isWritten = isLiteral(setting) ? urlSetting !== "--base-url" : !isEnv(setting);
  const checked = checkBaseUrl(text);
  if ("problem" in checked) {
    throw new UsageError(
      "base-url",
      `The base URL from ${origin} ${checked.problem}. ${capitalize(checked.hint)}.`,
    );
  }
  const problem = sources.hosts?.check(checked.url, isWritten ? "file" : "environment");
  if (problem !== undefined) throw new UsageError("base-url", `The base URL from ${origin} ${problem}.`);
  if (checked.exposesKey && origin !== "service.base_url")
    runtime.output.info(`The base URL from ${origin} would send the API key unencrypted. Use https://…`);
  return checked.url;
}
