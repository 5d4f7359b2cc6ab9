import { describe, expect, test } from "vitest";
import { hasTerraform } from "../../terraform.js";
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
  limits    = { disk = { most = 0.1 }, net = { most = 9007199254740993, unit = "GB" } }
  rules     = [{ port = 80 }, { port = 443 }]
`);

describe.skipIf(!hasTerraform)("a resource", () => {
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
      limits: { disk: { unit: "MB" }, net: { unit: "GB" } },
    });
    expect(await terraform.stateText()).not.toContain("canary");

    await terraform.write({ "main.tf": everything.replace("port = 80", "port = 8080") });
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
});
