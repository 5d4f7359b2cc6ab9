import * as z from "zod";
import type { DriftedField, Status } from "../../../core/engine/index.js";
import { actionNames } from "../../../core/kinds/index.js";
import { diagnostic, finding } from "./diagnostic-form.js";
import { count, headForm, openSet } from "./form.js";
import { fieldType, forgottenText, line, stateSerial, undeclared, value } from "./plan-form.js";
import { smokeKeys } from "./smoke-form.js";

export const diagnosticsForm = z
  .object({
    ...headForm("diagnostics"),
    valid: z.boolean().describe("There is no error among them."),
    summary: z.object({ errors: count, warnings: count }),
    diagnostics: z.array(diagnostic).describe("In the order of the files; without what the policies say."),
    policies: z.array(finding).optional().describe("What the policies say of the files. Absent: nothing."),
  })
  .meta({
    title: "avatarops diagnostics",
    description:
      "What is wrong in the files: the output of `avatarops validate --format json`, and of any other command that cannot start because of them.",
  });

const result = z
  .object({
    address: z.string().describe("`kind.key`, such as `context.support`."),
    action: z.enum(actionNames).meta({ openSet: true }).describe("As in the plan."),
    status: openSet(["applied", "failed", "skipped", "unknown"] satisfies Status[]).describe(
      "`failed`: the service refused it. `skipped`: not tried. `unknown`: sent, and the answer was lost; the next plan looks for it.",
    ),
    id: z.string().optional().describe("Id of the object in the service, if it has one."),
    problem: z
      .object({
        code: z.string().describe("Kebab-case and stable."),
        message: z.string().describe("What happened, and what to do next."),
      })
      .optional()
      .describe("Why it was not applied."),
    notes: z.array(z.string()).describe("Further facts as sentences."),
  })
  .meta({ id: "Result", description: "How one change ended." });

export const outcomeForm = z
  .object({
    ...headForm("outcome"),
    exit: openSet(["done", "failed", "partly", "ambiguous", "cancelled"]).describe(
      "What the apply comes to. `failed`: nothing was applied. `ambiguous`: you must decide, or the end of a write is unknown.",
    ),
    summary: z
      .object({ applied: count, failed: count, skipped: count, unknown: count, kept: count })
      .describe("The number of results for each status, and of objects that needed no change."),
    cancelled: z.boolean().describe("It was asked to stop."),
    results: z.array(result).describe("One for each change, in the order of the plan."),
    state_serial: count.describe("Serial of the state after it."),
    requests: count.describe("Requests sent."),
    throttled: count.describe("Requests that the service answered with 429."),
    smoke: z
      .object(smokeKeys)
      .optional()
      .describe(
        "With `--smoke`: whether sessions can be started with what was applied. `exit` is about the apply alone.",
      ),
  })
  .meta({
    title: "avatarops outcome",
    description: "What apply did: the output of `avatarops apply --format json`.",
  });

const proposal = z
  .object({
    result: openSet(["opened", "updated", "unchanged", "closed", "none"]).describe("What was done with it."),
    number: count.optional(),
    url: z.string().optional(),
    branch: z.string().optional(),
    written: z
      .array(z.object({ address: z.string(), field: z.string(), file: z.string() }))
      .describe("What it brings into the files."),
    refused: z
      .array(z.object({ address: z.string(), field: z.string().optional(), reason: z.string() }))
      .describe("What it does not, and why, as sentences."),
    notes: z.array(z.string()).describe("Further facts as sentences."),
  })
  .meta({ id: "Proposal", description: "A pull request or issue." });

const drifted = z
  .object({
    address: z.string().describe("`kind.key`, such as `context.support`."),
    kind: z.string().describe("Name of the kind."),
    label: z.string().describe("Name of the object, as last applied."),
    id: z.string().describe("Id in the service."),
    change: openSet(["changed", "vanished"]),
    updated_at: z.string().optional().describe("When it was last edited, as the service says."),
    successor: z
      .string()
      .optional()
      .describe("Of an object that vanished: the id of another one that has its name now."),
    fields: z
      .array(
        z.object({
          field: z.string().describe("Name of the field, as in the files."),
          type: fieldType,
          place: line.optional().describe("Of prose that consists of whole lines of a file: where."),
          before: z
            .union([value, forgottenText])
            .optional()
            .describe("As last applied. Absent: empty, or unknown."),
          after: value.optional().describe("Live. Absent: empty."),
          files: openSet([
            "applied",
            "live",
            "other",
            "undeclared",
          ] satisfies DriftedField["files"][]).describe(
            "What the files have: what was last applied, what is live, something else, or no such object.",
          ),
        }),
      )
      .describe("The fields that were edited."),
  })
  .meta({ id: "Drift", description: "A managed object that was edited, or is gone." });

export const driftForm = z
  .object({
    ...headForm("drift"),
    service: z.string().describe("Base URL of the service."),
    environment: z.string().optional().describe("The chosen environment, `--env`."),
    targets: z.array(z.string()).optional().describe("The addresses it was limited to, `--target`."),
    state: stateSerial.describe("The state it was compared with."),
    drifted: z.boolean().describe("Something was edited or is gone: the command exits with 2."),
    summary: z
      .object({ changed: count, vanished: count, unreadable: count, unchanged: count, unobservable: count })
      .describe("Numbers of objects."),
    objects: z.array(drifted),
    unreadable: z
      .array(z.object({ address: z.string(), reason: z.string() }))
      .describe("Objects of which nothing is known now, and why."),
    notes: z.array(z.string()).describe("Sentences about the whole comparison."),
    undeclared: z
      .array(undeclared)
      .optional()
      .describe("With `--undeclared`: the objects that neither the files nor the state know."),
    requests: count.describe("Requests sent to the service."),
    pull_request: proposal.optional().describe("With `--pull-request`: what became of it."),
    issue: proposal.optional().describe("With `--issue`: what became of it."),
  })
  .meta({
    title: "avatarops drift",
    description:
      "What was edited in the account since the last apply: the output of `avatarops drift --format json`.",
  });
