import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import {
  toDiagnosticsDocument,
  toErrorDocument,
  toOutcomeDocument,
  toPlanDocument,
  toPullDocument,
  toStateListDocument,
  toStateShowDocument,
} from "../../src/output/documents/index.js";
import * as render from "../../src/output/render/index.js";
import { removals } from "./removals.js";
import {
  createPlan,
  diagnostics,
  everything,
  outcome,
  state,
  tricky,
  twoSessions,
  writeSessions,
} from "./samples.js";

const shown = toStateShowDocument(state, "context.support");
if (!shown) throw new Error("the sample state has context.support");

const pulled = [
  { address: "context.support", field: "prompt", file: "contexts/support.md" },
  { address: "context.support", field: "name", file: "contexts/support.md" },
];
const refused = [
  { address: "context.sales", field: "prompt", reason: "It was edited here and elsewhere." },
  { address: "voice.narrator", reason: "The service cannot read a voice.\u001B[2J" },
];

const texts: [name: string, text: (page: render.TextOptions) => string][] = [
  ["plan", (page) => render.renderText(toPlanDocument(everything), page)],
  ["plan-tricky", (page) => render.renderText(toPlanDocument(tricky), page)],
  ["plan-removals", (page) => render.renderText(toPlanDocument(removals), page)],
  ["outcome", (page) => render.renderText(toOutcomeDocument(outcome), page)],
  ["diagnostics", (page) => render.renderText(toDiagnosticsDocument(diagnostics), page)],
  ["sessions", (page) => writeSessions(twoSessions, "text", page)],
  ["state-list", (page) => render.renderText(toStateListDocument(state), page)],
  ["state-show", (page) => render.renderText(shown, page)],
  ["pull", (page) => render.renderText(toPullDocument(pulled, refused, { dryRun: false }), page)],
  ["pull-dry-run", (page) => render.renderText(toPullDocument(pulled.slice(1), [], { dryRun: true }), page)],
  ["pull-nothing", (page) => render.renderText(toPullDocument([], [], { dryRun: false }), page)],
];

test.each(texts)("renders %s as text that matches its golden file", async (name, text) => {
  await expect(text({ color: true, width: 80 })).toMatchFileSnapshot(`golden/${name}.80-columns-color.txt`);
});

test.each(texts.filter(([name]) => /^(plan|diagnostics)$/.test(name)))(
  "renders %s in 40 columns, matching its golden file",
  async (name, text) => {
    await expect(text({ color: false, width: 40 })).toMatchFileSnapshot(`golden/${name}.40-columns.txt`);
  },
);

const documents = [
  ["plan", toPlanDocument(everything)],
  ["plan-tricky", toPlanDocument(tricky)],
  ["plan-removals", toPlanDocument(removals)],
  ["outcome", toOutcomeDocument(outcome)],
  ["diagnostics", toDiagnosticsDocument(diagnostics)],
] as const;

test.each([...documents.map(([name, document]) => [name, render.renderMarkdown(document)] as const)])(
  "renders %s as Markdown that matches its golden file",
  async (name, text) => {
    await expect(text).toMatchFileSnapshot(`golden/${name}.md`);
  },
);

const ordinary = documents.filter(([name]) => !/^plan-/.test(name));

test.each([...ordinary, ["state-list", toStateListDocument(state)] as const, ["state-show", shown] as const])(
  "renders %s as JSON that matches its golden file",
  async (name, document) => {
    const json = render.renderJson(document);
    await expect(json).toMatchFileSnapshot(`golden/${name}.json.txt`);
    expect(json).not.toMatch(/canary/);
  },
);

test.each(texts)("renders %s within the terminal width, with the same text in color", (_, text) => {
  expect(stripVTControlCharacters(text({ color: true, width: 80 }))).toBe(text({ color: false, width: 80 }));
  expect(text({ color: false, width: 40 })).not.toMatch(/.{41}/u);
});

test("renders a plan without changes as one line under its title", () => {
  expect(render.renderText(toPlanDocument(createPlan([])), { color: false, width: 80 })).toBe(
    "Plan for https://api.example.com\n\n  Nothing to do: 0 unchanged. 7 requests.\n",
  );
});

test("renders sessions as a table in a wide terminal", () => {
  const lines = writeSessions(twoSessions, "text", { color: false, width: 160 }).split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "  session                               created               duration  credits  mode  source  sandbox",
    "  7d1f0c1e-52ab-4b0e-9d1c-6a5f3e2b1c0d  2026-11-21 08:00:00Z     1,234      1.5  FULL  DEMO    no",
    "  8d1f0c1e-52ab-4b0e-9d1c-6a5f3e2b1c0d  2026-11-21 08:00:00Z         –        –  HOLO  –       yes",
  ]);
});

test("marks an incomplete session list and does not show unknown totals as 0", () => {
  const totals = (sessions: number) => ({
    ...{ sessions, sessions_without_duration: sessions, sessions_without_credits: sessions },
    ...{ duration: 0, credits_consumed: 0 },
  });
  const summary = {
    type: "active",
    complete: false,
    totals: { all: totals(1), sandbox: totals(0) },
  } as const;
  expect(writeSessions([{ id: "s-1" }], "text", { color: false, width: 80 }, summary)).toBe(
    "  session\n  s-1\n\n  1 active session: duration not reported, credits not reported.\n  The list may be incomplete, because it kept changing while it was read or its\n    count is wrong.\n",
  );
});

test("renders an error and its causes", () => {
  const error = Object.assign(new Error("No answer.", { cause: new Error("socket hang up") }), {
    code: "no-answer",
  });
  expect(render.renderText(toErrorDocument(error), { color: false, width: 80 })).toBe(
    "error[no-answer] No answer.\n  because: socket hang up\n",
  );
});

test("renders an error in Markdown as a heading with all codes", () => {
  const cause = Object.assign(new Error("No answer (port 5003)."), { code: "ECONNREFUSED" });
  const error = Object.assign(new Error("The plan has changed.", { cause }), { code: "stale-plan" });
  expect(render.renderMarkdown(toErrorDocument(error))).toBe(
    "### error[stale-plan]: The plan has changed.\n\nbecause: No answer (port 5003).  [`ECONNREFUSED`]\n",
  );
});

test.each<[Parameters<typeof render.renderProgressText>[0], string]>([
  [{ type: "started", address: "context.a", action: "create", label: "A" }, 'create context.a "A"'],
  [
    {
      type: "finished",
      done: 3,
      total: 12,
      result: { address: "context.a", action: "create", status: "applied", notes: [] },
    },
    "[3/12] created context.a",
  ],
  [{ type: "waiting", why: "the service asks to slow down", forMs: 1500 }, "waiting the service asks to s…"],
])("renders a progress step as one line within the terminal's width", (event, line) => {
  expect(render.renderProgressText(event, { color: false, width: 30 })).toBe(line);
});
