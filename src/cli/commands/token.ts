import { nearest } from "../../diagnostics/index.js";
import type { Manifest, Preset } from "../../manifest/index.js";
import { renderJson } from "../../render/index.js";
import { type MintedToken, mintToken, type TokenOptions } from "../../sessions/index.js";
import type { State } from "../../state/index.js";
import { type Call, isOn, type RunCommand, textArgument } from "../command.js";
import { withService } from "../connect.js";
import { exitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { refuseOtherService } from "../planning.js";
import { loadProject } from "../project.js";
import { openProjectStore } from "../store.js";

export const command: RunCommand = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const preset = presetNamed(textArgument(call, 0), manifest);
  const state = (await openProjectStore(call, manifest).read())?.state;
  const token = await withService(call, manifest, (service) => {
    refuseOtherService(state, service);
    return mintToken(service, preset, idsOf(manifest, state), optionsOf(call, manifest));
  });
  output.result(output.format === "json" ? renderJson(tokenDocument(token)) : token.reveal());
  return exitCode.done;
};

function presetNamed(key: string, { presets }: Manifest): Preset {
  const preset = presets.find((candidate) => candidate.key === key);
  if (preset) return preset;
  const keys = presets.map((candidate) => candidate.key);
  const meant = nearest(key, keys);
  const known = keys.length > 0 ? `there are ${keys.join(", ")}.` : "the manifest has none.";
  throw new UsageError(
    "unknown-preset",
    `There is no preset "${key}" under sessions: ${meant ? `did you mean ${meant}?` : known}`,
  );
}

function optionsOf(call: Call, { service: { sandboxAvatar } }: Manifest): TokenOptions {
  return {
    ...(isOn(call, "sandbox") ? { sandbox: true } : {}),
    ...(sandboxAvatar === undefined ? {} : { sandboxAvatar }),
  };
}

/** An id is in the files for kinds with adopted identity, and in the state once an object was created. */
function idsOf(
  { declarations }: Manifest,
  state: State | undefined,
): (address: string) => string | undefined {
  const given = new Map(declarations.map(({ address, id }) => [address, id]));
  return (address) => given.get(address) ?? state?.objects[address]?.id;
}

/**
 * The only document that holds a secret, because the user asked for it: hence it is built here and not in
 * documents/.
 */
function tokenDocument(token: MintedToken): object {
  return {
    format: "avatarops/token",
    version: 1,
    preset: token.preset,
    sandbox: token.sandbox,
    ...(token.avatarId === undefined ? {} : { avatar_id: token.avatarId }),
    ...(token.sessionId === undefined ? {} : { session_id: token.sessionId }),
    token: token.reveal(),
  };
}
