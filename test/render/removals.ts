import type { Plan } from "../../src/core/engine/index.js";
import { createChange, createPlan } from "./samples.js";

/** Plan with deletions, protected objects, and references to objects created in the same apply. */
export const removals: Plan = createPlan([
  createChange({
    ...{ address: "note.todo", action: "delete", reason: "removed", label: "To do", id: "n-1" },
    notes: ["It superseded n-0, which stays in the account."],
  }),
  createChange({
    ...{
      address: "note.draft",
      action: "delete",
      reason: "drifted",
      label: "Draft",
      id: "n-2",
      overwrites: true,
    },
    fields: [
      { field: "name", type: "string", before: "Final", cause: "drifted" },
      { field: "text", type: "prose", before: "Word for word. ".repeat(10), cause: "drifted" },
      { field: "links", type: "list", before: [{ url: "https://a.example" }], cause: "drifted" },
    ],
  }),
  createChange({
    ...{ address: "note.terms", action: "protected", reason: "removed", label: "Terms", id: "n-3" },
    notes: ["It is protected from deletion."],
  }),
  createChange({
    ...{ address: "entry.leaf", action: "update", label: "Leaf", id: "e-1" },
    fields: [
      { field: "token", type: "reference", before: "t-1", knownAfter: "token.main", cause: "configured" },
      { field: "parent", type: "reference", knownAfter: "entry.root", cause: "configured" },
      { field: "protect", type: "string", before: "false", after: "true", cause: "configured" },
    ],
  }),
]);
