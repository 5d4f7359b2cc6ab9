import * as z from "zod";
import type { DriftedField, Status } from "../../../core/engine/index.js";
import { actionNames } from "../../../core/kinds/index.js";
import type { SmokeCheck } from "../../../sessions/reports/index.js";
import { diagnostic, finding } from "./diagnostic-form.js";
import { array, count, createDocumentForm, object, openSet, record, text } from "./form.js";
import { composed, fieldType, forgottenText, line, stateSerial, value } from "./plan-form.js";

const check = record("Check", "Result for one preset.", {
  preset: text("Preset key under `sessions:`."),
  status: openSet({
    passed: "The service issued a token, and lists its session as active.",
    warned: "The service issued a token, but its session is not known to be active.",
    failed: "The preset cannot start a session.",
    skipped: "The check was cancelled before it ended.",
  } satisfies Record<SmokeCheck["status"], string>),
  avatar_id: text("The avatar that was requested.").optional(),
  session_id: text("Session id, if the service returned one.").optional(),
  problem: object("Why the check did not pass.", {
    code: text("Kebab-case and stable."),
    message: text("What happened, and what to do next."),
  }).optional(),
});

/** Keys of a smoke check, also used in outcomes. */
const smokeKeys = {
  scope: openSet({
    all: "All presets.",
    named: "The presets named on the command line.",
    applied: "Presets that refer to an applied object, directly or through other objects.",
  }).describe("Which presets were checked."),
  exit: openSet(["passed", "failed", "cancelled"]).describe(
    "Overall result. Warnings do not make the check fail.",
  ),
  summary: object("The number of checks for each status.", {
    passed: count,
    warned: count,
    failed: count,
    skipped: count,
  }),
  checks: array(check, "One check per preset, in file order."),
  advice: text("Next step after the apply, if a check failed.").optional(),
};

export const smokeForm = createDocumentForm(
  "smoke",
  "avatarops smoke check",
  "Whether sessions can be started with presets: the output of `avatarops smoke --format json`. Contains no token.",
  { ...smokeKeys },
);

export const diagnosticsForm = createDocumentForm(
  "diagnostics",
  "avatarops diagnostics",
  "Errors and warnings about the files: the output of `avatarops validate --format json`, and of any other command that cannot start because of errors.",
  {
    valid: z.boolean().describe("Whether there are no errors."),
    summary: z.object({ errors: count, warnings: count }),
    diagnostics: array(diagnostic, "In file order, without policy findings."),
    policies: array(finding, "Policy findings for the files. Omitted if there are none.").optional(),
  },
);

const result = record("Result", "Result of one change.", {
  address: text("`kind.key`, such as `context.support`."),
  label: text("Object name. Omitted if an interrupted run made the change.").optional(),
  action: z.enum(actionNames).meta({ openSet: true }).describe("Action, as in the plan."),
  status: openSet(["applied", "failed", "skipped", "unknown"] satisfies Status[]).describe(
    "`failed`: rejected by the service. `skipped`: not sent. `unknown`: sent, but the response was lost, so the next plan looks for the object.",
  ),
  id: text("Object id in the service, if there is one.").optional(),
  problem: object("Why the change was not applied.", {
    code: text("Kebab-case and stable."),
    message: text("What happened, and what to do next."),
  }).optional(),
  notes: array(z.string(), "Additional notes, as full sentences."),
});

export const outcomeForm = createDocumentForm(
  "outcome",
  "avatarops outcome",
  "Result of an apply: the output of `avatarops apply --format json`.",
  {
    exit: openSet(["done", "failed", "partly", "ambiguous", "cancelled"]).describe(
      "Overall result. `failed`: nothing was applied. `ambiguous`: you must decide, or the outcome of a write is unknown.",
    ),
    summary: object("Number of results for each status, and of unchanged objects.", {
      applied: count,
      failed: count,
      skipped: count,
      unknown: count,
      kept: count,
    }),
    cancelled: z.boolean().describe("Whether the apply was cancelled."),
    stopped: object("Why the apply stopped early, or could not write the state.", {
      code: z.string(),
      message: z.string(),
    }).optional(),
    unrecorded: array(
      z.object({ address: z.string(), id: z.string() }),
      "Created objects that could not be recorded in the state. Record one with `avatarops import ADDRESS ID`.",
    ).optional(),
    results: array(result, "One result per change, in plan order."),
    state_serial: count.describe("State serial after the apply."),
    requests: count.describe("Requests sent."),
    throttled: count.describe("Number of requests that failed with 429."),
    smoke: object(
      "With `--smoke`, whether sessions can be started with the applied objects. Does not affect `exit`.",
      smokeKeys,
    ).optional(),
  },
);

