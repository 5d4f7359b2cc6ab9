import { resolve } from "../../../core/secrets/index.js";
import {
  assertSameService,
  chooseSandboxAvatar,
  createIdLookup,
  createSourceEnvironment,
  findPreset,
  loadProject,
  readState,
  runSmokeTest,
  selectReferenced,
  warnOfPlaceholders,
  withService,
} from "../../../operations/index.js";
import { toSmokeDocument } from "../../../output/documents/index.js";
import { type MintedToken, mintToken } from "../../../sessions/reports/index.js";
import type { RunCommand } from "../command.js";
import { toSmokeExitCode } from "../exit-code.js";
import type { smokeCommand, tokenCommand } from "../facts/others.js";

export const createToken: RunCommand<typeof tokenCommand> = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const preset = findPreset(call.arguments[0], manifest);
  warnOfPlaceholders(call, [preset], manifest);
  const state = await readState(call, manifest);
  const token = await withService(
    call,
    { ...manifest, ...selectReferenced([preset], manifest) },
    (service) => {
      assertSameService(state, service);
      return mintToken(service, preset, createIdLookup(manifest, state), {
        // Undefined keeps the preset's value.
        sandbox: call.options.sandbox || undefined,
        sandboxAvatar: chooseSandboxAvatar(call, manifest),
        resolve: (source) => resolve(source, createSourceEnvironment(call, manifest)),
      });
    },
  );
  if (output.format === "json") output.writeDocument(toTokenDocument(token));
  else output.writeResult(token.reveal());
};

/** Builds the token document. It is the only document with a secret, so it is not in documents/. */
function toTokenDocument(token: MintedToken): object {
  return {
    format: "avatarops/token",
    version: 1,
    preset: token.preset,
    sandbox: token.sandbox,
    avatar_id: token.avatarId,
    session_id: token.sessionId,
    token: token.reveal(),
  };
}

export const smokeCheck: RunCommand<typeof smokeCommand> = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const named = new Set(call.arguments[0].map((key) => findPreset(key, manifest)));
  // Filtering keeps the presets in file order.
  const presets = manifest.presets.filter((preset) => named.size === 0 || named.has(preset));
  warnOfPlaceholders(call, presets, manifest);
  const state = await readState(call, manifest);
  const report = await withService(call, { ...manifest, ...selectReferenced(presets, manifest) }, (service) =>
    runSmokeTest(call, { manifest, state, service }, presets, {
      patienceMs: call.options.timeout,
      requireListed: call.options.requireListed,
    }),
  );
  const document = toSmokeDocument(report, {
    scope: named.size > 0 ? "named" : "all",
    advice:
      "If an apply caused this, find it with `avatarops history` and undo it with `avatarops rollback --to SERIAL`.",
  });
  output.show(document);
  return toSmokeExitCode(document.exit);
};
