import type { Diagnostic } from "../../src/base/diagnostics/index.js";
import type { Change, Outcome, Plan } from "../../src/core/engine/index.js";
import type { State } from "../../src/core/state/index.js";
import type { SessionsSummary, ShownSession } from "../../src/output/documents/index.js";
import { openSessionsWriter, type TextOptions } from "../../src/output/render/index.js";

/** Returns a change with default values. */
export function createChange(changes: Partial<Change> & Pick<Change, "address" | "action">): Change {
  return {
    kind: changes.address.split(".")[0] ?? "",
    label: "Support desk",
    reason: "configured",
    fields: [],
    overwrites: false,
    notes: [],
    ...changes,
  };
}

export function createPlan(changes: readonly Change[], more: Partial<Plan> = {}): Plan {
  return {
    basis: { service: "https://api.example.com", state: { lineage: "2b8c", serial: 4 } },
    changes,
    notices: [],
    requests: 7,
    digest: "1:abc",
    ...more,
  };
}

type Field = Change["fields"][number];

/** Returns a field change. Default cause: "configured". */
function createField(
  name: string,
  type: Field["type"],
  before?: Field["before"],
  after?: Field["after"],
  cause: Field["cause"] = "configured",
): Field {
  const values = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  return { field: name, type, ...values, cause };
}

const createLink = (faq: string) => ({ url: "https://example.com/terms", faq });

const supportPrompt = [
  "You are the voice of the support desk of Example Ltd.",
  "",
  "Answer politely in the language of the customer. Never promise a refund before the order was looked up, and say so when you do not know.",
  "",
  "The customer is called ${customer_name}.",
  "",
].join("\n");

/** Plan with one change for every action and every type of field. */
export const everything: Plan = createPlan(
  [
    createChange({
      ...{ address: "voice.narrator", action: "keep", reason: "unobservable", label: "Narrator", id: "v-1" },
    }),
    createChange({
      address: "avatar.host",
      action: "adopt",
      reason: "given",
      label: "Front desk",
      id: "7d1f0c1e-52ab-4b0e-9d1c-6a5f3e2b1c0d",
      fields: [createField("name", "string", "Avatar 12", "Front desk")],
    }),
    createChange({
      address: "avatar.ghost",
      action: "missing",
      reason: "unknown-id",
      label: "Ghost",
      id: "00000000-0000-4000-8000-000000000000",
      notes: ["Avatars cannot be created through the service: correct the id, or take it out of the files."],
    }),
    createChange({
      ...{ address: "context.support", action: "update", reason: "drifted", id: "c-1", overwrites: true },
      fields: [
        createField(
          "prompt",
          "prose",
          supportPrompt,
          supportPrompt
            .replace("politely", "warmly and briefly")
            .replace("called ${customer_name}.", "called ${first_name}; their order is ${order_id}."),
          "drifted",
        ),
        createField(
          "links",
          "list",
          [{ url: "https://example.com/returns", faq: "Returns", id: "l-1" }],
          [
            { url: "https://example.com/returns", faq: "Returns and refunds" },
            { url: "https://example.com/shipping", faq: "" },
          ],
        ),
      ],
    }),
    createChange({
      ...{ address: "context.returns", action: "create", reason: "new", label: "Returns desk" },
      fields: [
        createField("name", "string", undefined, "Returns desk"),
        createField("prompt", "prose", undefined, supportPrompt),
        createField("opening_text", "prose", undefined, "Hi, how can I help?"),
        createField("links", "list", undefined, [
          { url: "https://example.com/returns", faq: "Returns and refunds" },
        ]),
      ],
    }),
    createChange({
      ...{ address: "context.twin", action: "ambiguous", reason: "several-found", label: "Twin" },
      candidates: [
        { id: "1a1a", label: "Twin", createdAt: "2026-01-02T03:04:05Z" },
        { id: "2b2b", label: "Twin", createdAt: "2026-02-03T04:05:06Z" },
      ],
    }),
    createChange({
      ...{ address: "context.legacy", action: "update", label: "Legacy", reason: "configured", id: "c-9" },
      fields: [createField("prompt", "prose", { digest: "1:xyz", length: 4012 }, "Short now.")],
    }),
    createChange({
      address: "secret.llm",
      action: "supersede",
      reason: "rotated",
      label: "llm-production",
      id: "s-1",
      fields: [createField("secret_value", "write-only", "canary", "canary")],
      notes: ["The secret s-1 stays stored in the account: the service offers no delete."],
    }),
    createChange({
      ...{ address: "context.old", action: "forget", reason: "removed", label: "Old desk", id: "c-7" },
      notes: ["The context stays in the account: the service cannot delete contexts."],
    }),
  ],
  {
    basis: {
      service: "https://api.example.com",
      environment: "staging",
      state: { lineage: "2b8c", serial: 4 },
    },
    notices: [{ code: "undeclared-objects", message: "3 contexts of the account are not declared." }],
  },
);

