// @module-tag terraform
import { describe, expect, test } from "vitest";
import { start } from "./start.js";

const thing = (body: string) => `resource "example_thing" "it" {\n${body}\n}\n`;

const everything = thing(`
  name      = "one"
  region    = "north"
  note      = "Hello"
  secret_wo = "canary"
  tags      = ["b", "a"]
  labels    = { x = "1", "__proto__" = "2" }
  any       = { deep = [1, "two", null] }
  links     = [{ url = "https://a" }, { url = "https://b", title = "B" }]
  owner     = { name = "me" }
  limits    = [{ most = 0.1 }, { most = 9007199254740993, unit = "GB" }]
`);

describe("a resource", () => {
  test("lives a whole life", async () => {
    const { memory, ...terraform } = await start(everything);
    await terraform.settle();
    expect(await terraform.stateOf("example_thing.it")).toMatchObject({
      id: "thing-1",
      size: 3,
      note: "Hello",
      secret_wo: null,
      revision: 1,
      links: [
        { url: "https://a", title: expect.any(String), id: expect.any(String) },
        { url: "https://b", title: "B", id: expect.any(String) },
      ],
      limits: [{ unit: "MB" }, { unit: "GB" }],
    });
    expect(await terraform.stateText()).not.toContain("canary");

    await terraform.write({ "main.tf": everything.replace("most = 0.1", "most = 0.2") });
    const plan = await terraform.succeed("plan");
    expect(plan).toContain("0 to add, 1 to change");
    expect(plan).toMatch(/~ revision += 1 -> \(known after apply\)/);
    expect(plan).toMatch(/ id += "thing-1"\n/);
    await terraform.settle();

    await terraform.write({ "main.tf": everything.replace("north", "south") });
    expect(await terraform.succeed("plan")).toMatch(/region += "north" -> "south" # forces replacement/);
    await terraform.settle();

    expect(await terraform.succeed("apply", "-destroy", "-auto-approve")).toContain("Its id was thing-2.");
    expect(memory.accounts.main?.size).toBe(0);
    expect(memory.events.filter((event) => event !== "close")).toEqual([
      "create one with canary",
      "update one",
      "delete one",
      "create one with canary",
      "delete one",
    ]);
  });

  test("whose value means the same as the one before is left as it is", async () => {
    const { memory, ...terraform } = await start(thing('name = "one"\nnote = "Hello"'));
    await terraform.settle();
    await terraform.write({ "main.tf": thing('name = "one"\nnote = "HELLO"') });
    await terraform.expectNothingToDo();
    expect((await terraform.stateOf("example_thing.it")).note).toBe("Hello");
  });

  test("changed elsewhere shows as drift, and vanished is made anew", async () => {
    const { memory, ...terraform } = await start(thing('name = "one"\nlinks = [{ url = "https://a" }]'));
    await terraform.settle();
    const things = memory.accounts.main;
    const made = things?.get("thing-1");
    if (!made) throw new Error("There is no thing-1.");
    things?.set("thing-1", { ...made, name: "edited" });
    expect(await terraform.succeed("plan")).toMatch(/~ name += "edited" -> "one"/);
    things?.delete("thing-1");
    expect(await terraform.succeed("plan")).toContain("1 to add");
  });

  test("is replaced by a change deep inside that is marked so, and not by one beside it", async () => {
    const owned = (owner: string) => thing(`name = "one"\nowner = { ${owner} }`);
    const { memory, ...terraform } = await start(owned('name = "me"'));
    await terraform.settle();
    await terraform.write({ "main.tf": owned('name = "me", mail = "me@example.com"') });
    expect(await terraform.succeed("plan")).toContain("1 to change");
    await terraform.write({ "main.tf": owned('name = "you"') });
    expect(await terraform.succeed("plan")).toMatch(/name = "me" -> "you" # forces replacement/);
    await terraform.settle();
    expect([...(memory.accounts.main?.keys() ?? [])]).toEqual(["thing-2"]);
  });

  test("refines its plan, and keeps what it remembers beside the state", async () => {
    const { memory, ...terraform } = await start(thing('name = "again"'));
    await terraform.succeed("apply", "-auto-approve");
    // Configuration and state are the same: what is to be done, only the resource knows.
    expect(await terraform.succeed("plan")).toMatch(/~ revision += 1 -> \(known after apply\)/);
    await terraform.settle();
    expect(memory.events.filter((event) => event === "update again")).toHaveLength(1);
  });

  test("is imported by the command and by a block, which writes a configuration with an empty plan", async () => {
    const { memory, ...terraform } = await start(everything);
    await terraform.settle();
    await terraform.succeed("state", "rm", "example_thing.it");
    await terraform.succeed("import", "example_thing.it", "thing-1");
    await terraform.expectNothingToDo();

    await terraform.succeed("state", "rm", "example_thing.it");
    const block = 'import {\n  to = example_thing.it\n  id = "thing-1"\n}\n';
    await terraform.write({ "main.tf": block });
    await terraform.succeed("plan", "-generate-config-out=made.tf");
    expect(await terraform.settle()).toContain("1 imported, 0 added, 0 changed");

    expect(await terraform.fail("import", "example_thing.other", "none")).toContain(
      'resource address "example_thing.other" does not exist',
    );
    await terraform.write({ "other.tf": 'resource "example_thing" "other" {\n  name = "x"\n}\n' });
    expect(await terraform.fail("import", "example_thing.other", "none")).toContain(
      "There is nothing to import",
    );
  });

  test("that cannot be changed is replaced, cannot be imported, and is only forgotten", async () => {
    const stamp = (text: string) => `resource "example_stamp" "it" {\n  text = "${text}"\n}\n`;
    const { memory, ...terraform } = await start(stamp("one"));
    await terraform.settle();
    await terraform.write({ "main.tf": stamp("two") });
    expect(await terraform.succeed("plan")).toMatch(/text += "one" -> "two" # forces replacement/);
    await terraform.settle();
    await terraform.succeed("state", "rm", "example_stamp.it");
    expect(await terraform.fail("import", "example_stamp.it", "1")).toContain(
      "The resource cannot be imported",
    );
    await terraform.settle();
    await terraform.succeed("destroy", "-auto-approve");
  });

  test("in a state of an older version is upgraded, without the loss of a digit", async () => {
    const { memory, ...terraform } = await start(
      thing('name = "one"\nlimits = [{ most = 9007199254740993 }]'),
    );
    await terraform.settle();
    const state = JSON.parse((await terraform.stateText()).replaceAll("9007199254740993", '"digits"'));
    const [instance] = state.resources[0].instances;
    const { name, ...rest } = instance.attributes;
    const asStored = (version: number) => {
      instance.schema_version = version;
      instance.attributes = { ...rest, ...(version === 0 ? { title: name } : { name }), gone: "x" };
      state.serial += 1;
      return { "terraform.tfstate": JSON.stringify(state).replaceAll('"digits"', "9007199254740993") };
    };
    await terraform.write(asStored(0));
    await terraform.expectNothingToDo();
    await terraform.write(asStored(1));
    await terraform.expectNothingToDo();
    await terraform.write(asStored(2));
    expect(await terraform.fail("plan")).toMatch(/newer/);
  });
});
