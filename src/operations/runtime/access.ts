import { UsageError } from "../../base/diagnostics/index.js";
import { type AllowedHosts, isPinnedBy, parseAllowedHosts } from "../../base/http/index.js";
import { defaultSources, isLiteral } from "../../core/manifest/index.js";
import { isEnv, type SourceEnvironment, SourceRun } from "../../core/secrets/index.js";
import type { Project } from "./project.js";
import type { Runtime } from "./runtime.js";

/* Permissions for a project's files. Only the user who runs the operation can change them. */

/** Returns whether the base URL and the key come only from the options and the environment. */
export function isPinned({ host, options }: Pick<Runtime, "host" | "options">): boolean {
  return options.pinned === true || isPinnedBy(host.environment);
}

/** Returns whether the project's code may run. Always false for an untrusted change. */
export function allowsCode({ allowCode, options }: Pick<Runtime, "allowCode" | "options">): boolean {
  return allowCode && options.untrusted !== true;
}

/** Returns whether the environment forbids writes to the account and the state. */
export function isReadOnly({ host }: Pick<Runtime, "host">): boolean {
  return !["", "0", "false", undefined].includes(host.environment.AVATAROPS_READ_ONLY);
}

/** @throws UsageError `read-only` */
export function assertWritable(runtime: Pick<Runtime, "host">): void {
  if (isReadOnly(runtime)) throw createReadOnlyError();
}

export function createReadOnlyError(): UsageError {
  return new UsageError(
    "read-only",
    "Nothing was changed, because AVATAROPS_READ_ONLY is set. It forbids writes to the account and the state. Ask someone with write access to apply this plan.",
  );
}

/** Reads a variable for `!env`. */
export function readVariable({ host }: Pick<Runtime, "host">, name: string): string | undefined {
  return host.environment[name] ?? host.fileVariables?.[name];
}

/** Returns the hosts that the files may send credentials to. Returns undefined if all hosts are allowed. */
export function readAllowedHosts(runtime: Runtime): AllowedHosts | undefined {
  return parseAllowedHosts(runtime.host.environment, isPinned(runtime));
}

/**
 * Returns the variables that `!env` may read in addition to the base URL and the key. Returns undefined if all
 * variables may be read.
 */
export function listAllowedVariables({ host, options }: Runtime): ReadonlySet<string> | undefined {
  const { allowEnv: given = [] } = options;
  const { AVATAROPS_ALLOW_ENV: set } = host.environment;
  const lists = given.length > 0 ? given : set === undefined ? undefined : [set];
  return lists && new Set(lists.flatMap((list) => list.split(/[\s,]+/)).filter((name) => name !== ""));
}

/**
 * Returns the environment for resolving a project's sources. For an untrusted change, only the base URL and the key are
 * resolved, and both are taken from the base.
 */
export function createSourceEnvironment(
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
    running: runtime.runToEnd,
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
