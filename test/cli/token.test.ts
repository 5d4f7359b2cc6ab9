import { describe, expect, test } from "vitest";
import { createSampleDataset, type Dataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { startProject } from "./hosting.js";

const world = createSampleDataset(Date.now());
const avatar = findId(world.avatars, "Front desk");
const voice = findId(world.voices, "Mara");

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
  test("sends ids from the files and the state, and prints only the token", async () => {
    const { avatarops, emulator, json } = await startWithManifest(manifest);
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
      "with an object that is not applied yet",
      manifest,
      ["kiosk"],
      "sessions.kiosk refers to objects whose ids are not known yet: context.returns. Run",
    ],
    ["that does not exist", manifest, ["kiosc"], 'no preset "kiosc" under `sessions:`. Did you mean kiosk?'],
    [
      "without an avatar",
      "sessions: { kiosk: { mode: LITE } }\n",
      ["kiosk", "--sandbox"],
      "error[no-avatar]",
    ],
  ])("fails for a preset %s before sending any request", async (_, text, argv, why) => {
    const { expectRefused, emulator } = await startWithManifest(text);
    await expectRefused(["token", ...argv], why);
    expect(emulator.requests).toEqual([]);
  });

  test.each([
    ["if the preset declares one", ", is_sandbox: true", [], true],
    ["with --sandbox", "", ["--sandbox"], true],
    ["only if the preset or --sandbox requires it", "", [], undefined],
  ])("requests a sandbox session with the sandbox avatar %s", async (_, more, argv, sandbox) => {
    const { avatarops, emulator } = await startWithManifest(
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
  ])("finds the token in an undocumented response shape: %j", async (data, shown) => {
    const { avatarops, emulator } = await startWithManifest(
      `sessions: { kiosk: { avatar_id: ${avatar}, mode: LITE } }\n`,
    );
    const body = JSON.stringify({ code: 100, message: "ok", data });
    emulator.addFault({ match: { path: "/v1/sessions/token" }, do: { kind: "malformed", body } });
    const { stdout, stderr } = await avatarops("token", "kiosk");
    expect(stdout).toBe(shown);
    if (shown === "")
      expect(joinLines(stderr)).toContain("its response has no token (its keys are jwt, room).");
  });

  test("recommends service.sandbox_avatar if --sandbox is rejected", async () => {
    const { expectDone, expectRefused } = await startWithManifest(manifest);
    await expectDone("apply", "-y");
    await expectRefused(["token", "kiosk", "--sandbox"], "set service.sandbox_avatar");
  });

  test("sends no ids recorded for another account", async () => {
    const { avatarops, avataropsWith } = await startWithManifest(manifest);
    const other = await startWithManifest(manifest);
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

function startWithManifest(text: string) {
  return startProject({ files: { "avatarops.yaml": text }, world: structuredClone(world) });
}

function findId(objects: Dataset["avatars"] | Dataset["voices"], name: string): string {
  return objects.find((one) => one.name === name)?.id ?? "";
}

/** Removes line breaks inserted for a narrow terminal. */
function joinLines(text: string): string {
  return text.replace(/\s+/g, " ");
}
