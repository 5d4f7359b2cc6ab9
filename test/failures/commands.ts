import type { OutcomeDocument, PlanDocument } from "../../src/output/documents/index.js";
import type { CommandResult, Project, Setting } from "../cli/hosting.js";
import { expectSuccess } from "../cli/hosting.js";

/** Wide terminal, so that messages are not wrapped and can be asserted in full. */
const wide = { columns: 10_000 };

/** Runs a command without wrapping its output. */
export function runUnwrapped(project: Project, ...argv: string[]): Promise<CommandResult> {
  return project.avataropsWith(wide, ...argv);
}

/** Runs a command with other terminal settings and environment variables, without wrapping its output. */
export function runUnwrappedWith(
  project: Project,
  setting: Setting,
  ...argv: string[]
): Promise<CommandResult> {
  return project.avataropsWith({ ...wide, ...setting }, ...argv);
}

/** Applies without a confirmation. */
export function apply(project: Project, ...argv: string[]): Promise<CommandResult> {
  return runUnwrapped(project, "apply", "--auto-approve", ...argv);
}

/** Applies and expects success. */
export async function applySuccessfully(project: Project, ...argv: string[]): Promise<CommandResult> {
  return expectSuccess(apply(project, ...argv));
}

/**
 * Returns the outcome of each change in an apply, such as "context.desk applied" or "context.shop failed name-taken".
 */
export async function summarizeApply(project: Project, ...argv: string[]) {
  const ran = await apply(project, "--format", "json", ...argv);
  const { results } = JSON.parse(ran.stdout) as OutcomeDocument;
  const outcomes = results.map(({ address, status, problem }) =>
    [address, status, ...(problem ? [problem.code] : [])].join(" "),
  );
  const problems = results.flatMap(({ problem }) => (problem ? [problem.message] : []));
  return { exit: ran.exit, outcomes, problems, notes: results.flatMap(({ notes }) => notes) };
}

/**
 * Returns the changes of a plan, such as "create context.desk new", and the exit code of `plan --detailed-exitcode`.
 */
export async function summarizePlan(project: Project, ...argv: string[]) {
  const ran = await runUnwrapped(project, "plan", "--detailed-exitcode", "--format", "json", ...argv);
  const { changes, notices, requests } = JSON.parse(ran.stdout) as PlanDocument;
  return {
    exit: ran.exit,
    changes: changes.map(({ action, address, reason }) => `${action} ${address} ${reason}`),
    fields: changes.flatMap((change) => change.fields.map(({ field }) => `${change.address} ${field}`)),
    notes: changes.flatMap(({ notes }) => notes),
    notices: notices.map(({ message }) => message),
    requests,
  };
}

/** Returns the sorted names of the account's contexts. A duplicate object shows as a repeated name. */
export function listContextNames({ emulator }: Project): string[] {
  return emulator.world.contexts.map(({ name }) => name).sort();
}

/** Returns the write requests in the order sent. */
export function listWrites({ emulator }: Project): string[] {
  return emulator.requests.filter(({ method }) => method !== "GET").map((one) => `${one.method} ${one.path}`);
}
