import type { CommandFacts } from "../command.js";
import { durationMs, intervalMs, wholeNumber } from "../parse.js";
import { durationUnit } from "./options.js";

export const sessionsServe: CommandFacts = {
  name: "sessions serve",
  summary: "serve metrics of sessions for Prometheus, and a page with their state",
  ofProject: true,
  reachesService: true,
  options: [
    durationUnit,
    {
      flags: "--port <PORT>",
      description: "0 picks a free port",
      preset: "9464",
      parse: wholeNumber(0),
    },
    {
      flags: "--listen <HOST>",
      description: "the address to listen on; 0.0.0.0 means all of them",
      preset: "127.0.0.1",
    },
    {
      flags: "--allow-host <NAME>",
      description:
        "also answer requests for this host name, such as that of a proxy on this machine; repeatable",
      repeatable: true,
    },
    {
      flags: "--interval <DURATION>",
      description: "time between two polls of the service: 30s, 5m",
      preset: "30s",
      parse: intervalMs,
    },
    {
      flags: "--checkpoint <FILE>",
      description:
        "where to keep the counts for the next run (default: .avatarops/sessions.json, or sessions.ENV.json)",
    },
    { flags: "--no-checkpoint", description: "start every run at 0" },
    {
      flags: "--look-back <DURATION>",
      description: "how late the service may list a short session after it started",
      preset: "15m",
      parse: durationMs,
    },
  ],
  examples: [
    ["avatarops sessions serve --port 9464", "serves /metrics, /healthz, /readyz and a page for people"],
    ["avatarops sessions serve --env production --listen 0.0.0.0", "for a Prometheus on another machine"],
  ],
  load: () => import("../commands/sessions-serve.js"),
};
