import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

/*
 * Every write, with everything that can happen to its answer. Whatever terraform says of it, after one or two more
 * applies the account is as declared, and there is no second object.
 */

const world = () => generateDataset({ avatars: 1, voices: 1, contexts: 1 });
const [avatar] = world().avatars;
const [voice] = world().voices;

const declared = (text: string) => `
resource "avatarops_avatar" "host" {
  id   = "${avatar?.id}"
  name = "Host ${text}"
}

resource "avatarops_voice" "narrator" {
  id   = "${voice?.id}"
  name = "Narrator ${text}"
}

resource "avatarops_context" "desk" {
  name   = "Desk"
  prompt = "Prompt ${text}"
  links  = [{ url = "https://example.com/${text}" }]
}
`;

const troubles = [
  "drop-before",
  "drop-after",
  "500",
  "500-after",
  "503 retry-after=0",
  "429 retry-after=0",
  "cut",
  'malformed body="<html>"',
  'malformed body="{}"',
] as const;

const writes = [
  "POST /v1/contexts",
  "PATCH /v1/contexts/*",
  "PATCH /v1/avatars/*",
  "PATCH /v1/voices/*",
] as const;

// Every write with every fault is in test/lifecycle, too.
describe("a write in trouble", { tags: ["terraform", "night"] }, () => {
  test.each(writes.flatMap((write) => troubles.map((trouble) => ({ write, trouble }))))(
    "$write with $trouble ends as declared, with no second object",
    async ({ write, trouble }) => {
      const { emulator, requests, ...terraform } = await startAcceptance({
        main: declared("a"),
        world: world(),
      });
      if (write === "PATCH /v1/contexts/*") await terraform.settle();
      await terraform.write({ "main.tf": declared("b") });
      requests();
      emulator.addFault(`${write} ${trouble}`);
      const troubled = await terraform.run("apply", "-auto-approve");
      expect(`${troubled.stdout}${troubled.stderr}`).not.toMatch(/rpc error|bug in the provider|\.js:\d+/i);
      const sent = requests().filter((one) => one === write);
      const mayRepeat = /429|503/.test(trouble);
      if (write.startsWith("POST") && !mayRepeat) expect(sent).toHaveLength(1);
      if (troubled.exit !== 0 && !(await converges(terraform))) {
        // A context that was made and could not be told apart: the error says how to import it.
        const said = await terraform.fail("apply", "-auto-approve");
        const [, id = ""] = /id = "([\w-]{36})"/.exec(said) ?? [];
        await terraform.succeed("import", "avatarops_context.desk", id);
        await terraform.succeed("apply", "-auto-approve");
      }
      await terraform.expectNothingToDo();
      expect(emulator.world.contexts.filter(({ name }) => name === "Desk")).toMatchObject([
        { prompt: "Prompt b", links: [{ url: "https://example.com/b" }] },
      ]);
      expect(emulator.world.avatars).toMatchObject([{ name: "Host b" }]);
      expect(emulator.world.voices).toMatchObject([{ name: "Narrator b" }]);
    },
  );
});

async function converges(terraform: { run(...args: string[]): Promise<{ exit: number | null }> }) {
  return (await terraform.run("apply", "-auto-approve")).exit === 0;
}

describe("a create whose answer was lost", { tags: "terraform" }, () => {
  test("is found and recorded in the same apply", async () => {
    const { emulator, ...terraform } = await startAcceptance({ main: declared("a"), world: world() });
    emulator.addFault("POST /v1/contexts drop-after");
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(2);
  });

  test("is not confused with a context somebody makes at that moment: the candidates are named", async () => {
    const { emulator, ...terraform } = await startAcceptance({ main: declared("a"), world: world() });
    emulator.addFault({
      match: { method: "POST", path: "/v1/contexts" },
      do: { kind: "run", run: ({ addContext }) => void addContext({ name: "Desk", prompt: "Not yours." }) },
    });
    emulator.addFault("POST /v1/contexts drop-before");
    const said = await terraform.fail("apply", "-auto-approve");
    const stranger = emulator.world.contexts.find(({ name }) => name === "Desk");
    expect(said).toContain(stranger?.id);
    expect(emulator.world.contexts).toHaveLength(2);
  });
});

describe("a service that does not keep what it was sent", { tags: "terraform" }, () => {
  test("is an error that names the field; the object is in the state", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: declared("a"),
      world: world(),
      emulator: { behaviour: { promptCutAt: 4 } },
    });
    const said = await terraform.fail("apply", "-auto-approve");
    expect(said).toContain("prompt");
    expect((await terraform.stateOf("avatarops_context.desk")).id).toBe(emulator.world.contexts[1]?.id);
    emulator.setBehaviour({ promptCutAt: null });
    await terraform.succeed("apply", "-auto-approve");
    await terraform.expectNothingToDo();
    expect(emulator.world.contexts).toHaveLength(2);
  });
});
