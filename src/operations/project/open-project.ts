import path from "node:path";
import { type Diagnostic, hasErrors, UsageError } from "../../base/diagnostics/index.js";
import {
  defaultSources,
  durationUnits,
  isProject,
  type Judge,
  type LoadedManifest,
  type LoadOptions,
  loadManifest,
  type OpenDefinitions,
} from "../../core/manifest/index.js";
import { loadStateCheck } from "../../core/state/index.js";
import { type DiagnosticsDocument, toDiagnosticsDocument } from "../../output/documents/index.js";
import { allowsCode, listAllowedVariables } from "../runtime/access.js";
import type { OpenProject, Project, UntrustedChange } from "../runtime/project.js";
import type { OperationHost, Runtime } from "../runtime/runtime.js";

/** Thrown if a project's files have errors. */
export class InvalidProjectError extends Error {
  override readonly name = "InvalidProjectError";
  readonly code = "invalid-project";
  readonly diagnostics: DiagnosticsDocument;
  /** Whether policy violations are the only errors. */
  readonly violatesOnlyPolicies: boolean;

  constructor(diagnostics: DiagnosticsDocument) {
    const errors = [...diagnostics.diagnostics, ...(diagnostics.policies ?? [])].filter(
      ({ severity }) => severity === "error",
    );
    const sentences = errors.map(({ message, location }) =>
      location ? `${location.file}:${location.line}: ${message}.` : `${message}.`,
    );
    super(`The project is not valid. ${sentences.join(" ")}`);
    this.diagnostics = diagnostics;
    this.violatesOnlyPolicies = !diagnostics.diagnostics.some(({ severity }) => severity === "error");
  }
}

/**
 * Loads a runtime's project, runs its policies, and reports warnings. With `showsFindings: false`, policy findings are
 * not reported.
 *
 * @throws InvalidProjectError, UsageError
 */
export async function openProject(
  runtime: Runtime,
  { showsFindings = true }: { readonly showsFindings?: boolean } = {},
): Promise<OpenProject> {
  return assertFound(runtime, await readProject(runtime, { showsFindings }));
}

/**
 * Loads a project without running policies, for operations that only read or that pull live values. With
 * `showsWarnings: false`, warnings are not reported.
 *
 * @throws InvalidProjectError, UsageError
 */
export async function loadProject(
  runtime: Runtime,
  { elsewhere, showsWarnings }: Pick<LoadOptions, "elsewhere"> & { readonly showsWarnings?: boolean } = {},
): Promise<Project> {
  const loaded = await loadFiles(runtime, { judges: false, elsewhere });
  return assertFound(runtime, toProject(runtime, loaded, { showsWarnings }));
}

/** @throws InvalidProjectError if the project has errors. */
export function assertFound<Found>(
  runtime: Runtime,
  { project, diagnostics }: { readonly project?: Found; readonly diagnostics: readonly Diagnostic[] },
): Found {
  if (project) return project;
  throw new InvalidProjectError(toDiagnosticsDocument(withRelativeLocations(runtime, diagnostics)));
}

/**
 * Loads the project for an operation on sessions. Without a project, the base URL and key come from the options and the
 * environment. The duration unit comes from `durationUnit`, the project or the environment, in this order.
 */
export async function openAccount(
  runtime: Runtime & { readonly options: { readonly durationUnit?: string | undefined } },
): Promise<Project> {
  const project = hasNoManifest(runtime) ? await createDefaultProject(runtime) : await loadProject(runtime);
  const sessionDurationUnit =
    runtime.options.durationUnit ??
    project.service.sessionDurationUnit ??
    runtime.host.environment[unitVariable];
  if (!sessionDurationUnit) return project;
  const unit = durationUnits.find((unit) => unit === sessionDurationUnit);
  if (!unit) throw new UsageError("usage", `${unitVariable} must be one of ${durationUnits.join(", ")}.`);
  return { ...project, service: { ...project.service, sessionDurationUnit: unit } };
}

const unitVariable = "AVATAROPS_SESSION_DURATION_UNIT";

/** Returns whether a base URL is set, but neither the options nor the current folder selects a project. */
function hasNoManifest({ host, options }: Runtime): boolean {
  const { cwd, environment } = host;
  const isNamed = options.file !== undefined || options.env !== undefined;
  const hasAddress = (options.baseUrl ?? environment[defaultSources.baseUrl.name]?.trim() ?? "") !== "";
  return !isNamed && hasAddress && !isProject(cwd);
}

/** Returns a project with the default of every setting. */
export async function createDefaultProject(runtime: Runtime): Promise<Project> {
  const tree = {
    readFile: () => new TextEncoder().encode("service: {}\n"),
    realpath: (file: string) => file,
    entries: () => [],
  };
  const empty = { ...toLoadOptions(runtime), file: "avatarops.yaml", tree };
  const { manifest } = await loadManifest(empty);
  if (!manifest) throw new Error("Bug: an empty project has errors");
  return manifest;
}

