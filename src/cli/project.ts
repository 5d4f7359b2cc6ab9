import path from "node:path";
import { type Diagnostic, hasErrors } from "../diagnostics/index.js";
import { diagnosticsDocument } from "../documents/index.js";
import { type LoadOptions, loadManifest, type Manifest, type OpenDefinitions } from "../manifest/index.js";
import { renderDiagnosticsText, renderJson } from "../render/index.js";
import type { SourceEnvironment } from "../secrets/index.js";
import { type Call, textOption } from "./command.js";
import { allowedVariables } from "./environment.js";
import { exitCode } from "./exit-code.js";
import { Ended } from "./failure.js";

/** Loads the manifest of a call and shows its diagnostics; ends the command if any is an error. */
export async function loadProject(call: Call): Promise<Manifest> {
  const { output } = call;
  const { manifest, diagnostics } = await loadManifest(loadOptionsOf(call));
  if (diagnostics.length > 0) {
    const document = diagnosticsDocument(placedFromHere(call, diagnostics));
    if (!hasErrors(diagnostics)) output.progress(renderDiagnosticsText(document, output.stderrText));
    else if (output.format === "json") output.result(renderJson(document));
    else output.problem(renderDiagnosticsText(document, output.stderrText));
  }
  if (!manifest) throw new Ended(exitCode.failed);
  return manifest;
}

/** The manifest that a call means. */
export function loadOptionsOf(call: Call): LoadOptions {
  const file = textOption(call, "file");
  const environment = textOption(call, "env");
  const allowed = allowedVariables(call);
  return {
    cwd: call.host.cwd,
    definitions,
    ...(file === undefined ? {} : { file }),
    ...(environment === undefined ? {} : { environment }),
    ...(allowed ? { allowedVariables: allowed } : {}),
  };
}

/** Loaded with the first TypeScript file: most projects have none. */
export const definitions: OpenDefinitions = async (reading) => {
  const { openDefinitions } = await import("../constructs/index.js");
  return openDefinitions(reading, () => import("../index.js"));
};

/** The diagnostics with paths relative to the current folder, so that terminals can link them. */
export function placedFromHere(call: Call, diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const folder = path.dirname(textOption(call, "file") ?? "");
  return diagnostics.map((diagnostic) =>
    diagnostic.place
      ? { ...diagnostic, place: { ...diagnostic.place, file: path.join(folder, diagnostic.place.file) } }
      : diagnostic,
  );
}

/** The environment in which the sources of a project's values are resolved. */
export function sourcesOf(call: Call, { root }: Pick<Manifest, "root">): SourceEnvironment {
  return { root, environment: call.host.environment, signal: call.signal, running: call.finishing };
}
