import {
  loadProject,
  presetNamed,
  readState,
  rollbackTo,
  smoke,
  withService,
} from "../../../operations/index.js";
import { smokeDocument } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import { smokeExitCode } from "../exit-code.js";
import type { smokeCommand } from "../facts/others.js";

export const command: RunCommand<typeof smokeCommand> = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const named = new Set(call.arguments[0].map((key) => presetNamed(key, manifest)));
  // In the order of the files.
  const presets = manifest.presets.filter((preset) => named.size === 0 || named.has(preset));
  const state = await readState(call, manifest);
  const report = await withService(call, manifest, (service) =>
    smoke(call, { manifest, state, service }, presets, {
      patienceMs: call.options.timeout,
      requireListed: call.options.requireListed,
    }),
  );
  const document = smokeDocument(report, {
    scope: named.size > 0 ? "named" : "all",
    advice: `If an apply is the cause, \`avatarops history\` lists them, and \`${rollbackTo(call, "SERIAL")}\` goes back.`,
  });
  output.show(document);
  return smokeExitCode(document.exit);
};
