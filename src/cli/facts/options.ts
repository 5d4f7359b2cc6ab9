import type { OptionFacts } from "../command.js";
import { durationMs, wholeNumber } from "../parse.js";

export const lockTimeout: OptionFacts = {
  flags: "--lock-timeout <DURATION>",
  description: "how long to wait for a locked state: 30s, 5m",
  preset: "0s",
  parse: durationMs,
};

export const target: OptionFacts = {
  flags: "--target <ADDRESS>",
  description: "only this object, or all that match a pattern such as 'context.support-*'; repeatable",
  repeatable: true,
};

export const refresh: OptionFacts = {
  flags: "--refresh <MODE>",
  description: "read what may have changed, or everything",
  choices: ["auto", "full"],
  preset: "auto",
};

export const concurrency: OptionFacts = {
  flags: "--concurrency <N>",
  description: "concurrent requests (default: 8)",
  parse: wholeNumber(1),
};

export const sandboxAvatar: OptionFacts = {
  flags: "--sandbox-avatar <ID>",
  description: "the avatar of sandbox mode (default: `service.sandbox_avatar`)",
};
