/** What processes share that run on and on: an HTTP server for health and metrics, and the pauses of a loop. */

export * from "./loop.js";
export * from "./server.js";
