export { type AllowedHosts, allowedHosts, isExposed, isPinnedBy } from "./allowed-hosts.js";
export {
  type HttpAnswer,
  type HttpClient,
  HttpError,
  isTlsError,
  openHttpClient,
} from "./client.js";
export { isLoopback } from "./loopback.js";
export { openDispatcher, type ProxyOptions, proxyIn } from "./proxies.js";
