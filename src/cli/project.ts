import path from "node:path";
import { type Diagnostic, hasErrors } from "../diagnostics/index.js";
import { diagnosticsDocument } from "../documents/index.js";
import {
  defaultSources,
  durationUnits,
  isLiteral,
  isProject,
  type Judge,
  type JudgedProject,
  type LoadedManifest,
  type LoadOptions,
  loadManifest,
  type Manifest,
  type OpenDefinitions,
} from "../manifest/index.js";
import { expectPackages } from "../optional-packages/index.js";
import { renderDiagnosticsText } from "../render/index.js";
import { isEnv, loadedKind, type SourceEnvironment, SourceRun } from "../secrets/index.js";
import { packageOfStore } from "../state/index.js";
import { type Call, isOn, textOption } from "./command.js";
import { allowedVariables, readAllowedHosts } from "./environment.js";
import { exitCode } from "./exit-code.js";
import { Ended, UsageError } from "./failure.js";
import type { Untrusted } from "./untrusted/untrusted.js";

/** A project to plan. */
export interface Project extends Manifest {
  /** Of an untrusted change. */
  readonly untrusted?: Untrusted;
  /** What its policies say of the files; for commands that judge. */
  readonly findings?: readonly Diagnostic[];
  /** For rules about plans; for commands that judge. */
  readonly judged?: JudgedProject;
}

/** Loads the manifest of a call and shows its diagnostics; ends the command if any is an error. */
export async function loadProject(call: Call): Promise<Project> {
  const { manifest } = await readProject(call);
  if (!manifest) throw new Ended(exitCode.failed);
  return manifest;
}

/**
 * The same for a command about sessions, which needs no project: without one, the address and the key are those of the command line
 * and the environment. The unit of durations is that of the command line, the project or the environment, in this order.
 */
export async function loadAccount(call: Call): Promise<Project> {
  const project = isBare(call) ? await bareProject(call) : await loadProject(call);
  const sessionDurationUnit =
    textOption(call, "durationUnit") ??
    project.service.sessionDurationUnit ??
    call.host.environment[unitVariable];
  if (!sessionDurationUnit) return project;
  const unit = durationUnits.find((unit) => unit === sessionDurationUnit);
  if (!unit) throw new UsageError("usage", `${unitVariable} must be one of ${durationUnits.join(", ")}.`);
  return { ...project, service: { ...project.service, sessionDurationUnit: unit } };
}

const unitVariable = "AVATAROPS_SESSION_DURATION_UNIT";

/** Whether there is no project here and none is named, but an address of a service. */
function isBare(call: Call): boolean {
  const { cwd, environment } = call.host;
  const isNamed = ["file", "env"].some((option) => textOption(call, option) !== undefined);
  const hasAddress =
    (textOption(call, "baseUrl") ?? environment[defaultSources.baseUrl.name]?.trim() ?? "") !== "";
  return !isNamed && hasAddress && !isProject(cwd);
}

/** A project whose one file says nothing: every setting has its default. */
async function bareProject(call: Call): Promise<Project> {
  const tree = {
    readFile: () => new TextEncoder().encode("service: {}\n"),
    realpath: (file: string) => file,
    entries: () => [],
  };
  const empty = { ...loadOptionsOf(call), file: "avatarops.yaml", tree };
  const { manifest } = await loadManifest(empty);
  if (!manifest) throw new Error("Bug: an empty project has errors");
  return manifest;
}

/**
 * The same for a command that plans to write: ends it, too, if the files break a rule of the policies. With
 * `showsFindings: false`, it shows warnings of the policies itself.
 */
export async function loadJudged(call: Call, options: Pick<Reading, "showsFindings"> = {}): Promise<Project> {
  const { manifest } = await readProject(call, { ...options, judges: true });
  if (!manifest) throw new Ended(exitCode.failed);
  return manifest;
}

interface Reading {
  readonly judges?: boolean;
  /** Default: true. */
  readonly showsFindings?: boolean;
}

