/** Names of many resources in one apply. */
import { describe, expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const pair = (first: string, second: string) => `
resource "avatarops_context" "a" {
  name   = "${first}"
  prompt = "A"
}

resource "avatarops_context" "b" {
  name   = "${second}"
  prompt = "B"
}
`;

describe("the names of two contexts", { tags: "terraform" }, () => {
  test.each(["unique", "free"] as const)(
    "are exchanged in one apply, or it is said how, where names are %s",
    async (contextNames) => {
      const { emulator, ...terraform } = await startAcceptance({
        main: pair("One", "Two"),
        world: emptyDataset(),
        emulator: { behaviour: { contextNames } },
      });
      await terraform.settle();
      await terraform.write({ "main.tf": pair("Two", "One") });
      const named = () => emulator.world.contexts.map(({ name, prompt }) => `${name}: ${prompt}`).toSorted();
      if (contextNames === "unique") {
        const said = await terraform.fail("apply", "-auto-approve");
        expect(said).toContain('The account already has another context named "Two"');
        expect(said).toContain("To exchange names, apply a third name for one of the two first.");
        expect(named()).toEqual(["One: A", "Two: B"]);
        await terraform.write({ "main.tf": pair("Three", "Two") });
        await terraform.settle();
        await terraform.write({ "main.tf": pair("Three", "One") });
        await terraform.settle();
        await terraform.write({ "main.tf": pair("Two", "One") });
      }
      await terraform.settle();
      expect(named()).toEqual(["One: B", "Two: A"]);
    },
  );
});

describe("thirty contexts", { tags: "terraform" }, () => {
  test("are made at once and changed at once, none of them twice", async () => {
    const many = (text: string) => `resource "avatarops_context" "all" {
  count  = 30
  name   = "Desk \${count.index}"
  prompt = "${text} \${count.index}"
}
`;
    const { emulator, ...terraform } = await startAcceptance({ main: many("One"), world: emptyDataset() });
    for (const text of ["One", "Two"]) {
      await terraform.write({ "main.tf": many(text) });
      expect(await terraform.succeed("apply", "-auto-approve", "-parallelism=30")).toContain("0 destroyed");
      await terraform.expectNothingToDo();
      const prompts = emulator.world.contexts.map(({ name, prompt }) => `${name}: ${prompt}`);
      expect(prompts.toSorted()).toEqual(
        Array.from({ length: 30 }, (_, at) => `Desk ${at}: ${text} ${at}`).toSorted(),
      );
    }
  });
});
