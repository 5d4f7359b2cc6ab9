import { describe, expect, it, onTestFinished } from "vitest";
import type { Attributes } from "../../src/attribute.js";
import { startDebugServer } from "../../src/server/debug-server.js";
import { Decimal, Dynamic, Unknown, type Value } from "../../src/values/value.js";
import { newWorkspace, registryFor, testedCore, type Workspace } from "../terraform.js";
import { recordOf } from "./arbitrary.js";
import { type Echo, echoOf, type Twist } from "./echo.js";
import { attributes, description } from "./sample.js";

/* What the real terraform makes of our values, and whether it and our rules find the same answers wrong. */

describe("terraform and our values", { tags: "terraform" }, () => {
  const plain: Attributes = {
    numbers: { type: ["list", "number"], optional: true, description },
    any: { type: "dynamic", optional: true, description },
    tags: { type: ["set", "string"], optional: true, description },
    labels: { type: ["map", "string"], optional: true, description },
  };

  it("agree on numbers of every size, in states and in saved plans", async () => {
    const { workspace, echo } = await start(plain);
    const numbers =
      "0.1, 1e100, 9007199254740993, 12345678901234567890, -0.5, 1e-7, 0.1234567890123456789, 18446744073709551616, 1/3";
    await workspace.write({ "main.tf": `resource "echo_value" "it" { numbers = [${numbers}] }` });
    await workspace.settle();
    expect(echo.config).toMatchObject({
      numbers: [
        0.1,
        10n ** 100n,
        9007199254740993n,
        12345678901234567890n,
        -0.5,
        1e-7,
        new Decimal("0.1234567890123456789"),
        18446744073709551616n,
        expect.any(Decimal),
      ],
    });
    await workspace.write({ "main.tf": `resource "echo_value" "it" { numbers = [9007199254740993, 0.3] }` });
    await workspace.succeed("plan", "-out=saved");
    await workspace.succeed("apply", "saved");
    await workspace.expectNothingToDo();
    expect(echo.broken).toEqual([]);
  });

  it("agree on texts, sets, maps and dynamic values", async () => {
    const { workspace, echo } = await start(plain);
    await workspace.write({
      "main.tf": `resource "echo_value" "it" {
        tags   = ["b", "a", "b", "\\u00e9", "e\\u0301"]
        labels = { "__proto__" = "p", "constructor" = "", "\\u00e9" = "\\ufeff" }
        any    = { list = [1, "2", null, true], nothing = null, number = 9007199254740993, set = toset(["x"]) }
      }`,
    });
    await workspace.settle();
    expect(echo.config).toStrictEqual(
      recordOf({
        numbers: null,
        tags: ["a", "b", "\u00e9"],
        labels: recordOf(
          Object.fromEntries([
            ["__proto__", "p"],
            ["constructor", ""],
            ["\u00e9", "\ufeff"],
          ]),
        ),
        any: new Dynamic(
          [
            "object",
            recordOf({
              list: ["tuple", ["number", "string", "dynamic", "bool"]],
              nothing: "dynamic",
              number: "number",
              set: ["set", "string"],
            }) as never,
          ],
          recordOf({ list: [1, "2", null, true], nothing: null, number: 9007199254740993n, set: ["x"] }),
        ),
      }),
    );
    expect(echo.broken).toEqual([]);
  });

  it("agree on what is unknown, and on what is only partly so", async () => {
    const { workspace, echo } = await start(plain);
    await workspace.write({
      "main.tf": `resource "terraform_data" "other" { input = { a = "x" } }
      resource "echo_value" "it" {
        tags    = ["a", "b-\${terraform_data.other.id}"]
        labels  = terraform_data.other.output
        numbers = [1, length(terraform_data.other.id)]
        any     = { id = terraform_data.other.id }
      }`,
    });
    await workspace.succeed("plan");
    expect(echo.config).toStrictEqual(
      recordOf({
        numbers: [1, Unknown],
        tags: expect.arrayContaining(["a", Unknown]),
        labels: Unknown,
        any: new Dynamic(["object", recordOf({ id: "string" }) as never], recordOf({ id: Unknown })),
      }),
    );
    expect(echo.broken).toEqual([]);
  });
});

const links = {
  list: [{ url: "u" }, { url: "v" }],
};
const aLink = { url: "u", faq: null, id: null, rank: null };

