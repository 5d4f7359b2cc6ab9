import * as z from "zod";
import type { SmokeCheck } from "../../../sessions/reports/index.js";
import { count, headForm, openSet } from "./form.js";

const check = z
  .object({
    preset: z.string().describe("Key of the preset, below `sessions:`."),
    status: openSet({
      passed: "The service gave a token, and lists its session as active.",
      warned: "The service gave a token; its session is not known to be active.",
      failed: "A session cannot be started with it.",
      skipped: "Not checked, or not to the end, because the check was asked to stop.",
    } satisfies Record<SmokeCheck["status"], string>),
    avatar_id: z.string().optional().describe("The avatar that was requested."),
    session_id: z.string().optional().describe("Id of the session, if the service told it."),
    problem: z
      .object({
        code: z.string().describe("Kebab-case and stable."),
        message: z.string().describe("What happened, and what to do next."),
      })
      .optional()
      .describe("Why it did not pass."),
  })
  .meta({ id: "Check", description: "What was found out about one preset." });

/** The keys of a smoke check, also inside of an outcome. */
export const smokeKeys = {
  scope: openSet({
    all: "All presets.",
    named: "The named ones.",
    applied: "Those that refer to an object that was applied, also through other objects.",
  }).describe("Which presets were checked."),
  exit: openSet(["passed", "failed", "cancelled"]).describe("What it comes to. Warnings are no failure."),
  summary: z
    .object({ passed: count, warned: count, failed: count, skipped: count })
    .describe("The number of checks for each status."),
  checks: z.array(check).describe("One for each preset, in the order of the files."),
  advice: z.string().optional().describe("If a check failed: what to do about the last apply."),
};

export const smokeForm = z.object({ ...headForm("smoke"), ...smokeKeys }).meta({
  title: "avatarops smoke check",
  description:
    "Whether sessions can be started with presets: the output of `avatarops smoke --format json`. Holds no token.",
});