/** Loads a project like `openProject`, but returns the diagnostics, including one for a missing project. */
export async function readProject(
  runtime: Runtime,
  { showsFindings = true }: { readonly showsFindings?: boolean } = {},
): Promise<{ readonly project?: OpenProject; readonly diagnostics: readonly Diagnostic[] }> {
  const loaded = await loadFiles(runtime, { judges: true });
  const { project, diagnostics } = toProject(runtime, loaded, { showsFindings });
  const findings = diagnostics.filter(({ policy }) => policy);
  return { ...(project && { project: { ...project, findings } }), diagnostics };
}

type LoadedFiles = LoadedManifest & { readonly untrusted?: UntrustedChange | undefined };

interface Presentation {
  readonly showsFindings?: boolean | undefined;
  readonly showsWarnings?: boolean | undefined;
}

/** Reports warnings, unless there are errors. */
function toProject(
  runtime: Runtime,
  { manifest, diagnostics, untrusted }: LoadedFiles,
  { showsFindings = true, showsWarnings = true }: Presentation = {},
): { readonly project?: Project; readonly diagnostics: readonly Diagnostic[] } {
  if (!manifest || hasErrors(diagnostics)) return { diagnostics };
  const shown = diagnostics.filter(({ policy }) => (policy ? showsFindings : showsWarnings));
  if (shown.length > 0)
    runtime.output.diagnostics(toDiagnosticsDocument(withRelativeLocations(runtime, shown)));
  return { project: { ...manifest, untrusted }, diagnostics };
}

/** Loads a project's files. With `--untrusted`, loads the change and its base from commits. */
export async function loadFiles(
  runtime: Runtime,
  {
    judges,
    checksState,
    ...given
  }: { readonly judges: boolean; readonly checksState?: true } & Pick<LoadOptions, "watch" | "elsewhere">,
): Promise<LoadedFiles> {
  const checkState = checksState && (await loadCheckState());
  const options = { ...toLoadOptions(runtime), judge: judges ? judge : undefined, checkState, ...given };
  if (runtime.options.untrusted) {
    const { loadUntrusted } = await import("../untrusted/load.js");
    return loadUntrusted(runtime, options);
  }
  if (runtime.options.base !== undefined)
    throw new UsageError("usage", "--base requires --untrusted. Add --untrusted, or remove --base.");
  const loaded = await loadManifest(options);
  const state = runtime.host.environment[stateVariable];
  return state && loaded.manifest ? { ...loaded, manifest: { ...loaded.manifest, state } } : loaded;
}

/**
 * Loads the check for state URLs. The first sentence of its message becomes the diagnostic, and the rest becomes the
 * hint.
 */
async function loadCheckState(): Promise<NonNullable<LoadOptions["checkState"]>> {
  const find = await loadStateCheck();
  return (location) => {
    const problem = find(location);
    if (!problem) return undefined;
    const [message = "", ...more] = problem.message.replace(/\.$/, "").split(/\. (?=[A-Z])/);
    const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
    return { code: problem.code, message: lower(message), hint: lower(more.join(". ")) };
  };
}

/** Environment variable that overrides `state:`. */
export const stateVariable = "AVATAROPS_STATE";

export function toLoadOptions(runtime: Runtime): LoadOptions {
  const { host, options } = runtime;
  return {
    cwd: host.cwd,
    allowCode: allowsCode(runtime),
    definitions: createOpenDefinitions(host),
    file: options.file,
    environment: options.env,
    allowedVariables: listAllowedVariables(runtime),
  };
}

/** Loads the TypeScript runner only when a TypeScript file is read, because most projects contain no TypeScript. */
export function createOpenDefinitions({ loadLibrary }: Pick<OperationHost, "loadLibrary">): OpenDefinitions {
  return async (reading) => {
    const { openDefinitions } = await import("../../core/constructs/index.js");
    return openDefinitions(reading, loadLibrary);
  };
}

/** Loads the policies on first use. */
export const judge: Judge = async (...given) => {
  const { judgeFiles } = await import("../../review/policy/index.js");
  return judgeFiles(...given);
};

/** Makes paths relative to the current folder, so that terminals can link them. */
export function withRelativeLocations(runtime: Runtime, diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const folder = path.dirname(runtime.options.file ?? "");
  return diagnostics.map((diagnostic) =>
    diagnostic.location
      ? {
          ...diagnostic,
          location: { ...diagnostic.location, file: path.join(folder, diagnostic.location.file) },
        }
      : diagnostic,
  );
}
