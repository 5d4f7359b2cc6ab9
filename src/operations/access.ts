import { type AllowedHosts, allowedHosts, isPinnedBy } from "../base/http/index.js";
import type { Runtime } from "./runtime.js";

/*
 * What an operation allows the files of a project to do. It is set by whoever runs it; the files cannot change it.
 */

/** Whether only the options and the environment decide the address and the key. */
export function isPinned({ host, options }: Pick<Runtime, "host" | "options">): boolean {
  return options.pinned === true || isPinnedBy(host.environment);
}

/** Where files may have credentials sent; empty if anywhere. */
export function readAllowedHosts(runtime: Runtime): { readonly hosts?: AllowedHosts } {
  const hosts = allowedHosts(runtime.host.environment, isPinned(runtime));
  return hosts ? { hosts } : {};
}

/** The variables that `!env` may read besides those of the address and the key; undefined: all. */
export function allowedVariables({ host, options }: Runtime): ReadonlySet<string> | undefined {
  const { allowEnv: given = [] } = options;
  const { AVATAROPS_ALLOW_ENV: set } = host.environment;
  const lists = given.length > 0 ? given : set === undefined ? undefined : [set];
  return lists && new Set(lists.flatMap((list) => list.split(/[\s,]+/)).filter((name) => name !== ""));
}
