import { type ProxyOptions, proxyIn } from "../../base/http/index.js";
import { failed } from "./source-error.js";
import type { SourceContext } from "./source-kind.js";

/** The proxies of the environment, through which every source asks. @throws SourceError if one is malformed. */
export function readProxy({ environment }: Pick<SourceContext, "environment">): ProxyOptions {
  const proxies = proxyIn(environment);
  if ("proxy" in proxies) return proxies.proxy;
  throw failed(`cannot be read. ${proxies.problem}`);
}
