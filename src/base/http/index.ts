export {
  type AllowedHosts,
  allowedHosts,
  isExposed,
  isLoopback,
  isPinnedBy,
  showAddress,
} from "./allowed-hosts.js";
export {
  type HttpClient,
  HttpError,
  type HttpResponse,
  isTlsError,
  openHttpClient,
  trustAdvice,
  unreadableCertificates,
  withoutNodeAdvice,
} from "./client.js";
export { type ProxyOptions, proxyIn } from "./proxies.js";
