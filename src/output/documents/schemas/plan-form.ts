import * as z from "zod";
import { jsonForm } from "../../../base/text/index.js";
import type { FieldChange, Notice, Reason } from "../../../core/engine/index.js";
import { type Action, actionNames, planExits } from "../../../core/kinds/index.js";
import { finding } from "./diagnostic-form.js";
import { count, documentForm, list, object, openSet, ordinal, record, text } from "./form.js";

export const line = record("Line", "A line of a file of the project.", {
  file: text("Path relative to the project folder, with `/`."),
  line: ordinal.describe("1-based line."),
});

export const composed = record("Composed", "Where a text that is made of several files is written.", {
  of: z.enum(["before", "after"]).describe("Which of the texts of the field it is."),
  stretches: list(
    z.object({ start: count.describe("Where it starts in the text, in UTF-16 code units."), ...line.shape }),
    "Each stretch with the file and the line at which it begins.",
  ),
});

export const value = jsonForm;

export const forgottenText = record("ForgottenText", "A text of which only digest and length are recorded.", {
  digest: text("Digest of the text."),
  length: count.describe("Its length in UTF-16 code units."),
});

export const fieldType = openSet([
  "string",
  "prose",
  "number",
  "boolean",
  "list",
  "object",
  "write-only",
  "reference",
] satisfies FieldChange["type"][]);

const field = record("Field", "The difference of one field.", {
  field: text("Name of the field, as in the files."),
  type: fieldType.describe(
    "Type of the field. `prose` is a long text, such as a prompt. A `write-only` field, such as the value of a secret, has neither `before` nor `after`.",
  ),
  cause: openSet(["configured", "drifted", "conflicting"] satisfies FieldChange["cause"][]).describe(
    "Whose edit it is: that of the files (`configured`), one made in the account since the last apply (`drifted`), or both, differently (`conflicting`).",
  ),
  before: z
    .union([value, forgottenText])
    .optional()
    .describe(
      "The live value; that last applied if it cannot be read. Absent: empty, unknown, or write-only.",
    ),
  after: value.optional().describe("The value to write. Absent: empty, not known yet, or write-only."),
  source_before: text(
    "Of a write-only field whose value comes from another source: where the last one came from, if a commit declares it.",
  ).optional(),
  source: text(
    "Of a write-only field whose value comes from another source than the last one: where it comes from, such as a path in a vault.",
  ).optional(),
  known_after: text(
    "Of a reference: the address of the object whose id it will be, known after apply.",
  ).optional(),
  place: line
    .optional()
    .describe(
      "Of prose that consists of whole lines of a file: the file and the first of those lines. A text written inline or in code has none.",
    ),
  composed: composed.optional(),
  declared_at: line
    .optional()
    .describe("Where the field is written: the first line of its text, or its key."),
});

const candidate = record("Candidate", "An object that may be the right one.", {
  id: text("Id in the service."),
  label: text("Its name."),
  created_at: text("As the service wrote it.").optional(),
  updated_at: text("As the service wrote it.").optional(),
});

