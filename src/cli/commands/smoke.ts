import { smokeDocument } from "../../documents/index.js";
import type { Manifest, Preset } from "../../manifest/index.js";
import { renderJson, renderSmokeMarkdown, renderSmokeText } from "../../render/index.js";
import { type Call, isOn, numberOption, type RunCommand } from "../command.js";
import { withService } from "../connect.js";
import { smokeExitCode } from "../exit-code.js";
import { presetNamed } from "../presets.js";
import { loadProject } from "../project.js";
import { rollbackTo, smoke } from "../smoking.js";
import { openProjectStore } from "../store.js";

export const command: RunCommand = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const presets = presetsOf(call, manifest);
  const state = (await openProjectStore(call, manifest).read())?.state;
  const report = await withService(call, manifest, (service) =>
    smoke(call, { manifest, state, service }, presets, {
      patienceMs: numberOption(call, "timeout") ?? 0,
      requireListed: isOn(call, "requireListed"),
    }),
  );
  const document = smokeDocument(report, { scope: isNamed(call) ? "named" : "all", advice: advice(call) });
  if (output.format === "json") output.result(renderJson(document));
  else if (output.format === "markdown") output.result(renderSmokeMarkdown(document));
  else output.result(renderSmokeText(document, output.stdoutText));
  return smokeExitCode(document.exit);
};

/** The named presets, or all, in the order of the files. */
function presetsOf(call: Call, manifest: Manifest): readonly Preset[] {
  if (!isNamed(call)) return manifest.presets;
  const wanted = new Set(namesOf(call).map((key) => presetNamed(key, manifest)));
  return manifest.presets.filter((preset) => wanted.has(preset));
}

function advice(call: Call): string {
  return `If an apply is the cause, \`avatarops history\` lists them, and \`${rollbackTo(call, "SERIAL")}\` goes back.`;
}

function isNamed(call: Call): boolean {
  return namesOf(call).length > 0;
}

function namesOf({ arguments: [given] }: Call): readonly string[] {
  return typeof given === "object" ? given : [];
}
