import type { SmokeCheck } from "../../../sessions/reports/index.js";
import { count, documentForm, list, object, openSet, record, text } from "./form.js";

const check = record("Check", "What was found out about one preset.", {
  preset: text("Key of the preset, below `sessions:`."),
  status: openSet({
    passed: "The service gave a token, and lists its session as active.",
    warned: "The service gave a token; its session is not known to be active.",
    failed: "A session cannot be started with it.",
    skipped: "Not checked, or not to the end, because the check was asked to stop.",
  } satisfies Record<SmokeCheck["status"], string>),
  avatar_id: text("The avatar that was requested.").optional(),
  session_id: text("Id of the session, if the service returned it.").optional(),
  problem: object("Why it did not pass.", {
    code: text("Kebab-case and stable."),
    message: text("What happened, and what to do next."),
  }).optional(),
});

/** The keys of a smoke check, also inside of an outcome. */
export const smokeKeys = {
  scope: openSet({
    all: "All presets.",
    named: "The named ones.",
    applied: "Those that refer to an object that was applied, also through other objects.",
  }).describe("Which presets were checked."),
  exit: openSet(["passed", "failed", "cancelled"]).describe("What it comes to. Warnings are no failure."),
  summary: object("The number of checks for each status.", {
    passed: count,
    warned: count,
    failed: count,
    skipped: count,
  }),
  checks: list(check, "One for each preset, in the order of the files."),
  advice: text("If a check failed: what to do about the last apply.").optional(),
};

export const smokeForm = documentForm(
  "smoke",
  "avatarops smoke check",
  "Whether sessions can be started with presets: the output of `avatarops smoke --format json`. Holds no token.",
  { ...smokeKeys },
);
