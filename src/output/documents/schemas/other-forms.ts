import * as z from "zod";
import type { DriftedField, Status } from "../../../core/engine/index.js";
import { actionNames } from "../../../core/kinds/index.js";
import type { SmokeCheck } from "../../../sessions/reports/index.js";
import { diagnostic, finding } from "./diagnostic-form.js";
import { count, documentForm, list, object, openSet, record, text } from "./form.js";
import { composed, fieldType, forgottenText, line, stateSerial, value } from "./plan-form.js";

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
const smokeKeys = {
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

export const diagnosticsForm = documentForm(
  "diagnostics",
  "avatarops diagnostics",
  "What is wrong in the files: the output of `avatarops validate --format json`, and of any other command that cannot start because of them.",
  {
    valid: z.boolean().describe("There is no error among them."),
    summary: z.object({ errors: count, warnings: count }),
    diagnostics: list(diagnostic, "In the order of the files; without what the policies say."),
    policies: list(finding, "What the policies say of the files. Absent: nothing.").optional(),
  },
);

const result = record("Result", "How one change ended.", {
  address: text("`kind.key`, such as `context.support`."),
  label: text("Name of the object; absent for what an interrupted run had done.").optional(),
  action: z.enum(actionNames).meta({ openSet: true }).describe("As in the plan."),
  status: openSet(["applied", "failed", "skipped", "unknown"] satisfies Status[]).describe(
    "`failed`: the service refused it. `skipped`: not tried. `unknown`: sent, and the answer was lost; the next plan looks for it.",
  ),
  id: text("Id of the object in the service, if it has one.").optional(),
  problem: object("Why it was not applied.", {
    code: text("Kebab-case and stable."),
    message: text("What happened, and what to do next."),
  }).optional(),
  notes: list(z.string(), "Further facts as sentences."),
});

export const outcomeForm = documentForm(
  "outcome",
  "avatarops outcome",
  "What apply did: the output of `avatarops apply --format json`.",
  {
    exit: openSet(["done", "failed", "partly", "ambiguous", "cancelled"]).describe(
      "What the apply comes to. `failed`: nothing was applied. `ambiguous`: you must decide, or the end of a write is unknown.",
    ),
    summary: object("The number of results for each status, and of objects that needed no change.", {
      applied: count,
      failed: count,
      skipped: count,
      unknown: count,
      kept: count,
    }),
    cancelled: z.boolean().describe("It was asked to stop."),
    stopped: object("Why it sent nothing more before its end, or could not write the state.", {
      code: z.string(),
      message: z.string(),
    }).optional(),
    unrecorded: list(
      z.object({ address: z.string(), id: z.string() }),
      "Objects that it created, and whose ids no state has: `avatarops import ADDRESS ID` records one.",
    ).optional(),
    results: list(result, "One for each change, in the order of the plan."),
    state_serial: count.describe("Serial of the state after it."),
    requests: count.describe("Requests sent."),
    throttled: count.describe("Requests that the service answered with 429."),
    smoke: object(
      "With `--smoke`: whether sessions can be started with what was applied. `exit` is about the apply alone.",
      smokeKeys,
    ).optional(),
  },
);

const proposal = record("Proposal", "A pull request.", {
  result: openSet(["opened", "updated", "unchanged", "closed", "none"]).describe("What was done with it."),
  number: count.optional(),
  url: z.string().optional(),
  branch: z.string().optional(),
  written: list(
    z.object({ address: z.string(), field: z.string(), file: z.string() }),
    "What it brings into the files.",
  ),
  also_changes: list(
    z.string(),
    "Texts that it changes, too, because they are made of the same files: `context.sales.prompt (production)`.",
  ).optional(),
  refused: list(
    z.object({ address: z.string(), field: z.string().optional(), reason: z.string() }),
    "What it does not, and why, as sentences.",
  ),
  notes: list(z.string(), "Further facts as sentences."),
});

const drifted = record("Drift", "A managed object that was edited, or is gone.", {
  address: text("`kind.key`, such as `context.support`."),
  kind: text("Name of the kind."),
  label: text("Name of the object, as last applied."),
  id: text("Id in the service."),
  change: openSet(["changed", "vanished"]),
  updated_at: text("When it was last edited, as the service says.").optional(),
  successor: text("Of an object that vanished: the id of another one that has its name now.").optional(),
  fields: list(
    z.object({
      field: text("Name of the field, as in the files."),
      type: fieldType,
      place: line.optional().describe("Of prose that consists of whole lines of a file: where."),
      composed: composed.optional(),
      before: z
        .union([value, forgottenText])
        .optional()
        .describe("As last applied. Absent: empty, or unknown."),
      after: value.optional().describe("Live. Absent: empty."),
      files: openSet(["applied", "live", "other", "undeclared"] satisfies DriftedField["files"][]).describe(
        "What the files have: what was last applied, what is live, something else, or no such object.",
      ),
    }),
    "The fields that were edited.",
  ),
});

export const driftForm = documentForm(
  "drift",
  "avatarops drift",
  "What was edited in the account since the last apply: the output of `avatarops drift --format json`.",
  {
    service: text("Base URL of the service."),
    environment: text("The chosen environment, `--env`.").optional(),
    targets: list(z.string(), "The addresses it was limited to, `--target`.").optional(),
    state: stateSerial.describe("The state it was compared with."),
    drifted: z.boolean().describe("Something was edited or is gone: the command exits with 2."),
    rotation_pending: list(
      z.object({ address: z.string(), note: text("Such as the two versions.").optional() }),
      "Secrets whose source has another value than the one that was sent: with one, the command exits with 2, too.",
    ),
    secrets_unverified: list(
      z.object({ address: z.string(), reason: z.string() }),
      "Secrets of which it is unknown whether they were rotated, and why.",
    ),
    summary: object("Numbers of objects.", {
      changed: count,
      vanished: count,
      unreadable: count,
      unchanged: count,
      unobservable: count,
    }),
    objects: z.array(drifted),
    unreadable: list(
      z.object({ address: z.string(), reason: z.string() }),
      "Objects of which nothing is known now, and why.",
    ),
    notes: list(z.string(), "Sentences about the whole comparison."),
    requests: count.describe("Requests sent to the service."),
    pull_request: proposal.optional().describe("With `--pull-request`: what became of it."),
  },
);

const place = {
  project: text("The main file, from the current folder."),
  environment: text(
    "One of its environments. Absent: it declares none, or its files have errors.",
  ).optional(),
  order: count
    .describe(
      "0, or one more than that of the last environment that it needs: a smaller one is applied first.",
    )
    .optional(),
};

export const projectsForm = documentForm(
  "projects",
  "avatarops projects",
  "What a command says of several projects: the output of `--all --format json`.",
  {
    changed_since: text(
      "The commit that the projects were compared with. Absent: all count as changed.",
    ).optional(),
    unchanged: list(
      z.object(place),
      "Those whose files are as they were in that commit, which were left out.",
    ),
    deleted: list(
      z.string(),
      "Main files that this commit has, and that are gone. Their objects stay in the account.",
    ),
    projects: list(
      record("ProjectResult", "What the command says of one project and environment.", {
        ...place,
        exit: count.describe("Exit code of the command for it alone."),
        counts: text("The result in one line."),
        result: z
          .record(z.string(), z.unknown())
          .describe(
            "The document of the command for it alone; of `validate`, with the first environment of each project.",
          )
          .optional(),
      }),
      "In the order of their paths, then of their environments.",
    ),
    exit: count.describe("The worst exit code: 130, 1, 4, 5, 6, 3, 2, 0, in this order."),
  },
);
