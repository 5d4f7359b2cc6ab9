import { describe, expect, it, onTestFinished } from "vitest";
import type { Attributes } from "../../src/attribute.js";
import { startDebugServer } from "../../src/server/debug-server.js";
import { Decimal, Dynamic, Unknown } from "../../src/values/value.js";
import { newWorkspace, registryFor, type Workspace } from "../terraform.js";
import { recordOf } from "./arbitrary.js";
import { type Echo, echoOf } from "./echo.js";

/* What the real terraform makes of our values. */

const description = "";

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
  });
});

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