/** The same for a command that has more to do with the diagnostics. */
export async function readProject(
  call: Call,
  { judges = false, showsFindings = true }: Reading = {},
): Promise<{ readonly manifest?: Project; readonly diagnostics: readonly Diagnostic[] }> {
  const { output } = call;
  const { manifest, judged, diagnostics, untrusted } = await loadFiles(call, { judges });
  const isRefused = hasErrors(diagnostics);
  const shown = diagnostics.filter(({ policy }) => isRefused || showsFindings || !policy);
  if (shown.length > 0) {
    const document = diagnosticsDocument(placedFromHere(call, shown));
    if (!isRefused) output.progress(renderDiagnosticsText(document, output.stderrText));
    else if (output.format === "json") output.document(document);
    else output.problem(renderDiagnosticsText(document, output.stderrText));
  }
  if (!manifest || isRefused) return { diagnostics };
  const findings = diagnostics.filter(({ policy }) => policy);
  const more = { ...(untrusted ? { untrusted } : {}), ...(judged ? { judged } : {}) };
  return { manifest: { ...manifest, ...more, findings }, diagnostics };
}

/** Loads the manifest of a call; with `--untrusted`, as an untrusted change to its base. */
export async function loadFiles(
  call: Call,
  { judges }: { readonly judges: boolean },
): Promise<LoadedManifest & { readonly untrusted?: Untrusted }> {
  const options = { ...loadOptionsOf(call), ...(judges ? { judge } : {}) };
  if (!isOn(call, "untrusted")) {
    if (textOption(call, "base") === undefined) return loadTrusted(options);
    throw new UsageError("usage", "--base is for --untrusted: add that, or remove --base.");
  }
  const { loadUntrusted } = await import("./untrusted/load.js");
  return loadUntrusted(call, options);
}

/** Packages may be beside files whose code may run. */
async function loadTrusted(options: LoadOptions): Promise<LoadedManifest> {
  expectPackages({ beside: path.dirname(path.resolve(options.cwd, options.file ?? "avatarops.yaml")) });
  const loaded = await loadManifest(options);
  if (loaded.manifest) expectPackages({ needed: findPackages(loaded.manifest) });
  return loaded;
}

/** The optional packages that a project needs. */
function findPackages({ state, service, fingerprintKey, declarations }: Manifest): string[] {
  const store = packageOfStore(state);
  const sources = declarations.flatMap(({ sources }) => Object.values(sources));
  const kinds = new Set(
    [service.apiKey, ...(fingerprintKey ? [fingerprintKey] : []), ...sources].map(({ from }) => from),
  );
  return [
    ...(store === undefined ? [] : [store]),
    ...[...kinds].flatMap((kind) => loadedKind(kind)?.packages ?? []),
  ];
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

/** Loaded when files have been read. */
export const judge: Judge = async (...given) => {
  const { judgeFiles } = await import("../policy/index.js");
  return judgeFiles(...given);
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

/**
 * The environment in which the sources of a project's values are resolved. Of an untrusted change, only address and key
 * are: they are those of its base.
 */
export function sourcesOf(
  call: Call,
  {
    root,
    service,
    untrusted,
    sourceKinds,
  }: Pick<Project, "root" | "untrusted" | "sourceKinds"> & Partial<Pick<Project, "service">>,
): SourceEnvironment {
  const { environment, waits } = call.host;
  call.opened.sources ??= new SourceRun();
  const resolving: SourceEnvironment = {
    ...{ root, environment, signal: call.signal, running: call.finishing, run: call.opened.sources },
    ...(sourceKinds ? { kinds: sourceKinds } : {}),
    ...readAllowedHosts(call),
    backoffMs: waits?.backoffMs,
  };
  if (!untrusted) return resolving;
  const named = [defaultSources.baseUrl, defaultSources.apiKey, service?.baseUrl, service?.apiKey];
  const only = named.flatMap((source) => (source && !isLiteral(source) && isEnv(source) ? source.name : []));
  return { ...resolving, only: new Set(only) };
}
