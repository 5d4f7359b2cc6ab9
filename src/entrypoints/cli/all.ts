import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import {
  InvalidProjectError,
  quoteShellWord,
  type Runtime,
  toFailureDocument,
} from "../../operations/index.js";
import type {
  DiagnosticsDocument,
  ErrorDocument,
  OutcomeDocument,
  PlanDocument,
  ProjectEnvironment,
  ProjectResult,
  ProjectsDocument,
  StatusDocument,
} from "../../output/documents/index.js";
import {
  describeNextActor,
  formatResultCounts,
  openJsonList,
  renderProjectHeading,
  repeatInDocument,
  type ShownDocument,
} from "../../output/render/index.js";
import type { Call, SharedOptions } from "./command.js";
import { type ExitCode, exitCode, pickWorstExitCode } from "./exit-code.js";
import type { Output } from "./output.js";
import { findProjectAbove } from "./project-above.js";
import { showFailure } from "./show-failure.js";

/*
 * Runs a command with `--all` for each project below the current folder. Projects run one after the other, so only one
 * is in memory. If a project fails, its error becomes its result, and the other projects still run. After a stop signal,
 * the remaining projects are listed without running.
 */

interface AllFlags extends SharedOptions {
  readonly file: string | undefined;
  readonly env: readonly string[];
  readonly all: boolean;
  readonly path: readonly string[];
  readonly changedSince: string | false | undefined;
}

export type ProjectCall<Called extends Call<AllFlags>> = Omit<Called, "options"> & {
  readonly options: Omit<Called["options"], "env"> & { readonly env: string | undefined };
};

interface AllInput {
  /** Values of single-project options, by flag. `--all` rejects them. */
  readonly singleProject?: Readonly<Record<string, unknown>>;
  /** Whether all environments of a project share one result. */
  readonly ignoresEnvironment?: boolean;
  /** Whether each project's heading is printed before its command starts. If not, only results get a heading. */
  readonly startsWithHeading?: boolean;
}

/** Converts a call without `--all` to a call for one project. @throws UsageError */
export function toProjectCall<Called extends Call<AllFlags>>(call: Called): ProjectCall<Called> {
  const { env, path, changedSince } = call.options;
  const [first, second] = env;
  const [given] = [path.length > 0 && "--path", changedSince !== undefined && "--changed-since"].filter(
    Boolean,
  );
  if (given) throw new UsageError("usage", `${given} requires --all. Add --all, or remove ${given}.`);
  if (second !== undefined)
    throw new UsageError("usage", "Without --all, --env takes one value. Add --all, or give --env once.");
  return withOptions(call, { env: first });
}

export function withOptions<Called extends Call<AllFlags>>(
  call: Called,
  options: { readonly file?: string; readonly env: string | undefined },
): ProjectCall<Called> {
  return { ...call, options: { ...call.options, ...options } } as object as ProjectCall<Called>;
}

/** Rejects options that make sense for one project only. @throws UsageError */
export function rejectSingleProjectOptions(
  { options }: Call<AllFlags>,
  singleProject: AllInput["singleProject"] = {},
): void {
  const all = Object.entries({ "--file": options.file, ...singleProject });
  const given = all.find(([, value]) => value !== undefined);
  if (given) throw new UsageError("usage", `${given[0]} cannot be used with --all. Remove one of them.`);
}