/** Outcome with one result for every status. */
export const outcome: Outcome = {
  isRecorded: true,
  unrecorded: [],
  results: [
    { address: "context.returns", action: "create", status: "applied", id: "c-2", notes: [] },
    {
      address: "context.support",
      action: "update",
      status: "skipped",
      id: "c-1",
      problem: { code: "drifted", message: "It was edited elsewhere since the last apply." },
      notes: [],
    },
    {
      address: "avatar.host",
      action: "adopt",
      status: "failed",
      problem: {
        code: "refused",
        message: "PATCH /v1/avatars/7d1f: 502 from the service. Apply again later.",
      },
      notes: [],
    },
    {
      address: "secret.llm",
      action: "supersede",
      status: "unknown",
      problem: {
        code: "answer-lost",
        message: "The connection broke before the answer came: the next plan looks.",
      },
      notes: [],
    },
    {
      address: "context.old",
      action: "forget",
      status: "applied",
      notes: ["The context stays in the account: the service cannot delete contexts."],
    },
  ],
  kept: 12,
  cancelled: false,
  serial: 14,
  requests: 9,
  throttled: 2,
};

const marks = "Never [-promise-] a {++refund++}. Be";

/** Plan with typical accidents in prompts: invisible edits, repeated sentences, foreign scripts, hostile characters. */
export const tricky: Plan = createPlan(
  [
    createChange({
      ...{ address: "context.spaces", action: "update", label: "Trailing space" },
      fields: [createField("prompt", "prose", "Be kind. \nBe brief.", "Be kind.\nBe\u00a0brief.")],
    }),
    createChange({
      ...{ address: "context.doubled", action: "update", label: "Pasted twice" },
      fields: [createField("prompt", "prose", supportPrompt, `${supportPrompt}\n${supportPrompt}`)],
    }),
    createChange({
      address: "context.hostile",
      action: "update",
      label: "\u001b[2J\u202e`</summary>| @admin #1",
      reason: "conflicting",
      overwrites: true,
      held: "It is on hold (\u001b[2J@admin, since 2026-01-01 00:00 UTC): <b>`#1`</b>.",
      fields: [
        createField(
          "prompt",
          "prose",
          "Say hello.\n",
          "Say hello.\n```\n</details> @everyone ![x](https://evil.example/x.png)\n",
          "conflicting",
        ),
      ],
    }),
    createChange({
      ...{ address: "context.marks", action: "update", label: "Marks", reason: "drifted", overwrites: true },
      fields: [
        createField("name", "string", "Old", "New", "drifted"),
        createField("prompt", "prose", `${marks} kind.`, `${marks} quick.`, "drifted"),
      ],
    }),
    createChange({
      ...{ address: "context.named", action: "update", label: "Named", reason: "drifted", overwrites: true },
      fields: [createField("name", "string", "Old", "New", "drifted")],
    }),
    createChange({
      ...{ address: "context.日本", action: "update", label: "サポート 👨‍👩‍👧" },
      fields: [
        createField(
          "prompt",
          "prose",
          "お客様には丁寧に日本語で答えてください。わからないときは、そう言ってください。",
          "お客様には簡潔に日本語で答えてください。わからないときは、そう言ってください。",
        ),
        createField("opening_text", "prose", "Hi", ""),
      ],
    }),
    createChange({
      ...{
        address: "context.both",
        action: "update",
        label: "Both",
        reason: "conflicting",
        overwrites: true,
      },
      fields: [
        createField("prompt", "prose", "Be <b>warm</b>.\n\nBye.", "Be brief.\n\nBye, @all.", "conflicting"),
        createField("links", "list", [createLink("Live")], [createLink("Ours")], "conflicting"),
      ],
    }),
  ],
  {
    lastApplied: { "context.both.prompt": "Be polite.\n\nBye.", "context.both.links": [createLink("Old")] },
  },
);