const proposal = record("Proposal", "A pull request, or a branch without one.", {
  result: openSet(["opened", "updated", "unchanged", "closed", "pushed", "deleted", "none"]).describe(
    "Result of the run. `pushed` and `deleted` refer to a branch without a pull request.",
  ),
  number: count.describe("Omitted for a branch without a pull request.").optional(),
  url: z.string().optional(),
  branch: z.string().optional(),
  written: array(
    z.object({ address: z.string(), field: z.string(), file: z.string() }),
    "Fields that the pull request writes into the files.",
  ),
  also_changes: array(
    z.string(),
    "Other texts that change because they use the same files, such as `context.sales.prompt (production)`.",
  ).optional(),
  refused: array(
    z.object({ address: z.string(), field: z.string().optional(), reason: z.string() }),
    "Omitted fields and objects, with the reason as a sentence.",
  ),
  notes: array(z.string(), "Additional notes, as full sentences."),
});

const drifted = record("Drift", "A managed object that was edited or deleted.", {
  address: text("`kind.key`, such as `context.support`."),
  kind: text("Kind name."),
  label: text("Object name, as last applied."),
  id: text("Id in the service."),
  change: openSet(["changed", "vanished"]),
  updated_at: text("Time of the last edit, as sent by the service.").optional(),
  successor: text("For a vanished object, the id of another object that now has its name.").optional(),
  conflicting: z
    .boolean()
    .describe(
      "Whether the object also changed in the files since the last apply, in the same field or in others.",
    ),
  fields: array(
    z.object({
      field: text("Field name, as in the files."),
      type: fieldType,
      location: line
        .optional()
        .describe("File and first line of the text, if the text consists of whole lines of a file."),
      composed: composed.optional(),
      before: z
        .union([value, forgottenText])
        .optional()
        .describe("The last applied value. Omitted if it is empty or unknown."),
      after: value.optional().describe("The live value. Omitted if it is empty."),
      files: openSet([
        "applied",
        "live",
        "merged",
        "other",
        "undeclared",
      ] satisfies DriftedField["files"][]).describe(
        "What the files contain: the last applied value (`applied`), the live value (`live`), a value with this edit and other changes (`merged`), another value (`other`), or no such object (`undeclared`).",
      ),
    }),
    "Edited fields.",
  ),
});

export const driftForm = createDocumentForm(
  "drift",
  "avatarops drift",
  "Edits made in the account since the last apply: the output of `avatarops drift --format json`.",
  {
    service: text("Base URL of the service."),
    environment: text("The chosen environment, `--env`.").optional(),
    targets: array(z.string(), "Addresses that the comparison was limited to (`--target`).").optional(),
    state: stateSerial.describe("The state that the account was compared with."),
    drifted: z
      .boolean()
      .describe(
        "Whether an object was edited or deleted. The command exits with 2 unless the files contain every edit.",
      ),
    rotation_pending: array(
      z.object({ address: z.string(), note: text("Details, such as the two versions.").optional() }),
      "Secrets whose value changed at its source since it was last sent. If there are any, the command exits with 2.",
    ),
    secrets_unverified: array(
      z.object({ address: z.string(), reason: z.string() }),
      "Secrets whose source could not be checked, with the reason.",
    ),
    summary: object("Object counts.", {
      changed: count,
      vanished: count,
      unreadable: count,
      unchanged: count,
      unobservable: count,
    }),
    objects: z.array(drifted),
    unreadable: array(
      z.object({ address: z.string(), reason: z.string() }),
      "Objects that could not be read, with the reason.",
    ),
    notes: array(z.string(), "Notes on the comparison as a whole, as full sentences."),
    requests: count.describe("Requests sent to the service."),
    pull_request: proposal
      .optional()
      .describe("With `--pull-request`: the pull request. With `--branch` alone: the branch."),
  },
);

const projectFacts = {
  project: text("Main file, relative to the current folder."),
  environment: text(
    "Environment of the project. Omitted if the project declares none or its files have errors.",
  ).optional(),
  order: count
    .describe(
      "0, or one more than the highest order among the required environments. Lower orders are applied first.",
    )
    .optional(),
};

export const projectsForm = createDocumentForm(
  "projects",
  "avatarops projects",
  "Result of a command for several projects: the output of `--all --format json`.",
  {
    changed_since: text(
      "Commit that the projects were compared with. If omitted, all projects count as changed.",
    ).optional(),
    unchanged: array(
      z.object(projectFacts),
      "Projects without changes since that commit, which were skipped.",
    ),
    deleted: array(
      z.string(),
      "Main files deleted since the compared commit. Their objects stay in the account.",
    ),
    projects: array(
      record("ProjectResult", "Result for one project and environment.", {
        ...projectFacts,
        exit: count.describe("Exit code of the command for this project and environment."),
        counts: text("The result in one line."),
        next: text("For `status`: who must act next. Omitted if there is nothing to do.").optional(),
        result: z
          .record(z.string(), z.unknown())
          .describe(
            "The command's document for this project. `validate` includes it only for the first environment of each project.",
          )
          .optional(),
      }),
      "Sorted by path, then by environment.",
    ),
    exit: count.describe("The worst exit code. From worst to best: 130, 1, 4, 5, 6, 7, 3, 2, 0."),
  },
);
