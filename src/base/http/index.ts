export {
  type AllowedHosts,
  isLoopback,
  isPinnedBy,
  isUnencrypted,
  parseAllowedHosts,
  showAddress,
} from "./allowed-hosts.js";
export {
  dropNodeAdvice,
  type HttpClient,
  HttpError,
  type HttpResponse,
  isTlsError,
  isWithoutTls,
  openHttpClient,
  trustAdvice,
} from "./client.js";
export { describeConnectionFailure } from "./connection-failures.js";
export { findCertificateProblem } from "./extra-certificates.js";
export { type ProxyOptions, parseProxy } from "./proxies.js";
export { readRetryAfterMs } from "./retry-after.js";
export { openSdkWire, toSdkError, toSdkOptions } from "./sdk-wire.js";
