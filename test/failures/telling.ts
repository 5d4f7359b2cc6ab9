import type { OutcomeDocument, PlanDocument } from "../../src/output/documents/index.js";
import type { Project, Ran, Setting } from "../cli/hosting.js";
import { succeed } from "../cli/hosting.js";

/** Wide enough that no sentence is broken: messages can be asserted whole. */
const wide = { columns: 10_000 };

/** Runs a command whose lines are not wrapped. */
export function tell(project: Project, ...argv: string[]): Promise<Ran> {
  return project.avataropsWith(wide, ...argv);
}

/** The same, with other facts of the terminal and more environment. */
export function tellWith(project: Project, setting: Setting, ...argv: string[]): Promise<Ran> {
  return project.avataropsWith({ ...wide, ...setting }, ...argv);
}

/** Applies without asking. */
export function apply(project: Project, ...argv: string[]): Promise<Ran> {
  return tell(project, "apply", "--auto-approve", ...argv);
}

/** Applies, and fails the test unless all is done. */
export async function applied(project: Project, ...argv: string[]): Promise<Ran> {
  return succeed(apply(project, ...argv));
}

/** How each change of an apply ended: "context.desk applied", "context.shop failed name-taken". */
export async function applyInShort(project: Project, ...argv: string[]) {
  const ran = await apply(project, "--format", "json", ...argv);
  const { results } = JSON.parse(ran.stdout) as OutcomeDocument;
  const ended = results.map(({ address, status, problem }) =>
    [address, status, ...(problem ? [problem.code] : [])].join(" "),
  );
  const problems = results.flatMap(({ problem }) => (problem ? [problem.message] : []));
  return { exit: ran.exit, ended, problems, notes: results.flatMap(({ notes }) => notes) };
}

/** What a plan wants: "create context.desk new", and the exit code of `plan --detailed-exitcode`. */
export async function planInShort(project: Project, ...argv: string[]) {
  const ran = await tell(project, "plan", "--detailed-exitcode", "--format", "json", ...argv);
  const { changes, notices, requests } = JSON.parse(ran.stdout) as PlanDocument;
  return {
    exit: ran.exit,
    wants: changes.map(({ action, address, reason }) => `${action} ${address} ${reason}`),
    fields: changes.flatMap((change) => change.fields.map(({ field }) => `${change.address} ${field}`)),
    notes: changes.flatMap(({ notes }) => notes),
    notices: notices.map(({ message }) => message),
    requests,
  };
}

/** The names of the account's contexts, in order: a second object shows as a name that stands twice. */
export function contextNames({ emulator }: Project): string[] {
  return emulator.world.contexts.map(({ name }) => name).sort();
}

/** The requests that could change something, as sent. */
export function writes({ emulator }: Project): string[] {
  return emulator.requests.filter(({ method }) => method !== "GET").map((one) => `${one.method} ${one.path}`);
}
