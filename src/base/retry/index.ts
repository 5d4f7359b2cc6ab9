export { calculateBackoffMs, retry } from "./retry.js";
