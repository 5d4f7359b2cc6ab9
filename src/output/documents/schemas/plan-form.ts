import * as z from "zod";
import { jsonForm } from "../../../base/text/index.js";
import type { ChangeReason, FieldChange, Notice } from "../../../core/engine/index.js";
import { type Action, actionNames, planExits } from "../../../core/kinds/index.js";
import { finding } from "./diagnostic-form.js";
import { array, count, createDocumentForm, object, openSet, ordinal, record, text } from "./form.js";

export const line = record("Line", "A line in a project file.", {
  file: text("Path relative to the project folder, with `/`."),
  line: ordinal.describe("1-based line."),
});

export const composed = record("Composed", "Source lines of a text that is composed of several files.", {
  of: z.enum(["before", "after"]).describe("The composed text."),
  stretches: array(
    z.object({ start: count.describe("Start in the text, in UTF-16 code units."), ...line.shape }),
    "Parts of the text, each with the file and line where it begins.",
  ),
});

export const value = jsonForm;

export const forgottenText = record("ForgottenText", "Recorded digest and length of a text.", {
  digest: text("Text digest."),
  length: count.describe("Text length in UTF-16 code units."),
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

/** Conflicts that `pull` cannot merge. */
const conflicts = array(
  record("Conflict", "Lines, entries or a value that both sides changed. Empty sides are omitted.", {
    part: text("Path within the value, such as `[0].faq`.").optional(),
    location: line
      .optional()
      .describe(
        "File and line to edit. If several parts share a line, this is the line of the field or object.",
      ),
    applied: value.optional().describe("As last applied."),
    yours: value.optional().describe("In the files."),
    dashboard: value.optional().describe("In the account."),
  }),
  "Changes that `pull` cannot merge, because both sides changed the same lines or entries. Empty if it merges everything.",
);

const field = record("Field", "Difference in one field.", {
  field: text("Field name, as in the files."),
  type: fieldType.describe(
    "Field type. `prose` is a long text, such as a prompt. A `write-only` field, such as a secret value, has neither `before` nor `after`.",
  ),
  cause: openSet(["configured", "drifted", "conflicting"] satisfies FieldChange["cause"][]).describe(
    "Origin of the difference: an edit in the files (`configured`), an edit in the account since the last apply (`drifted`), or different edits in both (`conflicting`).",
  ),
  before: z
    .union([value, forgottenText])
    .optional()
    .describe(
      "The live value, or the last applied value if it cannot be read. Omitted if it is empty, unknown or write-only.",
    ),
  after: value
    .optional()
    .describe("The value to write. Omitted if it is empty, not known yet or write-only."),
  applied: value.optional().describe("For a conflicting field: the last applied value, if it is known."),
  conflicts: conflicts.optional(),
  source_before: text(
    "Previous source of a write-only field. Omitted if it did not change, or if no commit declares it.",
  ).optional(),
  source: text(
    "Source of a write-only field, such as a vault path. Omitted if the source did not change.",
  ).optional(),
  known_after: text(
    "For a reference whose id is known only after apply, the address of the referenced object.",
  ).optional(),
  location: line
    .optional()
    .describe(
      "File and first line of the text, if the text consists of whole lines of a file. Omitted for a text written inline or in code.",
    ),
  composed: composed.optional(),
  declared_at: line
    .optional()
    .describe("Where the field is declared: the first line of its text, or its key."),
});

const candidate = record("Candidate", "A live object that may match the declaration.", {
  id: text("Id in the service."),
  label: text("Object name."),
  created_at: text("As sent by the service.").optional(),
  updated_at: text("As sent by the service.").optional(),
});

const change = record("Change", "Change to one object.", {
  address: text("`kind.key`, such as `context.support`."),
  kind: text("Kind name, such as `context`."),
  label: text("Display name of the object: the declared one, otherwise the recorded one."),
  action: z
    .enum(actionNames)
    .exclude(["keep"])
    .meta({ openSet: true })
    .describe("Action that apply would take. See `avatarops help kinds`."),
  reason: openSet({
    configured: "The files changed.",
    drifted: "The object was edited in the account.",
    conflicting: "The files and the account changed in different ways.",
    converged: "The files and the account changed to the same value, so there is nothing to write.",
    new: "Declared for the first time, and not in the account.",
    found: "Declared for the first time, and found in the account by its exact name.",
    given: "Declared for the first time, by id.",
    recovered: "Created by an earlier apply whose response was lost, and found in the account.",
    vanished: "The account no longer has the object.",
    removed: "Removed from the files.",
    superseded: "Superseded by a new object. The files allow apply to delete the old one.",
    undeclared: "No file declares the object, so `prune` would delete it.",
    rotated: "A write-only field has a new value.",
    reidentified: "The declared id is not the one in the state.",
    "unknown-id": "No object has the declared id.",
    unreadable:
      "The object could not be read, for a reason that does not affect other objects, or it is missing from a list that may be incomplete.",
    "several-found": "Several objects have the declared name.",
    "shared-id": "Several declared objects have the same id in the state.",
    "answer-lost":
      "The response to a create was lost, and its object cannot be found or differs from the request.",
    unchanged: "Nothing changed.",
    unobservable: "The object cannot be read, so it is assumed to be unchanged since the last apply.",
    unverified:
      "The value of a write-only field is not available here, so it is assumed to be unchanged since the last apply.",
  } satisfies Record<ChangeReason, string>).describe("Explains the action."),
  id: text("Object id in the service, if there is one.").optional(),
  overwrites: z
    .boolean()
    .describe(
      "Applying the change would overwrite an edit made in the account. Apply skips it unless `overwrites_drift` is true.",
    ),
  fields: array(field, "The differences, in the order of the kind's fields."),
  candidates: array(candidate, "Objects to choose from, for `ambiguous`.").optional(),
  held: text("Reason for the hold. Apply skips the object. Omitted if the object is not on hold.").optional(),
  notes: array(z.string(), "Additional notes, as full sentences, such as objects that stay in the account."),
  declared_at: line.optional().describe("Location of the declaration. Omitted for an undeclared object."),
});

export const stateSerial = z.object({
  lineage: text("State id, created with the state."),
  serial: count.describe("Number of the state's last commit."),
});

export const planForm = createDocumentForm(
  "plan",
  "avatarops plan",
  "The changes that apply would make: the output of `avatarops plan --format json`.",
  {
    service: text("Base URL of the service."),
    environment: text("The chosen environment, `--env`.").optional(),
    targets: array(
      z.string(),
      "Addresses that the plan was limited to (`--target`, or the addresses of a rollback).",
    ).optional(),
    restored_serial: count.optional().describe("Serial whose values a rollback restores. Omitted otherwise."),
    state: stateSerial
      .optional()
      .describe("The state that the plan was computed from. Omitted if there was none yet."),
    compared_with: z
      .literal("state")
      .optional()
      .describe(
        "Compared with the last apply, because there was no API key. Omitted if the plan was compared with the account.",
      ),
    exit: z
      .enum(planExits)
      .meta({ openSet: true })
      .describe(
        "Overall result, determined by the most serious change. Only a plan with `changes` or `nothing` can be applied completely.",
      ),
    summary: object(
      "Number of objects for each action, and of changes that would overwrite an edit (`drifted`).",
      Object.fromEntries(
        [...actionNames, "drifted" as const].map((name) => [name, count]),
      ) as unknown as Record<Action | "drifted", typeof count>,
    ),
    changes: array(
      change,
      "Every change except `keep`, which is only counted. Ordered by kind, then as declared. Undeclared objects come last.",
    ),
    overwrites_drift: z
      .literal(true)
      .optional()
      .describe(
        "Apply overwrites edits made in the account (`--overwrite-drift` or `drift: overwrite`). Omitted if it skips them.",
      ),
    notices: array(
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
          "name-taken",
          "unverified",
          "superseded-kept",
          "superseded-objects",
          "rollback",
          "only-rotations",
          "active-sessions",
          "held",
          "held-objects",
          "needs",
        ] satisfies Notice["code"][]).describe("Stable code for scripts to match on."),
        message: text("One sentence."),
      }),
      "Facts about the plan besides its changes, such as holds.",
    ),
    policies: array(
      finding,
      "Policy findings for the files and the plan. Apply rejects a plan with errors. Omitted if there are none.",
    ).optional(),
    active_sessions: object(
      "Sessions outside the sandbox that were active when the plan was made, if it changes an existing context. If the list could not be read, there is a notice instead.",
      {
        count: count.describe("Sessions on the first page of the list, at most 100."),
        complete: z.boolean().describe("Whether the first page lists all active sessions."),
      },
    ).optional(),
    requests: count.describe("Number of requests sent to compute the plan."),
    digest: text(
      "Digest of all changes that apply would make. Plans with the same digest make the same changes.",
    ),
    next: object("Command that applies exactly this plan. Only in runs that cannot ask for confirmation.", {
      command: array(z.string(), "The command line, one argument per item."),
      digest: text("Plan digest."),
    }).optional(),
  },
);
