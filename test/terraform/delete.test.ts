/** Tests which objects a destroy deletes with `on_removal = "delete"`, and when it fails. */
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { startEmulator } from "../documented-emulator.js";
import { startAcceptance } from "./acceptance.js";

const formatProvider = (drift = "warn") =>
  `provider "avatarops" {\n  profile = "liveavatar"\n  drift   = "${drift}"\n}\n`;
const formatContext = (more = "") =>
  `resource "avatarops_context" "a" {\n  name = "A"\n  prompt = "First."\n  on_removal = "delete"\n${more}}\n`;

async function startAndApply(main: string) {
  const terraform = await startAcceptance({
    ...{ main, world: createEmptyDataset(), emulator: { profile: "liveavatar" } },
  });
  await terraform.settle();
  terraform.requests();
  return { terraform, contexts: terraform.emulator.world.contexts };
}

const joinLines = ({ stdout, stderr }: { stdout: string; stderr: string }) =>
  `${stdout}${stderr}`.replace(/[│╷╵\s]+/g, " ");

describe("destroy", { tags: "terraform" }, () => {
  test("warns about the deletion in the plan even if on_removal remains only in the state", async () => {
    const { terraform } = await startAndApply(formatProvider() + formatContext());
    await terraform.write({ "main.tf": (formatProvider() + formatContext()).replace(/ *on_removal.*/, "") });
    const warning = /Warning: The context will be deleted .*"A" .* on_removal = "delete"/;
    expect(joinLines(await terraform.run("plan", "-destroy"))).toMatch(warning);
    await terraform.write({ "main.tf": formatProvider() });
    expect(joinLines(await terraform.run("plan"))).toMatch(warning);
  });

  test("rejects deletion of an edited object with drift = refuse, and suggests a fix that works", async () => {
    const { terraform, contexts } = await startAndApply(formatProvider("refuse") + formatContext());
    terraform.emulator.editContext("A", { prompt: "Edited." });
    const output = joinLines(await terraform.run("destroy", "-auto-approve"));
    expect(output).toContain("The context's prompt was edited elsewhere");
    expect(output).not.toContain("-refresh=false");
    expect(output).toContain('drift = "overwrite"');
    await terraform.write({ "main.tf": formatProvider("overwrite") + formatContext() });
    expect(await terraform.run("destroy", "-auto-approve")).toMatchObject({ exit: 0 });
    expect(contexts).toEqual([]);
  });

  test("warns about a dashboard edit, and rejects the removal with drift = refuse", async () => {
    const { terraform, contexts } = await startAndApply(formatProvider("refuse") + formatContext());
    terraform.emulator.editContext("A", { prompt: "Edited." });
    // Removes the resource from the configuration.
    await terraform.write({ "main.tf": formatProvider("refuse") });
    const refused = await terraform.run("apply", "-auto-approve");
    expect(refused.exit).not.toBe(0);
    expect(joinLines(refused)).toContain("The context's prompt was edited elsewhere");
    expect(joinLines(refused)).toContain("To keep the context, keep its resource.");
    expect(contexts).toHaveLength(1);
    await terraform.write({ "main.tf": formatProvider("warn") });
    const plan = await terraform.run("plan", "-out=plan");
    expect(joinLines(plan)).toContain("including its edited prompt");
    expect(await terraform.run("apply", "plan")).toMatchObject({ exit: 0 });
    expect(contexts).toEqual([]);
  });

  test("keeps an object that was edited after the plan", async () => {
    const { terraform, contexts } = await startAndApply(formatProvider() + formatContext());
    expect(await terraform.run("plan", "-destroy", "-out=plan")).toMatchObject({ exit: 0 });
    terraform.emulator.editContext("A", { prompt: "Edited." });
    const ran = await terraform.run("apply", "plan");
    expect(ran.exit).not.toBe(0);
    expect(joinLines(ran)).toContain("Its prompt changed after the plan was made, so nothing was written.");
    expect(contexts).toHaveLength(1);
  });

  test("keeps each object in the state if its saved plan is applied to another service", async () => {
    const block = (name: string) =>
      formatContext().replaceAll('"A"', `"${name}"`).replace('"a"', `"${name}"`);
    const provider = formatProvider().replace("{\n", "{\n  base_url = var.url\n");
    // An ephemeral variable is not in the saved plan, like the provider's environment.
    const variable = 'variable "url" {\n  type      = string\n  ephemeral = true\n}\n';
    const other = await startEmulator();
    onTestFinished(() => other.close());
    const terraform = await startAcceptance({
      main: provider + variable + block("one") + block("two"),
      ...{ world: createEmptyDataset(), emulator: { profile: "liveavatar" } },
    });
    await terraform.succeed("apply", "-auto-approve", `-var=url=${terraform.emulator.url}`);
    await terraform.succeed("plan", "-destroy", "-out=plan", `-var=url=${terraform.emulator.url}`);
    const output = await terraform.fail("apply", `-var=url=${other.url}`, "plan");
    expect(output.match(/The state belongs to another service/g)).toHaveLength(2);
    expect(await terraform.succeed("state", "list")).toMatch(/context\.one\s+avatarops_context\.two/);
    expect(other.requests).toEqual([]);
  });
});

describe("replacement", { tags: "terraform" }, () => {
  test("deletes the old object and creates a new one with the same name", async () => {
    const { terraform, contexts } = await startAndApply(formatProvider() + formatContext());
    const [old] = contexts.map(({ id }) => id);
    const ran = await terraform.run("apply", "-auto-approve", "-replace=avatarops_context.a");
    expect(ran, joinLines(ran)).toMatchObject({ exit: 0 });
    expect(contexts).toHaveLength(1);
    expect(contexts[0]?.id).not.toBe(old);
    await terraform.settle();
  });

  test.each([
    { how: "-replace", renamed: false, taint: false },
    { how: "-replace and a new name", renamed: true, taint: false },
    { how: "taint", renamed: false, taint: true },
  ])("is rejected with drift = refuse if it deletes an edit of an unset field: $how", async (one) => {
    const { terraform, contexts } = await startAndApply(formatProvider("refuse") + formatContext());
    terraform.emulator.editContext("A", { opening_text: "Edited." });
    const renamed = formatContext().replace('"A"', '"B"');
    if (one.renamed) await terraform.write({ "main.tf": formatProvider("refuse") + renamed });
    if (one.taint) await terraform.succeed("taint", "avatarops_context.a");
    const replace = one.taint ? [] : ["-replace=avatarops_context.a"];
    const output = await terraform.fail("apply", "-auto-approve", ...replace);
    expect(output).toContain("Error: The context's opening_text was edited elsewhere");
    expect(output).toContain("This plan deletes the context, including its edited opening_text");
    expect(contexts).toMatchObject([{ name: "A", opening_text: "Edited." }]);
  });

  test.each([{ taint: false }, { taint: true }])(
    "warns about a deleted edit of an unset field: taint $taint",
    async ({ taint }) => {
      const { terraform, contexts } = await startAndApply(formatProvider() + formatContext());
      terraform.emulator.editContext("A", { opening_text: "Edited." });
      if (taint) await terraform.succeed("taint", "avatarops_context.a");
      const replace = taint ? [] : ["-replace=avatarops_context.a"];
      const ran = await terraform.run("apply", "-auto-approve", ...replace);
      expect(ran.exit, joinLines(ran)).toBe(0);
      expect(joinLines(ran)).toContain("Warning: The context's opening_text was edited elsewhere");
      expect(contexts).toMatchObject([{ opening_text: "" }]);
      expect(joinLines(await terraform.run("plan"))).not.toContain("Warning");
    },
  );
});
