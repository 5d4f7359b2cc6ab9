// @module-tag terraform
// @module-tag night
import { describe, expect, test } from "vitest";
import { startAcceptance } from "./acceptance.js";

const formatDesks = (count: number, prompt = "Be kind.") => `
resource "avatarops_context" "desk" {
  count  = ${count}
  name   = "Desk \${count.index}"
  prompt = "${prompt}"
}
`;

/** Maximum number of attempts for each read. */
const tries = 6;

function findErrors(output: string): string[] {
  return output.match(/Error: .*/g) ?? [];
}

describe("service outage", () => {
  test.each(["503", "drop-before"])(
    "stops all requests after one failed read, and is reported once (%s)",
    async (trouble) => {
      const { emulator, requests, ...terraform } = await startAcceptance({ main: formatDesks(40) });
      emulator.addFault(`* * ${trouble} times=always`);
      expect(findErrors(await terraform.fail("plan"))).toHaveLength(1);
      expect(requests().length).toBeLessThanOrEqual(tries);
      emulator.clearFaults();
      await terraform.settle();
      await terraform.write({ "main.tf": formatDesks(41, "Be brief.") });
      requests();

      emulator.addFault(`* * ${trouble} times=always`);
      const { exit, stderr } = await terraform.run("plan");
      expect([exit, findErrors(stderr)]).toEqual([1, [expect.anything()]]);
      expect(stderr.length).toBeLessThan(2_000);
      // Expects attempts for only one object and for the list, whose result all other reads share.
      expect(requests().length).toBeLessThanOrEqual(2 * tries);
      emulator.clearFaults();
      await terraform.settle();
      expect(emulator.world.contexts).toHaveLength(41);
    },
  );

  test("fails an apply's remaining writes at once, and the next apply completes them", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({ main: formatDesks(30) });
    await terraform.succeed("plan", "-out=saved");
    requests();
    emulator.addFault("* * 503 times=always skip=3");
    const output = await terraform.fail("apply", "-parallelism=1", "saved");
    expect(output).toContain("not sent, because an earlier request failed");
    expect(output).not.toMatch(/inconsistent|bug/i);
    expect(requests().length).toBeLessThanOrEqual(3 + 2 * tries);
    emulator.clearFaults();
    await terraform.succeed("apply", "-auto-approve");
    await terraform.expectNothingToDo();
    expect(emulator.world.contexts).toHaveLength(30);
  });

  test("does not block other objects if only one fails", async () => {
    const { emulator, ...terraform } = await startAcceptance({ main: formatDesks(5) });
    await terraform.settle();
    await terraform.write({ "main.tf": formatDesks(5, "Be brief.") });
    const [first] = emulator.world.contexts;
    emulator.addFault(`PATCH /v1/contexts/${first?.id} 500 times=always`);
    expect(findErrors(await terraform.fail("apply", "-auto-approve", "-parallelism=1"))).toHaveLength(1);
    expect(emulator.world.contexts.filter(({ prompt }) => prompt === "Be brief.")).toHaveLength(4);
  });
});

describe("rejected API key", () => {
  test("is reported once after one response, not for each object", async () => {
    const { requests, ...terraform } = await startAcceptance({ main: formatDesks(40) });
    await terraform.settle();
    requests();
    await terraform.write({ "provider.tf": 'provider "avatarops" {\n  api_key = "another-key"\n}\n' });
    expect(findErrors(await terraform.fail("plan"))).toEqual(["Error: The service rejected the API key"]);
    expect(requests().length).toBeLessThanOrEqual(2);
  });

  test("is reported at the provider block without a request if it has invalid characters", async () => {
    const { requests, ...terraform } = await startAcceptance({ main: formatDesks(3) });
    await terraform.write({ "provider.tf": 'provider "avatarops" {\n  api_key = "test key\\n"\n}\n' });
    const output = await terraform.fail("plan");
    expect(findErrors(output)).toEqual(["Error: Invalid api_key"]);
    expect(output).toContain("on provider.tf line 2");
    expect(requests()).toEqual([]);
  });

  test("is reported without a request if it is an unresolved reference", async () => {
    const { requests, ...terraform } = await startAcceptance({ main: formatDesks(3) });
    await terraform.write({
      "provider.tf": 'provider "avatarops" {\n  api_key = "op://team/avatars/key"\n}\n',
    });
    const output = await terraform.fail("plan");
    expect(findErrors(output)).toEqual(["Error: Invalid api_key"]);
    expect(output).toContain("is a reference to a secret");
    expect(requests()).toEqual([]);
  });
});
