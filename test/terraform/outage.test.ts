// @module-tag terraform
// @module-tag night
import { describe, expect, test } from "vitest";
import { startAcceptance } from "./acceptance.js";

const desks = (count: number, prompt = "Be kind.") => `
resource "avatarops_context" "desk" {
  count  = ${count}
  name   = "Desk \${count.index}"
  prompt = "${prompt}"
}
`;

/** How often each read is tried. */
const tries = 6;

function errorsIn(said: string): string[] {
  return said.match(/Error: .*/g) ?? [];
}

describe("a service that is down", () => {
  test.each(["503", "drop-before"])(
    "(%s) is asked no more after one read has failed for good, and is one error, whatever is planned",
    async (trouble) => {
      const { emulator, requests, ...terraform } = await startAcceptance({ main: desks(40) });
      emulator.addFault(`* * ${trouble} times=always`);
      expect(errorsIn(await terraform.fail("plan"))).toHaveLength(1);
      expect(requests().length).toBeLessThanOrEqual(tries);
      emulator.clearFaults();
      await terraform.settle();
      await terraform.write({ "main.tf": desks(41, "Be brief.") });
      requests();

      emulator.addFault(`* * ${trouble} times=always`);
      const { exit, stderr } = await terraform.run("plan");
      expect([exit, errorsIn(stderr)]).toEqual([1, [expect.anything()]]);
      expect(stderr.length).toBeLessThan(2_000);
      // One object, and the list for all others.
      expect(requests().length).toBeLessThanOrEqual(2 * tries);
      emulator.clearFaults();
      await terraform.settle();
      expect(emulator.world.contexts).toHaveLength(41);
    },
  );

  test("in the middle of an apply fails each write that is left at once, and the next apply does them", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({ main: desks(30) });
    await terraform.succeed("plan", "-out=saved");
    requests();
    emulator.addFault("* * 503 times=always skip=3");
    const said = await terraform.fail("apply", "-parallelism=1", "saved");
    expect(said).toContain("not sent, because an earlier request failed");
    expect(said).not.toMatch(/inconsistent|bug/i);
    expect(requests().length).toBeLessThanOrEqual(3 + 2 * tries);
    emulator.clearFaults();
    await terraform.succeed("apply", "-auto-approve");
    await terraform.expectNothingToDo();
    expect(emulator.world.contexts).toHaveLength(30);
  });

  test("for one object only does not keep others from being written", async () => {
    const { emulator, ...terraform } = await startAcceptance({ main: desks(5) });
    await terraform.settle();
    await terraform.write({ "main.tf": desks(5, "Be brief.") });
    const [first] = emulator.world.contexts;
    emulator.addFault(`PATCH /v1/contexts/${first?.id} 500 times=always`);
    expect(errorsIn(await terraform.fail("apply", "-auto-approve", "-parallelism=1"))).toHaveLength(1);
    expect(emulator.world.contexts.filter(({ prompt }) => prompt === "Be brief.")).toHaveLength(4);
  });
});

describe("a key that the service does not accept", () => {
  test("is one error after one answer, and not one for each object", async () => {
    const { requests, ...terraform } = await startAcceptance({ main: desks(40) });
    await terraform.settle();
    requests();
    await terraform.write({ "provider.tf": 'provider "avatarops" {\n  api_key = "another-key"\n}\n' });
    expect(errorsIn(await terraform.fail("plan"))).toEqual(["Error: The service rejected the API key"]);
    expect(requests().length).toBeLessThanOrEqual(2);
  });

  test("because no key has such characters is an error of the provider block, before anything is asked", async () => {
    const { requests, ...terraform } = await startAcceptance({ main: desks(3) });
    await terraform.write({ "provider.tf": 'provider "avatarops" {\n  api_key = "test key\\n"\n}\n' });
    const said = await terraform.fail("plan");
    expect(errorsIn(said)).toEqual(["Error: Invalid api_key"]);
    expect(said).toContain("on provider.tf line 2");
    expect(requests()).toEqual([]);
  });
});