const change = record("Change", "The change of one object.", {
  address: text("`kind.key`, such as `context.support`."),
  kind: text("Name of the kind, such as `context`."),
  label: text("Name of the object as people see it: as declared, otherwise as recorded."),
  action: z
    .enum(actionNames)
    .exclude(["keep"])
    .meta({ openSet: true })
    .describe("What apply would do; `avatarops help kinds` explains each."),
  reason: openSet({
    configured: "The files changed.",
    drifted: "Somebody else changed the object in the account.",
    conflicting: "Both changed, differently.",
    converged: "Both changed, to the same value: there is nothing to write.",
    new: "Declared for the first time, and not in the account.",
    found: "Declared for the first time, and found in the account by its exact name.",
    given: "Declared for the first time, by id.",
    recovered: "Created by an earlier apply whose answer was lost, and found in the account.",
    vanished: "It was in the account and no longer is.",
    removed: "No longer declared.",
    superseded: "A rotation has replaced it, and the files say that it is deleted then.",
    undeclared: "No file declares it, and `prune` was asked to delete it.",
    rotated: "A write-only field has a new value.",
    reidentified: "The declared id is not the one in the state.",
    "unknown-id": "No object has the declared id.",
    unreadable:
      "Reading it failed, for a reason that does not concern other objects, or its list cannot show that it does not exist.",
    "several-found": "Several objects have the declared name.",
    "answer-lost":
      "The answer to a create was lost, and its object cannot be looked up, or differs from what was sent.",
    unchanged: "Nothing changed.",
    unobservable: "It cannot be read, so it is assumed to be as last applied.",
    unverified:
      "The value of a write-only field is not available here, so it is assumed to be as last applied.",
  } satisfies Record<Reason, string>).describe("Why. It explains the action and does not change it."),
  id: text("Id of the object in the service, if it has one.").optional(),
  overwrites: z
    .boolean()
    .describe(
      "Applying it would overwrite an edit made in the account: apply skips it, unless `overwrites_drift` is true.",
    ),
  fields: list(field, "The differences, in the order of the kind's fields."),
  candidates: list(candidate, "Of `ambiguous`: the objects to choose from.").optional(),
  held: text("Why it is on hold, which apply leaves alone. Absent: it is not.").optional(),
  notes: list(
    z.string(),
    "Further facts as sentences: what stays in the account, what could not be checked.",
  ),
  declared_at: line.optional().describe("Where the object is declared. Absent if no file declares it."),
});

export const stateSerial = z.object({
  lineage: text("Id of the state: a new one begins with a new state."),
  serial: count.describe("Number of the state's last change."),
});

export const planForm = documentForm(
  "plan",
  "avatarops plan",
  "What apply would do: the output of `avatarops plan --format json`.",
  {
    service: text("Base URL of the service."),
    environment: text("The chosen environment, `--env`.").optional(),
    targets: list(z.string(), "The addresses that the plan was limited to, `--target`.").optional(),
    state: stateSerial.optional().describe("The state it was computed from. Absent: there was none yet."),
    compared_with: z
      .literal("state")
      .optional()
      .describe(
        "It was compared with what was last applied, because there was no API key. Absent: with the account.",
      ),
    exit: z
      .enum(planExits)
      .meta({ openSet: true })
      .describe(
        "What the plan comes to: the most serious of its changes decides. Only a plan of `changes` or `nothing` can be applied completely.",
      ),
    summary: object(
      "The number of objects for each action, and of changes that overwrite an edit (`drifted`).",
      Object.fromEntries(
        [...actionNames, "drifted" as const].map((name) => [name, count]),
      ) as unknown as Record<Action | "drifted", typeof count>,
    ),
    changes: list(
      change,
      "Every change except `keep`, which is only counted: in the order of kinds, then as declared; what leaves the files comes last.",
    ),
    overwrites_drift: z
      .literal(true)
      .optional()
      .describe(
        "Apply overwrites edits made in the account, by `--overwrite-drift` or `drift: overwrite`. Absent: it skips them.",
      ),
    notices: list(
      z.object({
        code: openSet([
          "behind",
          "unknown-ancestry",
          "undeclared-objects",
          "unstable-list",
          "ignored-fields",
          "all-vanished",
          "apply-running",
          "interrupted",
          "threshold",
          "not-compared",
          "same-name",
          "unverified",
          "superseded-kept",
          "rollback",
          "only-rotations",
          "active-sessions",
          "held",
          "held-objects",
        ] satisfies Notice["code"][]).describe("Stable: scripts may match it."),
        message: text("One sentence."),
      }),
      "Facts that are not changes.",
    ),
    policies: list(
      finding,
      "What the policies say of the files and of the plan: with an error among them, apply refuses. Absent: nothing.",
    ).optional(),
    active_sessions: object(
      "The sessions, without those of the sandbox, that were active when the plan was made. Only of a plan that changes a context that exists. Absent otherwise, and if the list could not be read: then there is a notice.",
      {
        count: count.describe("How many: those of the first page of the list, up to 100."),
        complete: z.boolean().describe("False: there are more, on further pages."),
      },
    ).optional(),
    requests: count.describe("Requests sent to compute it."),
    digest: text("Digest of everything that apply would do: two plans with the same digest do the same."),
    next: object("What carries out exactly this plan. Only where nobody was there to approve it.", {
      command: list(z.string(), "The words of the command line."),
      digest: text("Digest of the plan."),
    }).optional(),
  },
);
