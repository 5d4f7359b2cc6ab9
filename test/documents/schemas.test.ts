import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import ownPackage from "../../package.json" with { type: "json" };
import type { Diagnostic } from "../../src/base/diagnostics/index.js";
import type { Drift } from "../../src/core/engine/index.js";
import { kinds } from "../../src/core/kinds/index.js";
import {
  type DocumentName,
  documentNames,
  getSchemaFile,
  loadDocumentSchema,
  type ProposalFacts,
  toDiagnosticsDocument,
  toDriftDocument,
  toNoticeDocument,
  toOutcomeDocument,
  toPlanDocument,
  toShownSmoke,
  toSmokeDocument,
} from "../../src/output/documents/index.js";
import type { SmokeReport } from "../../src/sessions/reports/index.js";
import { removals } from "../render/removals.js";
import { reportSample } from "../render/report-sample.js";
import { createPlan, diagnostics, everything, stoppedOutcome, tricky } from "../render/samples.js";
import { compileValidator } from "./documented.js";

const at = { file: "avatarops.yaml", line: 3 };
const stretches = [
  { start: 0, file: "a.md", line: 1 },
  { start: 5, file: "partials/tone.md", line: 2 },
];
const whole = createPlan(everything.changes, {
  basis: {
    service: "https://api.example.com",
    state: { lineage: "2b8c", serial: 4 },
    environment: "staging",
    targets: ["context.support"],
    comparedWith: "state",
  },
  notices: [{ code: "undeclared-objects", message: "1 context is not declared." }],
  activeSessions: { count: 2, complete: true },
});

const kind = kinds.find(({ name }) => name === "context");
if (!kind) throw new Error("There are contexts.");
const drift = {
  objects: [
    {
      ...{ address: "context.a", kind, label: "A", id: "c-1", successor: "c-9", isChangedInFiles: true },
      live: { id: "c-1", label: "A", updatedAt: "2026-01-02T03:04:05Z", spec: {}, computed: {} },
      fields: [
        { field: "prompt", type: "prose", before: "Old", after: "New", files: "applied" },
        { field: "opening_text", type: "prose", before: "Old", after: "New", files: "applied" },
        {
          field: "links",
          type: "list",
          before: { digest: "1:x", length: 5000 },
          after: [],
          files: "other",
        },
      ],
    },
  ],
  unreadable: [{ address: "context.b", reason: "no answer" }],
  ...{ unchanged: 1, unobservable: 0 },
} as unknown as Drift;
const proposal: ProposalFacts = {
  ...{ result: "opened", number: 7, url: "https://example.com/7", branch: "drift", notes: ["One."] },
  written: [{ address: "context.a", field: "prompt", file: "prompts/a.md" }],
  also_changes: ["context.b.prompt (production)"],
  refused: [{ address: "context.a", field: "links", reason: "it is in code" }],
};

const smoked: SmokeReport = {
  checks: [
    { preset: "kiosk", status: "passed", avatarId: "a-1", sessionId: "s-1" },
    { preset: "desk", status: "failed", problem: { code: "refused", message: "No." } },
  ],
  cancelled: false,
};

const finding: Diagnostic = {
  ...{
    severity: "warning",
    code: "forbidden-phrases",
    message: "context.a.prompt has it.",
    hint: "Drop it.",
  },
  location: { file: "a.md", line: 1, column: 1, length: 1, text: "It", textColumn: 1 },
  policy: { address: "context.a", field: "prompt" },
};

