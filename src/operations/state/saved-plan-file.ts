import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import {
  followLinks,
  isInGitFolder,
  isInside,
  LeadsOutsideError,
  readRegular,
  toPosixPath,
} from "../../base/files/index.js";
import type { Plan, PlanDefinitions } from "../../core/engine/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { readPlan } from "../../output/documents/index.js";
import { digestText, type Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { quoteShellWord } from "../runtime/shell-word.js";
import { getStateLocation, warnOfMissingCommit } from "./project-store.js";

/** Reads a saved plan. @throws UsageError */
export async function readPlanFile({ host }: Pick<Runtime, "host">, named: string): Promise<Plan> {
  const text = await readFile(host.resolve(named), "utf8").catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(
      "plan-file",
      `Cannot read the plan ${named} (${code}). Write one with \`avatarops plan --out ${quoteShellWord(named)}\`.`,
    );
  });
  return readPlan(text);
}

/**
 * Rejects the project's files and state, which the plan would overwrite. Also rejects paths that a symlink redirects to
 * another folder, because the author of the project could otherwise choose a file to overwrite.
 *
 * @throws LeadsOutsideError, UsageError
 */
export async function assertPlanTarget(
  named: string,
  { host }: Runtime,
  { root, files, state }: Pick<Manifest, "root" | "files" | "state">,
): Promise<void> {
  const written = host.resolve(named);
  if (!existsSync(path.dirname(written)))
    throw new UsageError(
      "usage",
      `The folder ${path.dirname(named)} for ${named} does not exist. Create it, or choose another file for --out.`,
    );
  const target = await followLinks(written);
  const folders = [host.cwd, root].filter((folder) => isInside(folder, written));
  const real = await Promise.all(folders.map(followLinks));
  const isLedOut = real.length > 0 && !real.some((folder) => isInside(folder, target));
  const isLedToGit =
    target !== written && real.some((folder) => isInGitFolder(path.relative(folder, target)));
  if (isLedOut || isLedToGit) throw new LeadsOutsideError("the project folder", named, target);
  const [ofProject, ofState] = await Promise.all([root, getStateLocation({ root, state })].map(followLinks));
  const inProject = toPosixPath(path.relative(ofProject ?? root, target));
  const isBesideState =
    target.startsWith(`${ofState}.`) &&
    /^\.(?:lock|journal|next|history)/.test(target.slice(ofState?.length));
  if (target !== ofState && !isBesideState && !files.includes(inProject)) return;
  const what = `${named} is ${target === ofState || isBesideState ? "the project's state" : "a project file"}`;
  throw new UsageError(
    "usage",
    `${what}, and the saved plan would overwrite it. Choose another file for --out.`,
  );
}

/** Returns a saved plan's inputs: the commit (if git can read it) and the digests of all files. */
export async function readPlanDefinitions(runtime: Runtime, project: Project): Promise<PlanDefinitions> {
  const { readDefinitions } = await import("../../core/history/index.js");
  const { untrusted } = project;
  if (untrusted) return { commit: untrusted.head, files: untrusted.digests };
  const { environment } = runtime.host;
  const reading = readDefinitions(project, { environment });
  const { commit, modified } =
    (await reading.catch((error: unknown) => warnOfMissingCommit(runtime, error))) ?? {};
  const ofCheckout = { ...(commit !== undefined && { commit }), ...(modified && { modified }) };
  return { ...ofCheckout, files: await digestFiles(project) };
}

async function digestFiles({ root, files }: Project): Promise<Readonly<Record<string, string>>> {
  const digests = files.map(async (file) => {
    const bytes = await readRegular(path.join(root, file));
    return [file, digestText(bytes.toString("utf8"))] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}
