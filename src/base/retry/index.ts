export { backoffMs, retry, sleep } from "./retry.js";
