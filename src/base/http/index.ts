export { type AllowedHosts, allowedHosts, isExposed, isLoopback, isPinnedBy } from "./allowed-hosts.js";
export {
  type HttpClient,
  HttpError,
  type HttpResponse,
  isTlsError,
  openHttpClient,
  trustAdvice,
  withoutNodeAdvice,
} from "./client.js";
export { type ProxyOptions, proxyIn } from "./proxies.js";
