import { checkBaseUrl, openService, type Service, ServiceError } from "../api/index.js";
import type { Manifest, Setting } from "../manifest/index.js";
import { describe, resolve, type SourceWorld } from "../secrets/index.js";
import { type Call, numberOption } from "./command.js";
import { UsageError } from "./failure.js";
import { sourcesOf } from "./project.js";
import { version } from "./version.js";

/**
 * Opens the service of a project for the time of `use`. A refused key is reported with where it came from.
 *
 * @throws SourceError, UsageError when an address or a key is not to be had; whatever `use` throws.
 */
export async function withService<Result>(
  call: Call,
  manifest: Manifest,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const { service: settings } = manifest;
  const sources = sourcesOf(call, manifest);
  const baseUrl = await addressOf(settings.baseUrl, "service.base_url", sources);
  const service = openService({
    ...optionsOf(call),
    baseUrl,
    apiKey: (await resolve(settings.apiKey, sources)).reveal(),
    successCodes: settings.successCodes,
    concurrency: numberOption(call, "concurrency") ?? settings.concurrency,
    requestsPerSecond: settings.requestsPerSecond,
    timeoutMs: settings.timeoutMs,
  });
  return usedThenClosed(service, use, `The key came from ${describe(settings.apiKey)}.`);
}

/** The same without a manifest: address and key from the command line and the environment. */
export async function withAccount<Result>(
  call: Call,
  givenUrl: string | undefined,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const sources: SourceWorld = {
    root: call.host.cwd,
    environment: call.host.environment,
    signal: call.signal,
  };
  const key = { from: "env", name: "AVATAROPS_API_KEY" } as const;
  const baseUrl = await addressOf(
    givenUrl === undefined ? { from: "env", name: "AVATAROPS_BASE_URL" } : { literal: givenUrl },
    "--base-url",
    sources,
  );
  const apiKey = (await resolve(key, sources)).reveal();
  const service = openService({
    ...optionsOf(call),
    baseUrl,
    apiKey,
    concurrency: numberOption(call, "concurrency"),
  });
  return usedThenClosed(service, use, `The key came from ${describe(key)}.`);
}

function optionsOf({ host, signal }: Call) {
  const { environment: env } = host;
  return {
    signal,
    now: host.now,
    backoffMs: host.waits?.backoffMs,
    ownsProcess: host.ownsProcess,
    version,
    proxy: {
      http: env.http_proxy ?? env.HTTP_PROXY,
      https: env.https_proxy ?? env.HTTPS_PROXY,
      no: env.no_proxy ?? env.NO_PROXY,
    },
  };
}

async function usedThenClosed<Result>(
  service: Service,
  use: (service: Service) => Promise<Result>,
  keyOrigin: string,
): Promise<Result> {
  try {
    return await use(service);
  } catch (error) {
    if (error instanceof ServiceError && (error.code === "unauthorized" || error.code === "forbidden")) {
      error.message = `${error.message} ${keyOrigin}`;
    }
    throw error;
  } finally {
    await service.close();
  }
}

/** The address; `place` is where it is written out, if it is. */
async function addressOf(setting: Setting, place: string, sources: SourceWorld): Promise<string> {
  const [text, origin] =
    "literal" in setting
      ? [setting.literal, place]
      : [(await resolve(setting, sources)).reveal(), describe(setting)];
  const checked = checkBaseUrl(text);
  if ("url" in checked) return checked.url;
  throw new UsageError(
    "base-url",
    `The address of the service, from ${origin}, ${checked.problem}: ${checked.hint}.`,
  );
}
