/** Waiting, and trying again after growing pauses. */
export { backoffMs, retry, sleep } from "./retry.js";