describe("terraform and our rules", { tags: "terraform" }, () => {
  it.each<[verdict: "right" | "wrong", name: string, config: object, twist: Twist]>([
    ["right", "everything as it was given", { name: "a", any: { a: [1] }, one: { url: "u" }, ...links }, {}],
    ["wrong", "a configured value changed", { name: "a" }, { plan: having({ name: "b" }) }],
    ["wrong", "a configured value dropped", { size: 1 }, { plan: having({ size: null }) }],
    ["wrong", "a configured value unknown", { size: 1 }, { plan: having({ size: Unknown }) }],
    ["right", "a number in another form", { size: 1.5 }, { plan: having({ size: new Decimal("1.50") }) }],
    ["right", "a text in another normal form", { name: "\u00e9" }, { plan: having({ name: "e\u0301" }) }],
    ["right", "a set in another order", { tags: ["a", "b"] }, { plan: having({ tags: ["b", "a", "b"] }) }],
    ["wrong", "another set", { tags: ["a", "b"] }, { plan: having({ tags: ["a"] }) }],
    ["right", "what is computed, filled", {}, { plan: having({ id: "i", size: 3, made: [aLink] }) }],
    ["wrong", "what is not computed, filled", {}, { plan: having({ name: "a" }) }],
    ["wrong", "an object that is not configured", {}, { plan: having({ one: aLink }) }],
    ["wrong", "an object dropped", { one: { url: "u" } }, { plan: having({ one: null }) }],
    ["wrong", "an object unknown", { made: [] }, { plan: having({ made: Unknown }) }],
    [
      "wrong",
      "a dynamic value of another type",
      { any: "1" },
      { plan: having({ any: new Dynamic("number", 1) }) },
    ],
    ["wrong", "a part of a list changed", links, { plan: having({ list: [aLink, aLink] }) }],
    [
      "right",
      "a part of a list computed",
      links,
      {
        plan: having({
          list: [
            { ...aLink, id: "i", rank: 1 },
            { ...aLink, url: "v" },
          ],
        }),
      },
    ],
    ["wrong", "a list shorter", links, { plan: having({ list: [aLink] }) }],
    ["wrong", "nothing", {}, { plan: () => null }],
    ["wrong", "a write-only value", { secret: "s" }, { plan: having({ secret: "s" }) }],
    ["right", "a write-only value left out", { secret: "s" }, {}],
    ["wrong", "an applied value changed", { name: "a" }, { apply: having({ name: "b" }) }],
    ["wrong", "an applied null filled", {}, { apply: having({ id: "i" }) }],
    [
      "right",
      "an unknown applied",
      {},
      {
        plan: having({ id: Unknown, made: Unknown }),
        apply: having({ id: "i", made: [aLink] }),
      },
    ],
    ["wrong", "an unknown left", {}, { plan: having({ id: Unknown }) }],
    ["wrong", "nothing applied", {}, { apply: () => null }],
    ["wrong", "an applied element lost", links, { apply: having({ list: [aLink] }) }],
    ["wrong", "a write-only value applied", { secret: "s" }, { apply: having({ secret: "s" }) }],
  ])("find %s: %s", async (verdict, _, config, twist) => {
    const { workspace, echo } = await start(attributes);
    echo.twist = twist;
    await workspace.write({
      "main.tf.json": JSON.stringify({ resource: { echo_value: { it: config } } }),
    });
    const { exit, stderr } = await workspace.run("apply", "-auto-approve");
    expect({ terraform: exit === 0 ? "right" : "wrong", stderr }).toMatchObject({ terraform: verdict });
    expect(echo.broken.length === 0 ? "right" : "wrong").toBe(verdict);
  });

  it("find a plan right that keeps what was, and one wrong that keeps something else", async () => {
    const { workspace, echo } = await start(attributes);
    const write = (name: string) =>
      workspace.write({ "main.tf.json": JSON.stringify({ resource: { echo_value: { it: { name } } } }) });
    await write("A");
    await workspace.settle();
    await write("a");
    echo.twist = { plan: having({ name: "A" }) };
    await workspace.succeed("plan");
    expect(echo.broken).toEqual([]);
    echo.twist = { plan: having({ name: "b" }) };
    await workspace.fail("plan");
    expect(echo.broken).toEqual([
      { path: ["name"], rule: "must be as in the configuration, or as it was before" },
    ]);
  });

  it.each<[name: string, read: Value]>([
    ["unknown", Unknown],
    ["write-only", "s"],
  ])("find a state wrong that is %s", async (name, value) => {
    const { workspace, echo } = await start(attributes);
    await workspace.write({ "main.tf": 'resource "echo_value" "it" {}' });
    await workspace.settle();
    const attribute = name === "unknown" ? "id" : "secret";
    echo.twist = { read: having({ [attribute]: value }) };
    // OpenTofu does not look for unknown values in what was read.
    const isTaken = testedCore.isOpenTofu && name === "unknown";
    await workspace[isTaken ? "succeed" : "fail"]("plan");
    expect(echo.broken.map(({ path }) => path)).toEqual([[attribute]]);
  });
});

/** An answer with these attributes in the place of what it should have. */
function having(given: {
  readonly [name: string]: Value;
}): (answer: { readonly [name: string]: Value }) => Value {
  return (answer) => ({ ...answer, ...given });
}

async function start(attributes: Attributes): Promise<{ workspace: Workspace; echo: Echo }> {
  const echo = echoOf(attributes);
  const server = await startDebugServer(echo.newInstance);
  onTestFinished(() => server.close());
  const workspace = await newWorkspace({
    files: {
      "versions.tf": 'terraform {\n  required_providers {\n    echo = { source = "example/echo" }\n  }\n}\n',
    },
    environment: { TF_REATTACH_PROVIDERS: server.reattach(`${registryFor()}/example/echo`) },
  });
  return { workspace, echo };
}
