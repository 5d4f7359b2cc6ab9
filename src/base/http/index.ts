export * from "./allowed-hosts.js";
export * from "./client.js";
export { type ProxyOptions, proxyIn } from "./proxies.js";
