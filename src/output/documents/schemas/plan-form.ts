import * as z from "zod";
import type { FieldChange, Notice, Reason } from "../../../core/engine/index.js";
import { type Action, actionNames, planExits } from "../../../core/kinds/index.js";
import { finding } from "./diagnostic-form.js";
import { count, headForm, openSet, ordinal } from "./form.js";

export const line = z
  .object({
    file: z.string().describe("Path relative to the project folder, with `/`."),
    line: ordinal.describe("1-based line."),
  })
  .meta({ id: "Line", description: "A line of a file of the project." });

export const value = z
  .union([
    z.string().describe("A text, or the id of a reference."),
    z.array(z.record(z.string(), z.string())).describe("The entries of a list, such as links."),
  ])
  .meta({ id: "Value", description: "The value of a field." });

export const forgottenText = z
  .object({
    digest: z.string().describe("Digest of the text."),
    length: count.describe("Its length in UTF-16 code units."),
  })
  .meta({ id: "ForgottenText", description: "A text of which only digest and length are recorded." });

export const fieldType = openSet([
  "string",
  "prose",
  "list",
  "write-only",
  "reference",
] satisfies FieldChange["type"][]);

const field = z
  .object({
    field: z.string().describe("Name of the field, as in the files."),
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
    known_after: z
      .string()
      .optional()
      .describe("Of a reference: the address of the object whose id it will be, known after apply."),
    place: line
      .optional()
      .describe(
        "Of prose that consists of whole lines of a file: the file and the first of those lines. A text written inline or in code has none.",
      ),
    declared_at: line
      .optional()
      .describe("Where the field is written: the first line of its text, or its key."),
  })
  .meta({ id: "Field", description: "The difference of one field." });

const candidate = z
  .object({
    id: z.string().describe("Id in the service."),
    label: z.string().describe("Its name."),
    created_at: z.string().optional().describe("As the service wrote it."),
    updated_at: z.string().optional().describe("As the service wrote it."),
  })
  .meta({ id: "Candidate", description: "An object that may be the right one." });

const change = z
  .object({
    address: z.string().describe("`kind.key`, such as `context.support`."),
    kind: z.string().describe("Name of the kind, such as `context`."),
    label: z.string().describe("Name of the object as people see it: as declared, otherwise as recorded."),
    action: z
      .enum(actionNames)
      .exclude(["keep"])
      .meta({ openSet: true })
      .describe("What apply would do; docs/kinds.md explains each."),
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
      rotated: "A write-only field has a new value.",
      reidentified: "The declared id is not the one in the state.",
      "unknown-id": "No object has the declared id.",
      unreadable: "Reading it failed, for a reason that does not concern other objects.",
      "several-found": "Several objects have the declared name.",
      "answer-lost":
        "The answer to a create was lost, and its object cannot be looked up, or differs from what was sent.",
      unchanged: "Nothing changed.",
      unobservable: "It cannot be read, so it is assumed to be as last applied.",
      unverified:
        "The value of a write-only field is not available here, so it is assumed to be as last applied.",
    } satisfies Record<Reason, string>).describe("Why. It explains the action and does not change it."),
    id: z.string().optional().describe("Id of the object in the service, if it has one."),
    overwrites: z
      .boolean()
      .describe(
        "Applying it would overwrite an edit made in the account: apply refuses, unless it is told to.",
      ),
    fields: z.array(field).describe("The differences, in the order of the kind's fields."),
    candidates: z.array(candidate).optional().describe("Of `ambiguous`: the objects to choose from."),
    notes: z
      .array(z.string())
      .describe("Further facts as sentences: what stays in the account, what could not be checked."),
    declared_at: line.optional().describe("Where the object is declared. Absent if no file declares it."),
  })
  .meta({ id: "Change", description: "The change of one object." });

export const undeclared = z
  .object({
    kind: z.string().describe("Name of its kind."),
    id: z.string().describe("Id in the service."),
    label: z.string().describe("Its name."),
    updated_at: z.string().optional().describe("As the service wrote it."),
  })
  .meta({ id: "Undeclared", description: "An object of the account that no file declares." });

export const stateSerial = z.object({
  lineage: z.string().describe("Id of the state: a new one begins with a new state."),
  serial: count.describe("Number of the state's last change."),
});

const threshold = z
  .object({
    kind: z
      .string()
      .optional()
      .describe("The kind with numbers of its own. Absent: all other kinds together."),
    managed: count.describe("Objects in the state."),
    changed: count.describe("How many of them would be changed."),
    removed: count.describe("How many of them would be removed."),
    max_percent: z.number().describe("The largest share that may be changed or removed."),
    min_objects: count.describe("The smallest number of objects for which the share counts."),
  })
  .meta({ id: "Threshold", description: "A threshold that the plan exceeds." });

export const planForm = z
  .object({
    ...headForm("plan"),
    service: z.string().describe("Base URL of the service."),
    environment: z.string().optional().describe("The chosen environment, `--env`."),
    targets: z
      .array(z.string())
      .optional()
      .describe("The addresses that the plan was limited to, `--target`."),
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
    summary: z
      .object(
        Object.fromEntries(
          [...actionNames, "drifted" as const].map((name) => [name, count]),
        ) as unknown as Record<Action | "drifted", typeof count>,
      )
      .describe("The number of objects for each action, and of changes that overwrite an edit (`drifted`)."),
    changes: z
      .array(change)
      .describe(
        "Every change except `keep`, which is only counted: in the order of kinds, then as declared; what leaves the files comes last.",
      ),
    notices: z
      .array(
        z.object({
          code: openSet([
            "behind",
            "diverged",
            "unknown-ancestry",
            "undeclared-objects",
            "same-name",
            "unstable-list",
            "all-vanished",
            "apply-running",
            "interrupted",
            "threshold",
            "not-compared",
            "unverified",
            "rollback",
            "active-sessions",
          ] satisfies Notice["code"][]).describe("Stable: scripts may match it."),
          message: z.string().describe("One sentence."),
        }),
      )
      .describe("Facts that are not changes."),
    policies: z
      .array(finding)
      .optional()
      .describe(
        "What the policies say of the files and of the plan: with an error among them, apply refuses. Absent: nothing.",
      ),
    thresholds: z
      .array(threshold)
      .optional()
      .describe("The thresholds that it exceeds: apply needs `--force`. Absent if none."),
    undeclared: z
      .array(undeclared)
      .optional()
      .describe("With `--undeclared`: the objects of the account that no file declares."),
    active_sessions: z
      .object({
        count: count.describe("How many: those of the first page of the list, up to 100."),
        complete: z.boolean().describe("False: there are more, on further pages."),
      })
      .optional()
      .describe(
        "The sessions, without those of the sandbox, that were active when the plan was made. Only of a plan that changes a context that exists. Absent otherwise, and if the list could not be read: then there is a notice.",
      ),
    requests: count.describe("Requests sent to compute it."),
    digest: z
      .string()
      .describe("Digest of everything that apply would do: two plans with the same digest do the same."),
  })
  .meta({
    title: "avatarops plan",
    description: "What apply would do: the output of `avatarops plan --format json`.",
  });
