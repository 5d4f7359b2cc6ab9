import { describe, expect, test } from "vitest";
import { type Dataset, sampleDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { startProject } from "./hosting.js";

const world = sampleDataset(Date.now());
const avatar = idOf(world.avatars, "Front desk");
const voice = idOf(world.voices, "Mara");

const manifest = `
avatars:
  host: { id: ${avatar}, name: Front desk }
voices:
  mara: { id: ${voice}, name: Mara }
contexts:
  returns: { name: Returns desk, prompt: You help with returns. }
sessions:
  kiosk: { avatar: host, mode: FULL, persona: { voice: mara, context: returns, language: en } }
`;

describe("token", () => {
  test("is minted with the ids of the files and of the state, and is all there is on stdout", async () => {
    const { avatarops, emulator } = await projectOf(manifest);
    await avatarops("apply", "--auto-approve");

    const minted = await avatarops("token", "kiosk");

    expect(minted).toEqual({
      exit: 0,
      stdout: expect.stringMatching(/^session-token-[\w-]+\n$/),
      stderr: "",
    });
    const context = emulator.world.contexts.find(({ name }) => name === "Returns desk");
    expect(emulator.requests.at(-1)).toMatchObject({
      method: "POST",
      path: "/v1/sessions/token",
      body: {
        avatar_id: avatar,
        mode: "FULL",
        avatar_persona: { voice_id: voice, context_id: context?.id, language: "en" },
      },
    });
  });

  test("comes with its session's id in JSON", async () => {
    const { avatarops, emulator } = await projectOf(manifest);
    await avatarops("apply", "--auto-approve");

    const minted = await avatarops("token", "kiosk", "--format", "json");

    expect(JSON.parse(minted.stdout)).toEqual({
      format: "avatarops/token",
      version: 1,
      preset: "kiosk",
      sandbox: false,
      avatar_id: avatar,
      session_id: emulator.world.sessions.at(-1)?.id,
      token: expect.stringMatching(/^session-token-/),
    });
  });

  test("of a preset that is not applied yet says what to apply", async () => {
    const { avatarops, emulator } = await projectOf(manifest);

    const refused = await avatarops("token", "kiosk");

    expect(refused).toMatchObject({ exit: 1, stdout: "" });
    expect(flat(refused.stderr)).toContain(
      "No id is known yet for context.returns, which sessions.kiosk refers to: run `avatarops apply` first.",
    );
    expect(emulator.requests).toEqual([]);
  });

  test("of a preset that does not exist names the one that was meant", async () => {
    const { avatarops, emulator } = await projectOf(manifest);

    const refused = await avatarops("token", "kiosc");

    expect(refused).toMatchObject({ exit: 1, stdout: "" });
    expect(flat(refused.stderr)).toContain('There is no preset "kiosc" under sessions: did you mean kiosk?');
    expect(emulator.requests).toEqual([]);
  });

  test.each([
    ["where the preset says so", ", is_sandbox: true", [], true],
    ["where it is asked for", "", ["--sandbox"], true],
    ["not where it is not asked for", "", [], undefined],
  ])("is one of the sandbox %s, with the service's sandbox avatar", async (_, more, argv, sandbox) => {
    const { avatarops, emulator } = await projectOf(
      `service: { sandbox_avatar: ${sandboxAvatarId} }\n${manifest.replace("mode: FULL", `mode: FULL${more}`)}`,
    );
    await avatarops("apply", "--auto-approve");
    expect(await avatarops("token", "kiosk", ...argv)).toMatchObject({ exit: 0 });
    const body = emulator.requests.at(-1)?.body as Record<string, unknown> | undefined;
    expect([body?.avatar_id, body?.is_sandbox]).toEqual([sandbox ? sandboxAvatarId : avatar, sandbox]);
  });

  test("for the sandbox needs an avatar of the preset or of the service", async () => {
    const { avatarops, emulator } = await projectOf("sessions: { kiosk: { mode: LITE } }\n");
    const refused = await avatarops("token", "kiosk", "--sandbox");
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining("error[no-avatar]") });
    expect(emulator.requests).toEqual([]);
  });

  test.each([
    [{ token: "secret-token" }, "secret-token\n"],
    [{ session: { sessionToken: "secret-token" } }, "secret-token\n"],
    [{ session_token: "", data: { token: "secret-token" } }, "secret-token\n"],
    [{ jwt: "secret-value", room: "r" }, ""],
  ])("is found in answers of other shapes: %j", async (data, shown) => {
    const { avatarops, emulator } = await projectOf(
      `sessions: { kiosk: { avatar_id: ${avatar}, mode: LITE } }\n`,
    );
    const body = JSON.stringify({ code: 100, message: "ok", data });
    emulator.addFault({ match: { path: "/v1/sessions/token" }, do: { kind: "malformed", body } });
    const { stdout, stderr } = await avatarops("token", "kiosk");
    expect(stdout).toBe(shown);
    if (shown === "") expect(flat(stderr)).toContain("its answer has no token: its keys are jwt, room.");
  });

  test("for the sandbox, refused for its avatar, says where the sandbox's own is set", async () => {
    const { avatarops } = await projectOf(manifest);
    await avatarops("apply", "--auto-approve");

    const refused = await avatarops("token", "kiosk", "--sandbox");

    expect(refused).toMatchObject({ exit: 1, stdout: "" });
    expect(flat(refused.stderr)).toContain("set service.sandbox_avatar");
  });

  test("is not asked for with the ids of another account", async () => {
    const { avatarops, avataropsWith } = await projectOf(manifest);
    const other = await projectOf(manifest);
    await avatarops("apply", "--auto-approve");

    const refused = await avataropsWith(
      { environment: { AVATAROPS_BASE_URL: other.emulator.url } },
      "token",
      "kiosk",
    );

    expect(refused).toMatchObject({ exit: 1, stdout: "" });
    expect(other.emulator.requests).toEqual([]);
  });
});

function projectOf(text: string) {
  return startProject({ files: { "avatarops.yaml": text }, world: structuredClone(world) });
}

function idOf(objects: Dataset["avatars"] | Dataset["voices"], name: string): string {
  return objects.find((one) => one.name === name)?.id ?? "";
}

/** Without the line breaks of a narrow terminal. */
function flat(text: string): string {
  return text.replace(/\s+/g, " ");
}
