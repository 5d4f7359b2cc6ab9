import { UsageError } from "../../base/diagnostics/index.js";
import { type AllowedHosts, allowedHosts, isPinnedBy } from "../../base/http/index.js";
import { defaultSources, isLiteral } from "../../core/manifest/index.js";
import { isEnv, type SourceEnvironment, SourceRun } from "../../core/secrets/index.js";
import type { Project } from "./project.js";
import type { Runtime } from "./runtime.js";

/*
 * What an operation allows the files of a project to do. It is set by whoever runs it; the files cannot change it.
 */

/** Whether only the options and the environment decide the address and the key. */
export function isPinned({ host, options }: Pick<Runtime, "host" | "options">): boolean {
  return options.pinned === true || isPinnedBy(host.environment);
}

/** Whether code of the project may run: never that of an untrusted change. */
export function allowsCode({ allowCode, options }: Pick<Runtime, "allowCode" | "options">): boolean {
  return allowCode && options.untrusted !== true;
}

/** Whether the environment allows no write, neither to the account nor to the state. */
export function isReadOnly({ host }: Pick<Runtime, "host">): boolean {
  return !["", "0", "false", undefined].includes(host.environment.AVATAROPS_READ_ONLY);
}

/** @throws UsageError `read-only` */
export function refuseReadOnly(runtime: Pick<Runtime, "host">): void {
  if (isReadOnly(runtime)) throw readOnlyError();
}

export function readOnlyError(): UsageError {
  return new UsageError(
    "read-only",
    "Nothing was changed: AVATAROPS_READ_ONLY is set, so neither the account nor the state may be written. Show the plan to somebody who may apply it.",
  );
}

/** Returns what `!env` reads. */
export function readVariable({ host }: Pick<Runtime, "host">, name: string): string | undefined {
  return host.environment[name] ?? host.fileVariables?.[name];
}

/** Where files may have credentials sent; undefined: anywhere. */
export function readAllowedHosts(runtime: Runtime): AllowedHosts | undefined {
  return allowedHosts(runtime.host.environment, isPinned(runtime));
}

/** The variables that `!env` may read in addition to those of the address and the key; undefined: all. */
export function allowedVariables({ host, options }: Runtime): ReadonlySet<string> | undefined {
  const { allowEnv: given = [] } = options;
  const { AVATAROPS_ALLOW_ENV: set } = host.environment;
  const lists = given.length > 0 ? given : set === undefined ? undefined : [set];
  return lists && new Set(lists.flatMap((list) => list.split(/[\s,]+/)).filter((name) => name !== ""));
}

/**
 * The environment in which the sources of a project's values are resolved. Of an untrusted change, only address and key
 * are: they are those of its base.
 */
export function sourceEnvironment(
  runtime: Runtime,
  { root, service, untrusted, sourceKinds }: Project,
): SourceEnvironment {
  const { host, opened, signal } = runtime;
  opened.sources ??= new SourceRun();
  const resolving: SourceEnvironment = {
    root,
    allowCode: allowsCode(runtime),
    environment: host.environment,
    fileVariables: host.fileVariables,
    system: host,
    signal,
    running: runtime.finishing,
    run: opened.sources,
    kinds: sourceKinds,
    hosts: readAllowedHosts(runtime),
    backoffMs: host.waits?.backoffMs,
  };
  if (!untrusted) return resolving;
  const named = [defaultSources.baseUrl, defaultSources.apiKey, service.baseUrl, service.apiKey];
  const only = named.flatMap((source) => (source && !isLiteral(source) && isEnv(source) ? source.name : []));
  return { ...resolving, only: new Set(only) };
}
