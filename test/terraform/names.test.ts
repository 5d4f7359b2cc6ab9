// @module-tag terraform
// @module-tag night
/** Names of many resources in one apply. */
import { describe, expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const context = (resource: string, name: string, more = "") => `
resource "avatarops_context" "${resource}" {
  name   = "${name}"
  prompt = "${resource}"
${more}}
`;

/** Contexts a, b and so on, by their names. */
const contexts = (...names: readonly string[]) =>
  names.map((name, at) => context("abc"[at] ?? "", name)).join("");

describe("the names of contexts", () => {
  test.each<[string, string[], string[]]>([
    ["exchanged", ["One", "Two"], ["Two", "One"]],
    ["passed on in a circle", ["One", "Two", "Three"], ["Two", "Three", "One"]],
  ])("are not %s: the plan says how that is done in steps", async (_what, before, after) => {
    const { emulator, requests, ...terraform } = await startAcceptance({
      main: contexts(...before),
      world: emptyDataset(),
    });
    await terraform.settle();
    await terraform.write({ "main.tf": contexts(...after) });
    requests();
    const said = await terraform.fail("plan");
    expect(said).toContain("Error: The account already has another context named");
    expect(said).toContain("To exchange names, apply a third name for one of the two first.");
    await terraform.fail("apply", "-auto-approve", "-parallelism=1");
    expect(requests().filter((one) => !one.startsWith("GET"))).toEqual([]);

    await terraform.write({ "main.tf": contexts("Other", ...before.slice(1)) });
    await terraform.settle();
    for (let at = after.length - 1; at >= 0; at--) {
      const names = ["Other", ...before.slice(1)].map((name, i) => (i >= at ? after[i] : name));
      await terraform.write({ "main.tf": contexts(...(names as string[])) });
      await terraform.settle();
    }
    const byPrompt = emulator.world.contexts.toSorted((a, b) => (a.prompt < b.prompt ? -1 : 1));
    expect(byPrompt.map(({ name }) => name)).toEqual(after);
  });

  test("that a forgotten one keeps, or that nobody manages, are told in the plan of a rename", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: contexts("One", "Two"),
      world: emptyDataset(),
    });
    await terraform.settle();
    await terraform.write({ "main.tf": contexts("Two") });
    for (const parallel of ["1", "10"])
      expect(await terraform.fail("plan", `-parallelism=${parallel}`)).toContain(
        'Error: The account already has another context named "Two"',
      );
    emulator.addContext({ name: "Stranger", prompt: "Not yours." });
    await terraform.write({ "main.tf": contexts("Stranger", "Two") });
    expect(await terraform.succeed("plan")).toContain(
      'Warning: The account already has another context named "Stranger"',
    );
  });
});