/** Runs a command for each project of `--all`, shows the results, and returns the worst exit code. */
export async function runForAll<Called extends Call<AllFlags>>(
  call: Called,
  run: (call: ProjectCall<Called>) => Promise<ExitCode>,
  { singleProject, ignoresEnvironment = false, startsWithHeading = false }: AllInput = {},
): Promise<ExitCode> {
  rejectSingleProjectOptions(call, singleProject);
  const { output, options } = call;
  // The search is loaded on demand, because only `--all` needs it.
  const { findProjects } = await import("../../operations/index.js");
  const { chosen, head } = await findProjects(withOptions(call, { env: undefined }) as object as Runtime, {
    ...options,
    environments: options.env,
  }).catch((error: unknown) => {
    const above = findProjectAbove(call.host);
    if (!(error instanceof UsageError) || error.code !== "no-projects" || above === undefined) throw error;
    const folder = quoteShellWord(path.dirname(above));
    throw new UsageError(
      error.code,
      `${error.message} ${above} is in a parent folder: \`cd ${folder}\` first.`,
    );
  });
  // A signal stops only the current project, so that the output is complete.
  return call.runCleanup(async () => {
    const exits: ExitCode[] = [];
    const rows: ProjectResult[] = [];
    const list = openJsonList(head, "projects");
    let last: ProjectResult | undefined;
    for (const at of chosen) {
      const { result, ...line } =
        ignoresEnvironment && last?.project === at.project
          ? last
          : await runFor(call, at, run, startsWithHeading);
      last = { ...line, ...at };
      exits.push(last.exit as ExitCode);
      if (output.format === "json") await output.writePart(list.items([result ? { ...last, result } : last]));
      else rows.push(last);
    }
    const exit = pickWorstExitCode(exits);
    if (output.format === "json") await output.writePart(list.end({ exit }));
    else output.show({ ...head, projects: rows, exit } satisfies ProjectsDocument);
    return exit;
  });
}

/** Returns whether a document contains more than its row in the final table. */
function hasDetails(document: ShownDocument): boolean {
  if (document.format === "avatarops/status") return false;
  if (document.format === "avatarops/plan") return document.exit !== "nothing" || document.notices.length > 0;
  return (
    document.format !== "avatarops/diagnostics" ||
    document.diagnostics.length > 0 ||
    document.policies !== undefined
  );
}

type ShownDocuments = PlanDocument | DiagnosticsDocument | ErrorDocument | OutcomeDocument | StatusDocument;

/**
 * Runs the command for one project. Prints its output below a heading, or returns it for the combined JSON document.
 */
async function runFor<Called extends Call<AllFlags>>(
  call: Called,
  at: ProjectEnvironment,
  run: (call: ProjectCall<Called>) => Promise<ExitCode>,
  startsWithHeading: boolean,
): Promise<ProjectResult> {
  const { signal } = call;
  if (signal.aborted)
    return { ...at, exit: exitCode.cancelled, counts: "not run, because the command was stopped" };
  const output = call.output.forProject({ file: at.project, env: at.environment });
  const isJson = output.format === "json";
  let result: ShownDocuments | undefined;
  const keep = (document: object) => {
    result ??= repeatInDocument(document, output.stdoutText.repeated) as ShownDocuments;
  };
  let lastMessage = "";
  let hasHeading = isJson;
  const printHeading = () => {
    if (hasHeading) return;
    hasHeading = true;
    output.writeResult(
      renderProjectHeading(at, output.format === "markdown" ? "markdown" : output.stdoutText),
    );
  };
  if (startsWithHeading) printHeading();
  const projectOutput: Output = {
    ...output,
    writeDocument: keep,
    show(document) {
      keep(document);
      if (isJson || !hasDetails(document)) return;
      printHeading();
      output.show(document);
    },
    writeProblem(rendered) {
      printHeading();
      output.writeProblem(rendered);
    },
    info(sentence) {
      lastMessage = sentence;
      if (startsWithHeading) output.info(sentence);
    },
    warn: (sentence) => output.warn(`${[at.project, at.environment].filter(Boolean).join(" ")}: ${sentence}`),
  };
  const opened: Call["opened"] = {};
  const one = {
    ...withOptions(call, { file: at.project, env: at.environment }),
    output: projectOutput,
    opened,
  };
  let exit: ExitCode;
  try {
    exit = await run(one);
  } catch (error) {
    exit = showFailure(error, projectOutput, signal);
    keep(error instanceof InvalidProjectError ? error.diagnostics : toFailureDocument(error, signal));
  } finally {
    await opened.sources?.close();
  }
  const counts = result ? formatResultCounts(result) : lastMessage;
  const next = result?.format === "avatarops/status" ? describeNextActor(result) : undefined;
  return {
    ...at,
    exit,
    counts,
    ...(next !== undefined && { next }),
    ...(isJson && result ? { result: { ...result } } : {}),
  };
}
