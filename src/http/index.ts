export {
  type HttpAnswer,
  type HttpClient,
  HttpError,
  openHttpClient,
} from "./client.js";
export { openDispatcher, type ProxyOptions, proxyIn } from "./proxies.js";
