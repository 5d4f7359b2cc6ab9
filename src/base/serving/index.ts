/** HTTP server for health and metrics, and a loop with pauses, for long-running processes. */

export * from "./loop.js";
export * from "./server.js";
