import fc from "fast-check";
import {
  type DriftDocument,
  type HistoryItemDocument,
  toDiagnosticsDocument,
  toErrorDocument,
  toOutcomeDocument,
  toPlanDocument,
  toStateListDocument,
} from "../../src/output/documents/index.js";
import type { renderText } from "../../src/output/render/index.js";
import { reportSample } from "./report-sample.js";
import { createChange, createPlan, outcome } from "./samples.js";

type Document = Parameters<typeof renderText>[0];

/** Generates terminal escapes, Markdown, HTML and CI runner commands that an attacker might use. */
export const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ..."`|```|~~~|\\|</details>|</summary>|</code>|</table>|<script>|<!--|-->|@admin|#1|&lt;".split(
            "|",
          ),
          ...[
            "|",
            "\\|",
            "![x](https://evil.example)",
            "www.evil.example",
            "a@evil.example",
            "# title",
            "- item",
          ],
          ...["\n", "\r\n", "\r", "\t", "\n\n", "\n```\n", "\n</details>\n", "word ", "👨‍👩‍👧", "漢", "${x}"],
        ),
        fc.constantFrom(
          ...[
            "\u001b[31m",
            "\u001b[2J",
            "\u009b31m",
            "\u202e",
            "\u2066",
            "\u200d",
            "\ud83d",
            "\udc00",
            "\u0301",
          ],
          ...["::error::", " ::set-output name=a::", "\n ::add-mask::", "##", "[", "##[group]", "##vso[a]"],
        ),
        fc.string({ unit: "grapheme", maxLength: 8 }),
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join("")),
);

/** Returns documents in which every external string is `a` or `b`. */
export function createDocuments(a: string, b: string): readonly Document[] {
  const one = createChange({
    ...{ address: `context.${a}`, action: "ambiguous", label: b, id: a, overwrites: true, notes: [b, a] },
    fields: [
      { field: a, type: "string", before: a, after: b, cause: "drifted" },
      { field: "prompt", type: "prose", before: `${a}\n${b}`, after: `${b}\n${a}`, cause: "conflicting" },
      { field: "opening_text", type: "prose", after: a, cause: "configured" },
      {
        field: "links",
        type: "list",
        before: [{ url: a }],
        after: [{ url: b }, { url: a }],
        cause: "configured",
      },
    ],
    candidates: [{ id: a, label: b, createdAt: a }],
  });
  const basis = { service: a, environment: b, targets: [a] };
  const notices = [{ code: "interrupted", message: b }] as const;
  const result = { address: a, action: "update", status: "failed", id: b } as const;
  const location = { file: a, line: 3, column: 1 + (a.length >> 1), length: 3, text: b.replaceAll("\n", "") };
  const object = {
    id: b,
    applied: { name: a, links: [{ url: b }] },
    superseded: [{ id: a, label: b, since: a }],
  };
  const own = { lineage: a, serial: 1, service: b, pending: {} };
  return [
    toPlanDocument(createPlan([one], { basis, notices }), undefined, () => ({ file: a, line: 3 })),
    toOutcomeDocument({ ...outcome, results: [{ ...result, problem: { code: b, message: a }, notes: [a] }] }),
    toDiagnosticsDocument([{ severity: "error", code: a, message: b, location, hint: a }]),
    toStateListDocument({ ...own, objects: { [a]: object } }),
    toErrorDocument(new Error(a, { cause: new Error(b) })),
    createSmokeDocument(a, b),
    createReport(a, b),
    createDrift(a, b),
  ];
}

function createDrift(a: string, b: string): DriftDocument {
  const proposal = { result: "opened", number: 1, notes: [a] } as const;
  const prose = {
    field: a,
    type: "prose",
    before: `${a}\n${b}`,
    after: `${b}\n${a}`,
    files: "other",
  } as const;
  return {
    ...{ format: "avatarops/drift", version: 1, service: a, environment: b, targets: [a], drifted: true },
    ...{ state: { lineage: "2b8c", serial: 4 }, notes: [b], requests: 3 },
    unreadable: [{ address: a, reason: b }],
    rotation_pending: [{ address: a, note: b }],
    secrets_unverified: [{ address: b, reason: a }],
    summary: { changed: 1, vanished: 0, unreadable: 1, unchanged: 0, unobservable: 0 },
    objects: [
      {
        ...{
          address: a,
          kind: "context",
          label: b,
          id: a,
          change: "vanished",
          updated_at: b,
          successor: a,
          conflicting: true,
        },
        fields: [prose],
      },
    ],
    pull_request: {
      ...proposal,
      written: [{ address: a, field: b, file: a }],
      refused: [{ address: b, field: a, reason: b }],
    },
  };
}

/** Returns a history entry with these two strings. */
export function createRecord(a: string, b: string): HistoryItemDocument {
  return {
    ...{ serial: 4, lineage: "2b8c", at: a, command: b, by: { user: a, host: b, run: a }, environment: b },
    ...{ commit: { id: a, modified: true, file: b }, moved: { from: a, to: b } },
    changes: [
      {
        ...{ address: a, effect: "none", action: b, status: a, problem: b },
        fields: [{ field: a, type: "prose", before: `${a}\n${b}`, after: `${b}\n${a}`, missing: b }],
      },
    ],
  } as HistoryItemDocument;
}

export function createSmokeDocument(a: string, b: string): Document {
  return {
    ...{ format: "avatarops/smoke", version: 1, scope: "all", exit: "failed", advice: a },
    summary: { passed: 0, warned: 0, failed: 2, skipped: 0 },
    // Two checks, because a single one would be rendered as a line instead of a table.
    checks: [
      { preset: a, status: "failed", session_id: b, problem: { code: a, message: b } },
      { preset: "p", status: "failed", session_id: "s", problem: { code: "failed", message: "Why." } },
    ],
  };
}

export function createReport(a: string, b: string): typeof reportSample {
  const groups = reportSample.groups.slice(0, 1).map((group) => ({ ...group, key: a }));
  return { ...reportSample, service: a, environment: b, groups, modes: [{ value: b, sessions: 1 }] };
}
