// @module-tag terraform
/** Tests the limit that `timeouts` sets for each operation, its error, and the state afterward. */
import { describe, expect, test } from "vitest";
import { createEmptyDataset, createSampleDataset } from "../../src/emulator/index.js";
import { searchMs, startAcceptance } from "./acceptance.js";

const formatContext = (resource: string, name: string, timeouts = "", more = "") => `
resource "avatarops_context" "${resource}" {
  name   = "${name}"
  prompt = "Be kind."
${more}${timeouts && `  timeouts = { ${timeouts} }\n`}}
`;

/** Leaves a slow machine enough time to start the provider and send a request. */
const limitMs = searchMs < 1_000 ? 2_000 : 10_000;
const limit = `${limitMs / 1_000}s`;

const profile = 'provider "avatarops" {\n  profile = "liveavatar"\n}\n';

describe("create with a timeout", () => {
  test("finds an object that the service created after the timeout instead of creating a duplicate", async () => {
    const main = formatContext("support", "Support desk", `create = "${limit}"`);
    const { emulator, requests, ...terraform } = await startAcceptance({ main });
    emulator.addFault("POST /v1/contexts hang-after");
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(1);
    expect(requests().filter((one) => one.startsWith("POST"))).toHaveLength(1);
  });

  test("fails at the timeout before the object exists, and the object can be imported later", async () => {
    const main = formatContext("support", "Support desk", `create = "${limit}"`);
    const { emulator, ...terraform } = await startAcceptance({ main });
    emulator.addFault(`POST /v1/contexts delay ms=${limitMs + searchMs + 2_000}`);
    const output = await terraform.fail("apply", "-auto-approve");
    expect(output).toContain("Error: Create outcome unknown");
    expect(output).toMatch(/on main\.tf line \d+, in resource "avatarops_context" "support"/);
    expect(output).toContain(
      `POST /v1/contexts: not finished within ${limit} (\`timeouts.create\`). Raise that limit to wait longer. The change may have been made. Check before you send it again. Plan again. The plan looks up the object by name, and shows how to import it.`,
    );
    await expect.poll(() => emulator.world.contexts.length).toBe(1);
    const [made] = emulator.world.contexts;
    expect(await terraform.fail("apply", "-auto-approve")).toContain(
      'The account already has a context named "Support desk"',
    );
    await terraform.succeed("import", "avatarops_context.support", made?.id ?? "");
    await terraform.settle();
    expect(emulator.world.contexts.map(({ id }) => id)).toEqual([made?.id]);
  });

  test("fails at the timeout if the service stops responding, and succeeds in the next apply", async () => {
    const main = formatContext("support", "Support desk", `create = "${limit}"`);
    const { emulator, ...terraform } = await startAcceptance({ main });
    emulator.addFault("* * hang times=always skip=2");
    expect(await terraform.fail("apply", "-auto-approve")).toContain("Error: Create outcome unknown");
    emulator.clearFaults();
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(1);
  });

  test("stops at the timeout while the service limits the rate, without affecting other creates", async () => {
    const main = (limit: string) => formatContext("support", "Support desk", limit);
    const { emulator, requests, ...terraform } = await startAcceptance({ main: main(`create = "${limit}"`) });
    emulator.addFault("POST /v1/contexts 429 retry-after=60");
    const output = await terraform.fail("apply", "-auto-approve");
    expect(output).toContain("Error: The service did not respond in time");
    expect(output).toContain(
      `the service is limiting requests, and the request was not finished within ${limit} (\`timeouts.create\`)`,
    );
    expect(output).toContain("Nothing was sent.");
    expect(requests().filter((one) => one.startsWith("POST"))).toHaveLength(1);
    expect(await terraform.run("state", "list")).toMatchObject({ stdout: "" });
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(1);
  });

  test("shows how to check whether a secret was created before the timeout", async () => {
    const main = `
resource "avatarops_secret" "llm" {
  secret_name     = "llm-production"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = "sk-one"
  timeouts        = { create = "${limit}" }
}
`;
    const { emulator, ...terraform } = await startAcceptance({ main });
    emulator.addFault("POST /v1/secrets hang-after");
    const output = await terraform.fail("apply", "-auto-approve");
    expect(output).toContain(`not finished within ${limit} (\`timeouts.create\`)`);
    expect(output).toContain("Look for the object in the dashboard.");
    expect(output).not.toContain("sk-one");
    expect(emulator.world.secrets).toHaveLength(1);
  });
});

