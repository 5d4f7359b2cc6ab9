// @module-tag terraform
/** Tests warnings from a destroy that leaves objects in the account. */
import { expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const createWorld = () => generateDataset({ avatars: 1, voices: 1 });
const avatarId = createWorld().avatars[0]?.id;
const voiceId = createWorld().voices[0]?.id;

const main = `
resource "avatarops_avatar" "host" {
  id   = "${avatarId}"
  name = "Avatar 1"
}

resource "avatarops_voice" "narrator" {
  id   = "${voiceId}"
  name = "Voice 1"
}

resource "avatarops_context" "support" {
  name   = "Support desk"
  prompt = "Be kind."
}

resource "avatarops_secret" "llm" {
  secret_name     = "llm-production"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = "sk-one"
}
`;

/** Returns the ids in warnings about forgotten objects. Only `-json` output lists all of them. */
const readForgottenIds = (stdout: string) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ diagnostic }) => /is removed from the state, but not deleted/.test(diagnostic?.summary))
    .map(({ diagnostic }) => /import it by its id ([^.]+)\./.exec(diagnostic.detail)?.[1]);

test.each([
  { how: "a destroy", files: {}, args: ["destroy", "-auto-approve", "-json"] },
  { how: "an empty configuration", files: { "main.tf": "" }, args: ["apply", "-auto-approve", "-json"] },
])("warns once about each object that $how leaves in the account", async ({ files, args }) => {
  const terraform = await startAcceptance({ main, world: createWorld() });
  await terraform.settle();
  const { contexts, secrets } = terraform.emulator.world;
  const ids = [avatarId, voiceId, contexts[0]?.id, secrets[0]?.id];
  await terraform.write(files);
  const { exit, stdout } = await terraform.run(...args);
  expect(exit).toBe(0);
  expect(readForgottenIds(stdout).toSorted()).toEqual(ids.toSorted());
});

test("warns about the secret that a replacement leaves in the account", async () => {
  const terraform = await startAcceptance({ main, world: createWorld() });
  await terraform.settle();
  const [old] = terraform.emulator.world.secrets;
  const replaced = await terraform.run("apply", "-auto-approve", "-json", "-replace=avatarops_secret.llm");
  expect(readForgottenIds(replaced.stdout)).toEqual([old?.id]);
});
