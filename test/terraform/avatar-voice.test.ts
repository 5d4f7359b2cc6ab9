// @module-tag night
// @module-tag terraform
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const createWorld = () => generateDataset({ avatars: 2, voices: 3 });
const avatarId = createWorld().avatars[0]?.id ?? "";
const [heardId = "", , unheardId = ""] = createWorld().voices.map(({ id }) => id);
const joinLines = (text: string) => text.replace(/\n[│ ]*/g, " ");
const missingId = "00000000-0000-4000-8000-000000000000";

const formatHost = (name: string, id = avatarId) =>
  `resource "avatarops_avatar" "host" {\n  id   = "${id}"\n  name = "${name}"\n}\n`;
const formatVoice = (name: string, id: string) =>
  `resource "avatarops_voice" "narrator" {\n  id   = "${id}"\n  name = "${name}"\n}\n`;

describe("avatar resource", () => {
  test("is adopted and renamed, and keeps its name when it is forgotten", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({
      main: formatHost("Avatar 1"),
      world: createWorld(),
    });
    await terraform.settle();
    expect(requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
    expect(await terraform.stateOf("avatarops_avatar.host")).toMatchObject({
      status: "ACTIVE",
      default_voice: { id: heardId, name: "Voice 1" },
    });

    await terraform.write({ "main.tf": formatHost("Front desk") });
    await terraform.settle();
    expect(emulator.world.avatars[0]?.name).toBe("Front desk");

    emulator.renameAvatar(avatarId, "Elsewhere");
    expect(await terraform.succeed("plan")).toContain("Elsewhere");
    await terraform.settle();

    await terraform.write({ "main.tf": "" });
    expect(await terraform.settle()).toContain("stays in the account");
    expect(emulator.world.avatars[0]?.name).toBe("Front desk");
  });

  test("leaves the avatar's name unchanged if it sets no name", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: `resource "avatarops_avatar" "host" {\n  id = "${avatarId}"\n}\n`,
      world: createWorld(),
    });
    await terraform.settle();
    expect(await terraform.stateOf("avatarops_avatar.host")).toMatchObject({ name: "Avatar 1" });
    emulator.renameAvatar(avatarId, "Elsewhere");
    await terraform.expectNothingToDo("-refresh-only=false");
  });

  test("fails the apply, with a warning in the plan, if the avatar does not exist", async () => {
    const { ...terraform } = await startAcceptance({
      main: formatHost("Host", missingId),
      world: createWorld(),
    });
    const planned = await terraform.succeed("plan");
    expect(planned).toContain("Warning: The avatar does not exist");
    const output = await terraform.fail("apply", "-auto-approve");
    expect(output).toContain("Error: The avatar does not exist");
    for (const text of [planned, output]) {
      expect(text).toContain("on main.tf line 2");
      expect(text).toContain(missingId);
    }
  });

  test("fails the plan if two resources adopt one avatar", async () => {
    const { ...terraform } = await startAcceptance({ main: formatHost("Avatar 1"), world: createWorld() });
    await terraform.settle();
    const again = formatHost("Other", avatarId.toUpperCase()).replace('"host"', '"again"');
    await terraform.write({ "main.tf": formatHost("Avatar 1") + again });
    expect(await terraform.fail("plan")).toContain("Error: Two resources use the same id");
  });

  test("fails the apply but not a destroy if the avatar was deleted in the dashboard", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: formatHost("Avatar 1") + formatVoice("Narrator", heardId),
      world: createWorld(),
    });
    await terraform.settle();
    emulator.world.avatars.splice(0, 1);
    expect(await terraform.fail("apply", "-auto-approve")).toContain(avatarId);
    expect(await terraform.succeed("destroy", "-auto-approve")).toContain("1 destroyed");
  });

  test("is imported with generated configuration", async () => {
    const { requests, ...terraform } = await startAcceptance({
      main: `import {\n  to = avatarops_avatar.host\n  id = "${avatarId}"\n}\n`,
      world: createWorld(),
    });
    await terraform.succeed("plan", "-generate-config-out=generated.tf");
    expect(await terraform.succeed("plan")).toContain("1 to import, 0 to add, 0 to change");
    await terraform.settle();
    expect(requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
  });
});

describe("voice resource", () => {
  test("is renamed and refreshed if it is the default voice of an avatar", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: formatVoice("Narrator", heardId),
      world: createWorld(),
    });
    await terraform.settle();
    expect(emulator.world.voices[0]?.name).toBe("Narrator");
    emulator.renameVoice(heardId, "Elsewhere");
    expect(await terraform.succeed("plan")).toContain("Elsewhere");
    await terraform.settle();
    expect(emulator.world.voices[0]?.name).toBe("Narrator");
    await terraform.write({ "main.tf": "" });
    expect(await terraform.settle()).toContain("stays in the account");
  });

  test("is renamed once for each change, even if avatars still show its old name", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: formatVoice("Narrator", heardId),
      world: createWorld(),
      emulator: { behavior: { voiceNames: "outdated" } },
    });
    for (const name of ["Narrator", "Storyteller", "Voice 1", "Narrator"]) {
      await terraform.write({ "main.tf": formatVoice(name, heardId) });
      await terraform.settle();
      expect(emulator.world.voices[0]?.name).toBe(name);
    }
    const [avatar] = emulator.world.avatars;
    if (avatar) avatar.default_voice = { id: heardId, name: "Theirs" };
    expect(joinLines(await terraform.succeed("plan"))).toContain("The voice's name was edited elsewhere");
  });

  test("keeps its last applied name if no avatar shows it, and adds a note to plans", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: formatVoice("Narrator", unheardId),
      world: createWorld(),
    });
    await terraform.settle();
    expect(emulator.world.voices[2]?.name).toBe("Narrator");
    expect(await terraform.succeed("plan")).toMatch(/last applied/);
    await terraform.write({ "main.tf": formatVoice("Storyteller", unheardId) });
    await terraform.settle();
    expect(emulator.world.voices[2]?.name).toBe("Storyteller");
  });

  test("gets its configured name in the apply that imports it by id if no avatar shows its name", async () => {
    for (const id of [heardId, unheardId]) {
      const { ...terraform } = await startAcceptance({
        main: `${formatVoice(id === heardId ? "Voice 1" : "Voice 3", id)}import {\n  to = avatarops_voice.narrator\n  id = "${id}"\n}\n`,
        world: createWorld(),
      });
      const plan = await terraform.succeed("plan");
      expect(plan).toContain(
        id === heardId ? "1 to import, 0 to add, 0 to change" : "1 to import, 0 to add, 1 to change",
      );
      expect(plan.includes("unknown until")).toBe(id === unheardId);
      await terraform.settle();
    }
  });

  test("fails the apply if it is not in the account", async () => {
    const { ...terraform } = await startAcceptance({
      main: formatVoice("Narrator", missingId),
      world: createWorld(),
    });
    expect(await terraform.fail("apply", "-auto-approve")).toContain(missingId);
  });
});
