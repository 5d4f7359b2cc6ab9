/** What processes share that run on and on: an HTTP server for health, metrics and pages, and the pauses of a loop. */

export { type RepeatOptions, repeat, WakeSignal } from "./loop.js";
export {
  BodyReader,
  type Page,
  type PageResponse,
  type RunningServer,
  type ServerOptions,
  startHttpServer,
  verdictPage,
} from "./server.js";
