/** Shared by long-running processes: an HTTP server for health and metrics, and a loop with pauses. */

export * from "./loop.js";
export * from "./server.js";
