import { Unknown } from "@avatarops/terraform-plugin";
import { describe, expect, test } from "vitest";
import { createEmptyDataset } from "../../../src/emulator/index.js";
import { type Kept, startAccount, startRun, type Values } from "./driving.js";

const type = "avatarops_context";
const createDesk = (name: string | typeof Unknown, more: Values = {}): Values => ({
  name,
  prompt: "",
  ...more,
});

/** Starts a run, with contexts of these names from an earlier run. */
async function startWith(...names: string[]) {
  const emulator = await startAccount({ world: createEmptyDataset(), profile: "liveavatar" });
  const before = await startRun(emulator);
  const kept = new Map<string, Kept>();
  for (const name of names) {
    const made = await before.apply(type, createDesk(name));
    if (made.kept) kept.set(String(name), made.kept);
  }
  const run = await startRun(emulator, { profile: "liveavatar" });
  /**
   * Plans renames in this order and returns the errors. A change from null is a create, and a change to null is a
   * removal.
   */
  const plan = async (...changes: (readonly [string | null, string | typeof Unknown | null])[]) => {
    const diagnostics = [];
    for (const [from, to] of changes)
      diagnostics.push(
        ...(await run.plan(type, to === null ? null : createDesk(to), from ? kept.get(from) : null))
          .diagnostics,
      );
    return diagnostics.filter(({ severity }) => severity === "error").map(({ detail }) => detail);
  };
  const idOf = (name: string) => String(kept.get(name)?.state.id);
  return { emulator, run, kept, plan, idOf };
}

/** Returns all orders of the entries. */
function permute<T>(entries: readonly T[]): T[][] {
  if (entries.length === 0) return [[]];
  return entries.flatMap((entry) =>
    permute(entries.filter((other) => other !== entry)).map((rest) => [entry, ...rest]),
  );
}

describe("plan that moves a name between resources", () => {
  const moves = [
    {
      what: "a removal and a create",
      changes: [
        ["A", null],
        [null, "A"],
      ],
      says: /This plan creates the context "A", and removes the context "A" \(.*\) from the state/,
    },
    {
      what: "a removal and a rename",
      changes: [
        ["A", null],
        ["B", "A"],
      ],
      says: /renames the context "B" \(.*\) to "A", and removes the context "A"/,
    },
    {
      what: "a rename and a create",
      changes: [
        ["A", "C"],
        [null, "A"],
      ],
      says: /creates the context "A", and renames the context "A" \(.*\) to "C"/,
    },
    {
      what: "two renames",
      changes: [
        ["A", "C"],
        ["B", "A"],
      ],
      says: /renames the context "B" \(.*\) to "A", and renames the context "A" \(.*\) to "C"/,
    },
    {
      what: "a rename to an unknown name and a create",
      changes: [
        ["A", Unknown],
        [null, "A"],
      ],
      says: /to a value that is known only after apply/,
    },
  ] as const;

  test.each(moves)("fails for $what in both planning orders", async ({ changes, says }) => {
    const [one, other] = changes;
    for (const order of [
      [one, other],
      [other, one],
    ]) {
      const { plan } = await startWith("A", "B");
      expect(await plan(...order)).toEqual([expect.stringMatching(says)]);
    }
  });

  test("suggests applying the last rename of a chain first, whatever the planning order", async () => {
    const renames = ["A", "B", "C", "D"].map((name, at, all) => [name, all[at + 1] ?? "E"] as const);
    const { emulator, kept, idOf } = await startWith("A", "B", "C", "D");
    const expected = `Apply the rename of "D" (${idOf("D")}) to "E" alone first`;
    for (const order of permute(renames)) {
      const run = await startRun(emulator, { profile: "liveavatar" });
      const errors = [];
      for (const [from, to] of order)
        errors.push(...(await run.plan(type, createDesk(to), kept.get(from))).diagnostics);
      const moves = errors.filter(({ summary }) => summary.includes("moves between"));
      expect(moves.map(({ detail }) => detail)).toContainEqual(expect.stringContaining(expected));
      for (const { detail } of moves) {
        const [, referred] = /another error in this plan is about (".")/.exec(detail ?? "") ?? [];
        if (referred)
          expect(moves.map(({ summary }) => summary).join()).toContain(`The name ${referred} moves`);
        else expect(detail).toContain(expected);
      }
    }
  });

  test("suggests renaming a removed object first if it keeps a name that a chain of renames needs", async () => {
    const { plan, idOf } = await startWith("A", "B", "C");
    const errors = await plan(["C", null], ["B", "C"], ["A", "B"]);
    for (const error of errors)
      expect(error).toContain(`"C" (${idOf("C")}) keeps its name in the account, so rename it and apply`);
  });

  test("requires a temporary name for circular renames", async () => {
    const { plan, idOf } = await startWith("A", "B", "C");
    const errors = await plan(["A", "B"], ["B", "C"], ["C", "A"]);
    expect(errors).toEqual([
      expect.stringContaining(
        `The context ${idOf("C")} still has the name "C". If another error in this plan is about "C"`,
      ),
      expect.stringContaining('first apply a temporary name for one of them, such as the context "C"'),
    ]);
  });

  test("mentions the deletion of the removed object if on_removal is set only in the state", async () => {
    const { emulator, run } = await startWith();
    const made = await run.apply(type, createDesk("A", { on_removal: "delete" }));
    const next = await startRun(emulator, { profile: "liveavatar" });
    await next.plan(type, null, made.kept);
    const { diagnostics } = await next.plan(type, createDesk("A"));
    const detail = expect.stringContaining('and deletes the context "A"');
    expect(diagnostics).toMatchObject([{ severity: "error", detail, path: ["name"] }]);
  });

  test("allows the same name for objects of different kinds", async () => {
    const { run, kept } = await startWith("A");
    await run.plan(type, null, kept.get("A"));
    const model = { display_name: "A", model_name: "gpt-4o", secret_id: "s-1" };
    expect((await run.plan("avatarops_llm_configuration", model)).diagnostics).toEqual([]);
  });

  test("allows renames of a kind whose names need not be unique", async () => {
    const { emulator, run } = await startWith();
    const type = "avatarops_llm_configuration";
    const key = { secret_name: "LLM", secret_type: "LLM_API_KEY", secret_value_wo: "sk-one" };
    const secret_id = (await run.apply("avatarops_secret", key)).kept?.state.id ?? "";
    const model = (name: string): Values => ({ display_name: name, model_name: "gpt-4o", secret_id });
    const [a, b] = [await run.apply(type, model("A")), await run.apply(type, model("B"))];
    expect([a.diagnostics, b.diagnostics]).toEqual([[], []]);
    const next = await startRun(emulator, { profile: "liveavatar" });
    for (const { kept } of [a, b]) if (kept) await next.refresh(type, kept);
    const plans = [await next.plan(type, model("B"), a.kept), await next.plan(type, model("A"), b.kept)];
    expect(plans.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
    await next.apply(type, model("B"), a.kept);
    expect((await next.apply(type, model("A"), b.kept)).diagnostics).toEqual([]);
    const create = await (await startRun(emulator, { profile: "liveavatar" })).plan(type, model("B"));
    expect(create.diagnostics).toMatchObject([{ severity: "warning", path: ["display_name"] }]);
  });
});
