/** A plan for readers to whom every word has a price. */
import { expect, it } from "vitest";
import type { PlanDocument } from "../../src/output/documents/index.js";
import { startApplied } from "./hosting.js";

const numbers = Array.from({ length: 10 }, (_, i) => i);
const lines = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `${n * 7919}: ${(n * 104729).toString(36)} ${(n * 1299709).toString(36)}\n`,
  ).join("");
const prompt = (greeting: string) => `${lines(400)}Say ${greeting}.\n${lines(1_100)}`;

it("tells ten changes of prompts of 30 KB in less than 20 KB: where each differs, and the digest that the state has", async () => {
  const contexts = numbers.map((i) => `  c${i}: { name: C${i}, prompt: !file c${i}.md }\n`).join("");
  const project = await startApplied({
    files: {
      "avatarops.yaml": `contexts:\n${contexts}`,
      ...Object.fromEntries(numbers.map((i) => [`c${i}.md`, prompt("hello")])),
    },
  });
  const state = JSON.parse(await project.read(".avatarops/state.json"));
  for (const i of numbers) await project.write(`c${i}.md`, prompt("good morning"));
  await project.write("c9.md", lines(1_500).replaceAll("1", "one"));

  const { stdout, exit } = await project.avatarops("plan", "--format", "json", "--no-texts");
  expect(exit).toBe(0);
  expect(stdout.length).toBeLessThan(20_000);
  const { changes } = JSON.parse(stdout) as PlanDocument;
  expect(changes[0]?.fields[0]).toMatchObject({
    before: state.objects["context.c0"].applied.prompt,
    after: { length: prompt("good morning").length - 1 },
    hunks: [{ line: 401, before: "Say hello.", after: "Say good morning." }],
  });
  expect(changes[9]?.fields[0]?.hunks_left_out).toBeGreaterThan(0);
  const text = await project.avatarops("plan", "--no-texts");
  expect(text.stderr).toContain("--no-texts is for --format json");
});