/** Documents of each type that together contain every key. */
const samples: Readonly<Record<DocumentName, readonly object[]>> = {
  plan: [
    toPlanDocument(
      whole,
      (_address, field) => (field === "prompt" ? stretches : [{ start: 0, ...at }]),
      () => at,
      [finding],
    ),
    {
      ...toPlanDocument(tricky, undefined, () => at),
      next: { command: ["avatarops", "apply", "--digest", "1:x"], digest: "1:x" },
    },
    toPlanDocument(removals),
    toPlanDocument(
      createPlan([
        {
          ...{ address: "context.a", kind: "context", label: "A", action: "create", reason: "new" },
          ...{ overwrites: false, notes: [] },
          fields: [{ field: "voice", type: "reference", knownAfter: "voice.v", cause: "configured" }],
          candidates: [{ id: "1", label: "A", createdAt: "2026-01-02", updatedAt: "2026-01-02" }],
        },
      ]),
    ),
  ],
  outcome: [
    toOutcomeDocument(stoppedOutcome, toShownSmoke(smoked, { scope: "applied", advice: "Go back." })),
  ],
  drift: [
    toDriftDocument(
      {
        ...{ drift, service: "https://api.example.com", environment: "staging", targets: ["context.a"] },
        ...{ state: { lineage: "2b8c", serial: 4 }, notes: ["One."], requests: 3 },
        ...{ pull_request: proposal, issue: proposal },
        rotations: {
          pending: [{ address: "secret.a", because: "secret_value: version 1 → 2." }],
          configured: [],
          unverified: [{ address: "secret.b", reason: "One." }],
        },
      },
      (_address, field) => (field === "prompt" ? stretches : [{ start: 0, ...at }]),
    ),
  ],
  "sessions-report": [reportSample],
  notice: [
    toNoticeDocument(
      {
        ...{ type: "failed", title: "1 of 2 changes could not be applied", state_serial: 4, commit: "0a1b" },
        objects: [{ address: "context.a", what: "failed", problem: "One." }],
        problems: [{ code: "x", message: "Two." }],
      },
      {
        ...{ now: 0, command: "apply", project: "avatars", environment: "staging", user: "anna" },
        run: "https://ci.example.com/1",
      },
    ),
  ],
  smoke: [toSmokeDocument(smoked, { scope: "all", advice: "Go back." })],
  projects: [
    {
      ...{ format: "avatarops/projects", version: 1, changed_since: "1".repeat(40) },
      unchanged: [{ project: "a/avatarops.yaml", environment: "staging", order: 0 }],
      deleted: ["old/avatarops.yaml"],
      projects: [
        {
          ...{
            project: "b/avatarops.yaml",
            environment: "staging",
            order: 0,
            exit: 0,
            counts: "Nothing to do",
            next: "you: apply",
          },
          result: { ...toPlanDocument(tricky) },
        },
      ],
      exit: 0,
    },
  ],
  diagnostics: [
    toDiagnosticsDocument([
      ...diagnostics,
      {
        ...{ severity: "error", code: "x", message: "Long." },
        location: { file: "a.yaml", line: 1, column: 900, length: 1, text: "…", textColumn: 400 },
      },
      finding,
    ]),
  ],
};

describe.each(documentNames)("JSON Schema of the document %s", (name) => {
  test("matches the packaged file", async () => {
    const file = getSchemaFile(name);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(await loadDocumentSchema(name));
    expect(ownPackage.files).toContain("schemas");
    expect(ownPackage.exports["./schemas/*"]).toBe("./schemas/*");
    const { version, format } = samples[name][0] as { version: number; format: string };
    expect(file).toBe(`schemas/${format.replace("avatarops/", "")}-v${version}.schema.json`);
  });

  test("accepts each sample, and rejects additional keys in strict mode", async () => {
    const validate = await compileValidator(name);
    for (const sample of samples[name]) {
      expect(validate(sample), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({ ...sample, more: 1 })).toBe(false);
    }
  });

  test("describes only keys that occur in the samples", async () => {
    const schema = (await loadDocumentSchema(name, { strict: true })) as Node;
    const described = collectKeys(schema, schema);
    const found = new Set<string>();
    for (const sample of samples[name]) noteKeys(sample, found);
    expect([...described].filter((key) => !found.has(key))).toEqual([]);
  });

  test("accepts keys that later versions may add", async () => {
    const validate = new Ajv().compile(await loadDocumentSchema(name));
    for (const sample of samples[name]) expect(validate({ ...sample, more: 1 })).toBe(true);
  });
});

test("accepts any string as a reason in the plan schema, because later versions may add reasons", async () => {
  const validate = new Ajv().compile(await loadDocumentSchema("plan"));
  const withReason = (reason: unknown) => {
    const [document] = samples.plan as { changes: object[] }[];
    return { ...document, changes: [{ ...document?.changes[0], reason }] };
  };
  expect([validate(withReason("mislaid")), validate(withReason(1))]).toEqual([true, false]);
});

interface Node {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly allOf?: readonly Node[];
  readonly definitions?: Readonly<Record<string, Node>>;
}

/** Returns a schema node and all schemas that it refers to or combines. */
function listChoices(node: Node, root: Node): Node[] {
  const named = node.$ref && root.definitions?.[node.$ref.replace("#/definitions/", "")];
  return [node, ...(named ? listChoices(named, root) : [])].flatMap((one) => [
    one,
    ...[...(one.anyOf ?? []), ...(one.allOf ?? [])].flatMap((inner) => listChoices(inner, root)),
  ]);
}

function collectKeys(node: Node, root: Node, path = "", keys = new Set<string>()): Set<string> {
  for (const one of listChoices(node, root)) {
    for (const [key, inner] of Object.entries(one.properties ?? {})) {
      keys.add(`${path}.${key}`);
      collectKeys(inner, root, `${path}.${key}`, keys);
    }
    // Stops at lists of lists, which contain no described objects.
    if (one.items && !path.endsWith("[][]")) collectKeys(one.items, root, `${path}[]`, keys);
  }
  return keys;
}

function noteKeys(value: unknown, found: Set<string>, path = ""): void {
  if (Array.isArray(value)) for (const item of value) noteKeys(item, found, `${path}[]`);
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      found.add(`${path}.${key}`);
      noteKeys(inner, found, `${path}.${key}`);
    }
}