describe("read with a timeout", () => {
  test("stops at the timeout in a refresh, and keeps the state", async () => {
    const main = formatContext("a", "A", `read = "${limit}"`) + formatContext("b", "B");
    const { emulator, ...terraform } = await startAcceptance({ main });
    await terraform.settle();
    const before = await terraform.stateText();
    const [a] = emulator.world.contexts.filter(({ name }) => name === "A");
    Object.assign(a ?? {}, { prompt: "Edited", updated_at: new Date(Date.now() + 5_000).toISOString() });
    emulator.addFault(`GET /v1/contexts/${a?.id} hang times=always`);
    const output = await terraform.fail("plan", "-parallelism=1");
    expect(output).toContain("Error: The service did not respond in time");
    expect(output).toContain(
      `GET /v1/contexts/${a?.id}: not finished within ${limit} (\`timeouts.read\`). Raise that limit to wait longer.`,
    );
    expect(output.match(/Error: /g)).toHaveLength(1);
    expect(await terraform.stateText()).toBe(before);
    emulator.clearFaults();
    await terraform.succeed("plan");
  });

  test("stops at the timeout while it shares a list request with another resource", async () => {
    const main = ["A", "B", "C"].map((name) => formatContext(name, name)).join("");
    const { emulator, ...terraform } = await startAcceptance({ main });
    await terraform.settle();
    await terraform.write({
      "main.tf": main + formatContext("d", "D", `read = "${limit}"`) + formatContext("e", "E"),
    });
    emulator.addFault(`GET /v1/contexts delay ms=${limitMs + 2_000}`);
    const output = await terraform.fail("plan");
    expect(output.match(/Error: .*/g)).toEqual(["Error: The service did not respond in time"]);
    expect(output).toContain(`The list of contexts was not finished within ${limit} (\`timeouts.read\`)`);
    expect(output).toContain('in resource "avatarops_context" "d"');
    expect(await terraform.succeed("plan")).toContain("2 to add");
  });

  test("fails a data source at its timeout if the service stops responding", async () => {
    const main = `data "avatarops_contexts" "all" {\n  timeouts = { read = "${limit}" }\n}\n`;
    const { emulator, ...terraform } = await startAcceptance({
      main,
      world: createSampleDataset(Date.now()),
    });
    await terraform.settle();
    emulator.addFault("GET /v1/contexts hang times=always");
    expect(await terraform.fail("plan")).toContain(
      `The list of contexts was not finished within ${limit} (\`timeouts.read\`). Raise that limit to wait longer.`,
    );
  });
});

describe("update and delete with timeouts", () => {
  test("stop at their timeouts, and the next apply resumes from the account's current state", async () => {
    const limits = `update = "${limit}", delete = "${limit}"`;
    const removed = '  on_removal = "delete"\n';
    const main = (name: string) => profile + formatContext("a", name, limits, removed);
    const options = { world: createEmptyDataset(), emulator: { profile: "liveavatar" } } as const;
    const { emulator, ...terraform } = await startAcceptance({ main: main("A"), ...options });
    await terraform.settle();
    const { contexts } = emulator.world;
    const [made] = contexts;

    await terraform.write({ "main.tf": main("B") });
    emulator.addFault("PATCH * hang-after");
    const updated = await terraform.fail("apply", "-auto-approve");
    expect(updated).toContain("Error: Update outcome unknown");
    expect(updated).toContain(`not finished within ${limit} (\`timeouts.update\`)`);
    expect(updated).toContain("Plan again to see the current values.");
    await terraform.settle();

    emulator.addFault("DELETE * hang-after");
    const deleted = await terraform.fail("destroy", "-auto-approve");
    expect(deleted).toContain("Error: Delete outcome unknown");
    expect(deleted).toContain(`not finished within ${limit} (\`timeouts.delete\`)`);
    expect(await terraform.succeed("state", "list")).toContain("avatarops_context.a");
    await terraform.succeed("destroy", "-auto-approve");
    expect(emulator.requests.filter(({ method }) => method === "DELETE")).toHaveLength(1);
    expect(made && contexts.includes(made)).toBe(false);
  });
});

describe("changed timeout", () => {
  test("is saved to the state without a write request or values known after apply", async () => {
    const { requests, ...terraform } = await startAcceptance({ main: formatContext("a", "A") });
    await terraform.settle();
    for (const limits of ['create = "5m", read = "30s"', 'read = "1h30m"', ""]) {
      await terraform.write({ "main.tf": formatContext("a", "A", limits) });
      const plan = await terraform.succeed("plan");
      expect(plan).toContain("1 to change");
      expect(plan).not.toMatch(/known after apply|Warning/);
      await terraform.settle();
      expect(requests().filter((one) => !one.startsWith("GET"))).toEqual(
        // The first iteration also includes the initial create.
        limits.startsWith("create") ? ["POST /v1/contexts"] : [],
      );
    }
    expect(await terraform.stateOf("avatarops_context.a")).toMatchObject({ timeouts: null });
  });

  test.each([
    ["soon", "create"],
    ["30", "read"],
    ["0s", "delete"],
    ["-5s", "update"],
  ])(
    "is reported by `terraform validate` with a line number if it is not a duration: %j for %s",
    async (limit, operation) => {
      const terraform = await startAcceptance({ main: formatContext("a", "A", `${operation} = "${limit}"`) });
      const output = await terraform.fail("validate");
      expect(output).toContain(`Error: timeouts.${operation} is not a duration`);
      expect(output).toContain('Write numbers above 0 with units, such as "30s", "5m" or "1h30m".');
      expect(output).toContain("on main.tf line 5");
    },
  );
});
