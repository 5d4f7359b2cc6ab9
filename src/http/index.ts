export { type AllowedHosts, allowedHosts, isExposed, isPinnedBy } from "./allowed-hosts.js";
export {
  type HttpClient,
  HttpError,
  type HttpResponse,
  isTlsError,
  openHttpClient,
  withoutNodeAdvice,
} from "./client.js";
export { isLoopback } from "./loopback.js";
export { openDispatcher, type ProxyOptions, proxyIn } from "./proxies.js";