const longLine = `    prompt: ${"You answer politely. ".repeat(12)}promt ${"Never promise anything. ".repeat(12)}`;

/** Unordered diagnostics with and without a source range, with different line number widths, a tab and a long line. */
export const diagnostics: Diagnostic[] = [
  {
    severity: "error",
    code: "bad-character",
    message: "tabs cannot indent YAML",
    location: { file: "b.yaml", line: 3, column: 4, length: 3, text: "\t漢\tabc\u202e def" },
  },
  {
    severity: "error",
    code: "no-manifest",
    message: "There is no avatarops.yaml here.",
    hint: "Run `avatarops init`.",
  },
  {
    severity: "error",
    code: "unknown-field",
    message: 'context.support has no field "promt"',
    hint: 'did you mean "prompt"?',
    location: {
      file: "avatarops.yaml",
      line: 12,
      column: 5,
      length: 5,
      text: "    promt: You answer politely.",
    },
  },
  {
    severity: "warning",
    code: "unknown-word",
    message:
      'the prompt of context.support contains the word "promt", which is not a word of any language we know',
    hint: "Write it as people say it, or take the word out; the avatar reads it letter by letter otherwise.",
    location: {
      file: "avatarops.yaml",
      line: 1203,
      column: longLine.indexOf("promt ") + 1,
      length: 5,
      text: longLine,
    },
  },
];

export function writeSessions(
  sessions: readonly ShownSession[],
  format: string,
  page: TextOptions = { color: false, width: 80 },
  summary = summaryOfTwo,
): string {
  const writer = openSessionsWriter(format, summary.type, page);
  return writer.sessions(sessions) + writer.end(summary);
}

export const twoSessions: readonly ShownSession[] = [
  {
    id: "7d1f0c1e-52ab-4b0e-9d1c-6a5f3e2b1c0d",
    created_at: "2026-11-21T08:00:00Z",
    updated_at: "2026-11-21T08:01:00Z",
    duration: 1234,
    source: "DEMO",
    mode: "FULL",
    is_sandbox: false,
    credits_consumed: 1.5,
  },
  {
    id: "8d1f0c1e-52ab-4b0e-9d1c-6a5f3e2b1c0d",
    created_at: "2026-11-21T08:00:00Z",
    mode: "HOLO",
    is_sandbox: true,
  },
];

const summaryOfTwo: SessionsSummary = {
  type: "active",
  complete: true,
  totals: {
    all: {
      sessions: 2,
      duration: 1234,
      sessions_without_duration: 1,
      credits_consumed: 1.5,
      sessions_without_credits: 1,
    },
    sandbox: {
      sessions: 1,
      duration: 0,
      sessions_without_duration: 1,
      credits_consumed: 0,
      sessions_without_credits: 1,
    },
  },
};

export const state: State = {
  version: 1,
  lineage: "2b8c",
  serial: 4,
  service: "https://api.example.com",
  objects: {
    "context.support": {
      id: "c-1",
      applied: {
        name: "Support desk",
        prompt: { digest: "1:xyz", length: 4012 },
        opening_text: "Hi, how can I help?",
        links: [
          { url: "https://example.com/returns", faq: "Returns" },
          { url: "https://example.com/shipping" },
        ],
      },
      inSyncAt: "2026-11-21T08:00:00Z",
    },
    "secret.llm": {
      id: "s-2",
      applied: { secret_name: "llm-production" },
      fingerprints: { secret_value: "v1:canary" },
      superseded: [{ id: "s-1", label: "llm-production", since: "2026-11-20T08:00:00Z" }],
    },
  },
  pending: {
    "context.new": {
      ...{ address: "context.new", action: "create", label: "New", at: "2026-11-21T08:00:00Z" },
      ...{ sent: {}, known: [] },
    },
  },
};

/** Outcome of a run that lost its lock, with an object whose id is not recorded. */
export const stoppedOutcome: Outcome = {
  ...outcome,
  isRecorded: false,
  stopped: { code: "lock-lost", message: "This run's lock on state.json was removed." },
  unrecorded: [{ address: "secret.llm", id: "s-1" }],
};
