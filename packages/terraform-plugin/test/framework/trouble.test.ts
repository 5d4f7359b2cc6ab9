// @module-tag terraform
import { describe, expect, test } from "vitest";
import { start } from "./start.js";

const thing = (body: string) => `resource "example_thing" "it" {\n${body}\n}\n`;

describe("a mistake of the user", () => {
  test("is shown at its line, with all of its place where terraform finds only a part", async () => {
    const terraform = await start(`resource "example_thing" "it" {
  name   = ""
  region = "north"
  owner  = { name = "me", mail = "nobody" }
  links = [
    { url = "https://a" },
    { url = "http://b" },
  ]
}
`);
    const said = await terraform.fail("validate");
    expect(said).toMatch(/Error: It needs a name\s+with example_thing.it,\s+on main.tf line 2,/);
    expect(said).toContain("Give it one.");
    expect(said).toMatch(
      /This is no address\s+with example_thing.it,\s+on main.tf line 4,.*\n\s*owner\.mail\b/s,
    );
    expect(said).toMatch(
      /Only https is safe\s+with example_thing.it,\s+on main.tf line 7,.*\n\s*links\[1\]\.url\b/s,
    );
  });

  test("that concerns several attributes is found", async () => {
    const terraform = await start(thing('name = "x"\nregion = "x"'));
    const said = await terraform.fail("validate");
    expect(said).toMatch(/Name and region are the same.*on main.tf line 3/s);
  });

  test("is not looked for in what is known only after apply", async () => {
    const { memory, ...terraform } = await start(`
resource "terraform_data" "it" {
  input = "https://a"
}
${thing('name = "named-${terraform_data.it.id}"\nlinks = [{ url = terraform_data.it.output }]\ntags = [terraform_data.it.id]\nsize = length(terraform_data.it.id)')}`);
    expect(await terraform.succeed("plan")).toContain("2 to add");
    await terraform.settle();
    expect((await terraform.stateOf("example_thing.it")).size).toBe(36);
  });

  test("in the provider block is shown there", async () => {
    const terraform = await start(`provider "example" {\n  account = "none"\n}\n${thing('name = "x"')}`);
    const said = await terraform.fail("plan");
    expect(said).toMatch(/There is no such account.*on main.tf line 2/s);
  });
});

describe("a failed call", () => {
  test("is explained by the provider", async () => {
    const terraform = await start(thing('name = "refused"'));
    const said = await terraform.fail("apply", "-auto-approve");
    expect(said).toMatch(/The service refuses\s+with example_thing.it,\s+on main.tf line 1/);
    expect(said).toContain("Ask for less.");
    expect(await terraform.succeed("show")).not.toContain("example_thing");
  });

  test("of an update leaves the state as it was", async () => {
    const { memory, ...terraform } = await start(thing('name = "one"'));
    await terraform.settle();
    await terraform.write({ "main.tf": thing('name = "refused"') });
    await terraform.fail("apply", "-auto-approve");
    expect((await terraform.stateOf("example_thing.it")).name).toBe("one");
    expect(await terraform.succeed("plan")).toContain("1 to change");
  });

  test("of a delete leaves the object", async () => {
    const terraform = await start(thing('name = "stays"'));
    await terraform.settle();
    expect(await terraform.fail("destroy", "-auto-approve")).toContain("The service refuses");
    expect((await terraform.stateOf("example_thing.it")).name).toBe("stays");
  });

  test("of a create that made half of it leaves it tainted", async () => {
    const { memory, ...terraform } = await start(thing('name = "half"'));
    expect(await terraform.fail("apply", "-auto-approve")).toMatch(
      /Only half of it was made.*on main.tf line 2/s,
    );
    await terraform.write({ "main.tf": thing('name = "whole"') });
    expect(await terraform.succeed("plan")).toMatch(/is tainted, so (it )?must be replaced/);
    await terraform.settle();
    expect([...(memory.accounts.main?.keys() ?? [])]).toEqual(["thing-2"]);
  });
});

describe("a bug in the provider", () => {
  test.each([
    [
      "broken",
      "This is a bug in the provider",
      "ApplyResourceChange of example_thing failed.",
      "TypeError: something is undefined",
    ],
    ["nothing", "Root object was present, but now absent."],
    ["unknown", "After the apply operation, the provider still indicated an unknown value"],
    ["renamed", "Provider produced inconsistent result after apply"],
    ["untyped", "This is a bug in the provider", "labels: an object is required, but this is a number"],
  ])("%s is called one, and what was made is in the state all the same", async (name, ...told) => {
    const { memory, ...terraform } = await start(thing(`name = "${name}"`));
    const said = (await terraform.fail("apply", "-auto-approve")).replace(/\s+/g, " ");
    for (const text of told) expect(said).toContain(text);
    expect(said).not.toMatch(/rpc error/);
    const state = JSON.parse(await terraform.stateText());
    expect(state.resources.map(idOf)).toEqual([...(memory.accounts.main?.keys() ?? [])]);
  });
});

function idOf(resource: { readonly instances: readonly { readonly attributes: { readonly id: string } }[] }) {
  return resource.instances[0]?.attributes.id;
}
