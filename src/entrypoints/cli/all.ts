import { UsageError } from "../../base/diagnostics/index.js";
import { failureDocument, InvalidProjectError, type Runtime } from "../../operations/index.js";
import type {
  DiagnosticsDocument,
  ErrorDocument,
  OutcomeDocument,
  PlanDocument,
  ProjectEnvironment,
  ProjectResult,
  ProjectsDocument,
} from "../../output/documents/index.js";
import {
  openJsonList,
  renderProjectHeading,
  repeatInDocument,
  resultCounts,
  type ShownDocument,
} from "../../output/render/index.js";
import type { Call, SharedOptions } from "./command.js";
import { type ExitCode, worstExitCode } from "./exit-code.js";
import type { Output } from "./output.js";
import { showFailure } from "./show-failure.js";

/*
 * `--all`: a command for each project below the current folder, one after the other, so that memory holds one of them. What
 * stops one of them is its result, and the others go on.
 */

interface AllFlags extends SharedOptions {
  readonly file: string | undefined;
  readonly env: readonly string[];
  readonly all: boolean;
  readonly path: readonly string[];
  readonly changedSince: string | false | undefined;
}

/** A call for one project. */
export type ProjectCall<Called extends Call<AllFlags>> = Omit<Called, "options"> & {
  readonly options: Omit<Called["options"], "env"> & { readonly env: string | undefined };
};

interface AllInput {
  /** The options of which each project would need another value, as they are written. */
  readonly apart?: Readonly<Record<string, unknown>>;
  /** The environments of a project have the same result. */
  readonly isOfProject?: boolean;
  /** Names each project before its command starts, not only if there is a result to show, and shows its messages. */
  readonly namesFirst?: boolean;
}

/** The call for the one project that is meant. @throws UsageError */
export function toProjectCall<Called extends Call<AllFlags>>(call: Called): ProjectCall<Called> {
  const { env, path, changedSince } = call.options;
  const [first, second] = env;
  const [given] = [path.length > 0 && "--path", changedSince !== undefined && "--changed-since"].filter(
    Boolean,
  );
  if (given) throw new UsageError("usage", `${given} is for --all: add that, or remove ${given}.`);
  if (second !== undefined)
    throw new UsageError("usage", "--env is given twice, and takes one value: add --all for several.");
  return withOptions(call, { env: first });
}

/** The call with these options. */
export function withOptions<Called extends Call<AllFlags>>(
  call: Called,
  options: { readonly file?: string; readonly env: string | undefined },
): ProjectCall<Called> {
  return { ...call, options: { ...call.options, ...options } } as object as ProjectCall<Called>;
}

/** The options of which each project would need a value of its own. @throws UsageError */
export function refuseApart({ options }: Call<AllFlags>, apart: AllInput["apart"] = {}): void {
  const all = Object.entries({ "--file": options.file, ...apart });
  const given = all.find(([, value]) => value !== undefined);
  if (given) throw new UsageError("usage", `${given[0]} is for one project: remove it, or --all.`);
}

/** Runs a command for each project that `--all` means; shows the results, and returns the worst exit code. */
export async function forAll<Called extends Call<AllFlags>>(
  call: Called,
  run: (call: ProjectCall<Called>) => Promise<ExitCode>,
  { apart, isOfProject = false, namesFirst = false }: AllInput = {},
): Promise<ExitCode> {
  refuseApart(call, apart);
  const { output, options } = call;
  // Loaded for `--all` alone: it reads saved plans, too.
  const { findProjects } = await import("../../operations/index.js");
  const { chosen, head } = await findProjects(withOptions(call, { env: undefined }) as object as Runtime, {
    ...options,
    environments: options.env,
  });
  const exits: ExitCode[] = [];
  const rows: ProjectResult[] = [];
  const list = openJsonList(head, "projects");
  let last: ProjectResult | undefined;
  for (const at of chosen) {
    const { result, ...line } =
      isOfProject && last?.project === at.project ? last : await runFor(call, at, run, namesFirst);
    last = { ...line, ...at };
    exits.push(last.exit as ExitCode);
    if (output.format === "json") await output.part(list.items([result ? { ...last, result } : last]));
    else rows.push(last);
  }
  const exit = worstExitCode(exits);
  if (output.format === "json") await output.part(list.end({ exit }));
  else output.show({ ...head, projects: rows, exit } satisfies ProjectsDocument);
  return exit;
}

/** Whether it says more than its line in the table of all. */
function says(document: ShownDocument): boolean {
  if (document.format === "avatarops/plan") return document.exit !== "nothing" || document.notices.length > 0;
  return (
    document.format !== "avatarops/diagnostics" ||
    document.diagnostics.length > 0 ||
    document.policies !== undefined
  );
}

type Shown = PlanDocument | DiagnosticsDocument | ErrorDocument | OutcomeDocument;

/** What the command shows of one project is below a line with its name, or kept for the JSON of all. */
async function runFor<Called extends Call<AllFlags>>(
  call: Called,
  at: ProjectEnvironment,
  run: (call: ProjectCall<Called>) => Promise<ExitCode>,
  namesFirst: boolean,
): Promise<ProjectResult> {
  const { signal } = call;
  const output = call.output.forProject({ file: at.project, env: at.environment });
  signal.throwIfAborted();
  const isJson = output.format === "json";
  let result: Shown | undefined;
  const keep = (document: object) => {
    result ??= repeatInDocument(document, output.stdoutText.repeated) as Shown;
  };
  /** The last message. */
  let said = "";
  let isTitled = isJson;
  const title = () => {
    if (isTitled) return;
    isTitled = true;
    output.result(renderProjectHeading(at, output.format === "markdown" ? "markdown" : output.stdoutText));
  };
  if (namesFirst) title();
  const followed: Output = {
    ...output,
    document: keep,
    show(document) {
      keep(document);
      if (isJson || !says(document)) return;
      title();
      output.show(document);
    },
    problem(rendered) {
      title();
      output.problem(rendered);
    },
    info(sentence) {
      said = sentence;
      if (namesFirst) output.info(sentence);
    },
    warn: (sentence) => output.warn(`${[at.project, at.environment].filter(Boolean).join(" ")}: ${sentence}`),
  };
  const opened: Call["opened"] = {};
  const one = { ...withOptions(call, { file: at.project, env: at.environment }), output: followed, opened };
  let exit: ExitCode;
  try {
    exit = await run(one);
  } catch (error) {
    if (signal.aborted) throw error;
    exit = showFailure(error, followed, signal);
    keep(error instanceof InvalidProjectError ? error.diagnostics : failureDocument(error, signal));
  } finally {
    await opened.sources?.close();
  }
  const counts = result ? resultCounts(result) : said;
  return { ...at, exit, counts, ...(isJson && result ? { result: { ...result } } : {}) };
}
