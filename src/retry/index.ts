/** Waiting, and trying again after growing pauses. */
export { backoffMs, retry } from "./retry.js";
export { sleep } from "./sleep.js";
