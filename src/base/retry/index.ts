export { backoffMs, retry } from "./retry.js";
