import type { Manifest, Preset } from "../../../core/manifest/index.js";
import {
  loadProject,
  presetNamed,
  readState,
  rollbackTo,
  smoke,
  withService,
} from "../../../operations/index.js";
import { smokeDocument } from "../../../output/documents/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import { smokeExitCode } from "../exit-code.js";
import type { smokeCommand } from "../facts/others.js";

export const command: RunCommand<typeof smokeCommand> = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const presets = selectPresets(call, manifest);
  const state = await readState(call, manifest);
  const report = await withService(call, manifest, (service) =>
    smoke(call, { manifest, state, service }, presets, {
      patienceMs: call.options.timeout,
      requireListed: call.options.requireListed,
    }),
  );
  const document = smokeDocument(report, { scope: isNamed(call) ? "named" : "all", advice: advice(call) });
  output.show(document);
  return smokeExitCode(document.exit);
};

/** The named presets, or all, in the order of the files. */
function selectPresets(call: CommandCall<typeof smokeCommand>, manifest: Manifest): readonly Preset[] {
  if (!isNamed(call)) return manifest.presets;
  const wanted = new Set(call.arguments[0].map((key) => presetNamed(key, manifest)));
  return manifest.presets.filter((preset) => wanted.has(preset));
}

function advice(call: CommandCall<typeof smokeCommand>): string {
  return `If an apply is the cause, \`avatarops history\` lists them, and \`${rollbackTo(call, "SERIAL")}\` goes back.`;
}

function isNamed(call: CommandCall<typeof smokeCommand>): boolean {
  return call.arguments[0].length > 0;
}
