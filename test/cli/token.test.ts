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
    const { avatarops, emulator, json } = await projectOf(manifest);
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
    expect(await json("token", "kiosk")).toEqual({
      ...{ format: "avatarops/token", version: 1, preset: "kiosk", sandbox: false, avatar_id: avatar },
      session_id: emulator.world.sessions.at(-1)?.id,
      token: expect.stringMatching(/^session-token-/),
    });
  });

  test.each([
    [
      "that is not applied yet",
      manifest,
      ["kiosk"],
      "sessions.kiosk refers to context.returns without a known id: run",
    ],
    ["that does not exist", manifest, ["kiosc"], 'no preset "kiosc" under sessions: did you mean kiosk?'],
    [
      "without an avatar",
      "sessions: { kiosk: { mode: LITE } }\n",
      ["kiosk", "--sandbox"],
      "error[no-avatar]",
    ],
  ])("of a preset %s is refused, and nothing is sent", async (_, text, argv, why) => {
    const { expectRefused, emulator } = await projectOf(text);
    await expectRefused(["token", ...argv], why);
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
    if (shown === "") expect(flat(stderr)).toContain("its response has no token: its keys are jwt, room.");
  });

  test("for the sandbox, refused for its avatar, says where the sandbox's own is set", async () => {
    const { expectDone, expectRefused } = await projectOf(manifest);
    await expectDone("apply", "-y");
    await expectRefused(["token", "kiosk", "--sandbox"], "set service.sandbox_avatar");
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
