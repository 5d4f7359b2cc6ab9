// @module-tag terraform
import { describe, expect, test } from "vitest";
import { start } from "./start.js";

const thing = (name: string) => `resource "example_thing" "it" {\n  name = ${name}\n}\n`;

describe("a provider block", () => {
  test("whose values are known only after apply is planned with", async () => {
    const { memory, ...terraform } = await start(`
resource "terraform_data" "account" {
  input = "other"
}

provider "example" {
  account = terraform_data.account.output
}
${thing('"one"')}`);
    expect(await terraform.succeed("plan")).toContain("The account is not known yet.");
    await terraform.settle();
    expect(memory.accounts.other?.size).toBe(1);
  });

  test("has a client of its own, beside others in one process, closed at the end", async () => {
    const { memory, ...terraform } = await start(`
provider "example" {
  alias   = "other"
  account = "other"
}

resource "example_thing" "other" {
  provider = example.other
  name     = "two"
}
${thing('"one"')}`);
    await terraform.settle();
    const names = (account: "main" | "other") =>
      [...(memory.accounts[account]?.values() ?? [])].map(({ name }) => name);
    expect([names("main"), names("other")]).toEqual([["one"], ["two"]]);
    expect(memory.events).toContain("close");
  });
});

describe("a data source", () => {
  const found =
    'data "example_thing" "found" {\n  name = example_thing.it.name\n}\noutput "size" {\n  value = data.example_thing.found.size\n}\n';

  test("completes its configuration", async () => {
    const { memory, ...terraform } = await start(thing('"one"') + found);
    await terraform.settle();
    expect(await terraform.succeed("output", "size")).toBe("3\n");
  });

  test("tells what it does not find at its line", async () => {
    const terraform = await start('data "example_thing" "found" {\n  name = "none"\n}\n');
    expect(await terraform.fail("plan")).toMatch(
      /There is no such thing\s+with data.example_thing.found,\s+on main.tf line 2/,
    );
  });
});

describe("a function", () => {
  const output = (call: string) => `output "it" {\n  value = provider::example::${call}\n}\n`;

  test.each([
    ['joined("-", "a", "b")', '"a-b"'],
    ['joined("-")', '""'],
    ["half(84).half", "42"],
  ])("gives %s", async (call, result) => {
    const terraform = await start(output(call));
    await terraform.settle();
    expect((await terraform.succeed("output", "it")).trim()).toBe(result);
  });

  test.each([
    ["half(3)", /Invalid value for "number" parameter: An even number is needed\./],
    ["half(13)", /This is a bug in the provider\. CallFunction of half failed\..*TypeError: unlucky/s],
    ["half(14)", /This is a bug in the provider\..*half: a number is required, but this is a string/s],
  ])("tells what is wrong with %s", async (call, text) => {
    const terraform = await start(output(call));
    const said = await terraform.fail("validate");
    expect(said).toMatch(text);
    expect(said).toMatch(/on main.tf line 2/);
  });
});

describe("Ctrl-C", () => {
  test("aborts the signal of a call, and what it made is in the state", async () => {
    let begun: () => void = () => {};
    const creating = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { memory, ...terraform } = await start(thing('"one"'), (event, signal) => {
      if (event !== "creating one") return undefined;
      begun();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    });
    const { kill, ended } = terraform.start("apply", "-auto-approve");
    await creating;
    kill("SIGINT");
    await ended;
    expect((await terraform.stateOf("example_thing.it")).id).toBe("thing-1");
  });
});
