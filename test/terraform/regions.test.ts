// @module-tag terraform
import { describe, expect, test } from "vitest";
import { startAcceptance } from "./acceptance.js";

const region = (inside: string) => `<!-- BEGIN specials -->${inside}<!-- END specials -->`;
const text = (inside: string, before = "Be kind.") => `${before}\n${region(inside)}\nThe end.`;
const ours = "\nNone today.\n";
const theirs = "\nToday: ${dish}, e\u0301 and $1 off.\r\n";
const desk = (prompt: string, { names = '["specials"]', drift = "refuse" } = {}) => `
provider "avatarops" {
  drift = "${drift}"
}

resource "avatarops_context" "desk" {
  name            = "Desk"
  prompt          = ${JSON.stringify(prompt).replaceAll("${", "$${")}
  ignored_regions = ${names}
}
`;

async function startApplied(main = desk(text(ours))) {
  const terraform = await startAcceptance({ main });
  await terraform.settle();
  const { emulator } = terraform;
  return {
    ...terraform,
    edit: (prompt: string) => emulator.editContext("Desk", { prompt }),
    live: () => emulator.world.contexts[0]?.prompt,
    prompt: async () => (await terraform.stateOf("avatarops_context.desk")).prompt,
  };
}

describe("a region that somebody else writes", () => {
  test("is no difference for plan and refresh, and stays as it is right before the rest is written", async () => {
    const { edit, live, prompt, ...terraform } = await startApplied();
    edit(text(theirs));
    await terraform.expectNothingToDo();
    expect(await terraform.succeed("plan", "-refresh-only")).not.toContain("Today");
    await terraform.succeed("apply", "-auto-approve", "-refresh-only");
    expect(await prompt()).toBe(text(ours));

    await terraform.write({ "main.tf": desk(text("\nAnother default.\n", "Be brief.")) });
    await terraform.succeed("plan", "-out", "saved.tfplan");
    edit(text("\nNewer.\n"));
    await terraform.succeed("apply", "saved.tfplan");
    expect(live()).toBe(text("\nNewer.\n", "Be brief."));
    await terraform.expectNothingToDo();

    terraform.requests();
    await terraform.write({ "main.tf": desk(text("\nA third default.\n", "Be brief.")) });
    await terraform.settle();
    expect(terraform.requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
    expect(live()).toBe(text("\nNewer.\n", "Be brief."));
  });

  test("hides no edit around it, and none of its marks", async () => {
    const { edit, live, ...terraform } = await startApplied();
    edit(text(theirs, "Be rude."));
    expect(await terraform.fail("plan")).toContain("prompt of the context was edited elsewhere");
    await terraform.write({ "main.tf": desk(text(ours), { drift: "overwrite" }) });
    expect(await terraform.succeed("plan")).not.toContain("Today");
    await terraform.settle();
    expect(live()).toBe(text(theirs));

    edit("Be kind.\nThe end.");
    const plan = (await terraform.succeed("plan")).replace(/\n[│ ]*/g, " ");
    expect(plan).toContain("The region specials of the live prompt is missing: this writes its marks");
    await terraform.settle();
    expect(live()).toBe(text(ours));
  });

  test("is one as soon as it is named, and none any more when it is not", async () => {
    const { edit, live, ...terraform } = await startApplied(desk(text(ours), { names: "null" }));
    edit(text(theirs));
    expect(await terraform.fail("plan")).toContain("prompt of the context was edited elsewhere");
    await terraform.write({ "main.tf": desk(text(ours)) });
    await terraform.settle();
    expect(live()).toBe(text(theirs));
    await terraform.write({ "main.tf": desk(text(ours), { names: "[]" }) });
    await terraform.succeed("apply", "-auto-approve");
    expect(live()).toBe(text(theirs));
    expect(await terraform.fail("plan")).toContain("prompt of the context was edited elsewhere");
    await terraform.write({ "main.tf": desk(text(ours), { names: "[]", drift: "overwrite" }) });
    expect(await terraform.succeed("plan")).toContain("Today");
    await terraform.settle();
    expect(live()).toBe(text(ours));
  });

  test("needs its marks, each once", async () => {
    const terraform = await startAcceptance({ main: desk(text(ours).replace("END", "BEGIN")) });
    expect(await terraform.fail("validate")).toContain("The region specials of prompt does not end");
    await terraform.write({ "main.tf": desk("Be kind.") });
    const said = await terraform.fail("validate");
    expect(said).toContain("The region specials is in no text");
    expect(said).toContain("<!-- BEGIN specials -->");
  });
});
