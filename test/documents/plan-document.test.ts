import { expect, test } from "vitest";
import { planDocument, planExit } from "../../src/output/documents/index.js";
import { change, plan } from "../render/samples.js";

test("the plan document lists what is to be done and only counts the keeps", () => {
  const document = planDocument(
    plan([
      change({ address: "context.a", action: "keep", reason: "unchanged" }),
      change({
        address: "context.b",
        action: "update",
        reason: "drifted",
        id: "c-1",
        overwrites: true,
        liveDigest: "1:live",
        wanted: { prompt: "New" },
        fields: [{ field: "prompt", type: "prose", before: "Old", after: "New", cause: "drifted" }],
      }),
    ]),
  );
  expect(document).toEqual({
    format: "avatarops/plan",
    version: 1,
    service: "https://api.example.com",
    state: { lineage: "2b8c", serial: 4 },
    exit: "changes",
    summary: {
      create: 0,
      update: 1,
      adopt: 0,
      supersede: 0,
      delete: 0,
      forget: 0,
      protected: 0,
      missing: 0,
      unreadable: 0,
      ambiguous: 0,
      keep: 1,
      drifted: 1,
    },
    changes: [
      {
        address: "context.b",
        kind: "context",
        label: "Support desk",
        action: "update",
        reason: "drifted",
        id: "c-1",
        overwrites: true,
        fields: [
          { field: "prompt", type: "prose", cause: "drifted", before: "Old", after: "New", limit: 60_000 },
        ],
        notes: [],
      },
    ],
    notices: [],
    requests: 7,
    digest: "1:abc",
  });
});

test("values of write-only fields are in no plan document, whatever the plan holds", () => {
  const document = planDocument(
    plan([
      change({
        address: "secret.llm",
        action: "supersede",
        fields: [
          {
            field: "secret_value",
            type: "write-only",
            before: "s3cret",
            after: "s3cret",
            cause: "configured",
          },
        ],
      }),
    ]),
  );
  expect(document.changes[0]?.fields).toEqual([
    { field: "secret_value", type: "write-only", cause: "configured" },
  ]);
  expect(JSON.stringify(document)).not.toMatch(/s3cret/);
});

test("the ids the service gives to links are no part of a difference", () => {
  const links = [{ url: "https://a", faq: "A", id: "l-1" }];
  const document = planDocument(
    plan([
      change({
        address: "context.a",
        action: "update",
        fields: [
          { field: "links", type: "list", before: links, after: [{ url: "https://b" }], cause: "configured" },
        ],
      }),
    ]),
  );
  expect(document.changes[0]?.fields[0]).toEqual({
    field: "links",
    type: "list",
    cause: "configured",
    before: [{ url: "https://a", faq: "A" }],
    after: [{ url: "https://b", faq: "" }],
  });
});

test.each([
  [[], "nothing"],
  [["keep", "keep"], "nothing"],
  [["keep", "create"], "changes"],
  [["forget"], "changes"],
  [["create", "missing"], "missing"],
  [["create", "missing", "ambiguous"], "ambiguous"],
] as const)("a plan of %j comes to %s", (actions, exit) => {
  expect(planExit(plan(actions.map((action, at) => change({ address: `context.c${at}`, action }))))).toBe(
    exit,
  );
});
