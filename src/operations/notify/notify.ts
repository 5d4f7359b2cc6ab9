import path from "node:path";
import {
  findOriginUrl,
  GitError,
  openRepository,
  parseRepositoryName,
  readGitSettings,
} from "../../base/git/index.js";
import { describe } from "../../core/secrets/index.js";
import type { Actor } from "../../core/state/index.js";
import { type NoticeFacts, toNoticeDocument } from "../../output/documents/index.js";
import {
  renderJsonLine,
  renderSlackNotice,
  renderTeamsNotice,
  repeatInDocument,
} from "../../output/render/index.js";
import { LaterRunError } from "../gates/later-run.js";
import { createProjectOptions } from "../project/project-options.js";
import { readActor } from "../runtime/actor.js";
import { toFailureDocument } from "../runtime/failure-document.js";
import type { Project } from "../runtime/project.js";
import { getGitSettingsCache, type Runtime } from "../runtime/runtime.js";
import { deliver } from "./deliver.js";
import { createFailureNotice } from "./notices-of-outcomes.js";

/** Facts for the notices about a run. */
export interface NotifyInput {
  /** The avatarops command. */
  readonly command: string;
  readonly facts: readonly NoticeFacts[];
}

const renderers = { standard: renderJsonLine, slack: renderSlackNotice, teams: renderTeamsNotice };

/** Posts notices to all webhooks of the project at once, except for an untrusted change. Failures are warnings. */
export async function notify(runtime: Runtime, project: Project, input: NotifyInput): Promise<void> {
  const { host, output } = runtime;
  const identified = input.facts.map((facts) => ({ facts, id: `msg_${host.newId()}` }));
  const wanted = project.notify.flatMap((target, i) =>
    identified
      .filter(({ facts }) => target.events?.includes(facts.type) ?? true)
      .map((one) => ({ ...one, target, to: `notify[${i}]` })),
  );
  if (wanted.length === 0 || project.untrusted) return;
  const { user, run }: Partial<Actor> = await readActor(runtime, project.root).catch(() => ({}));
  const { name, prefix } = await findProject(runtime, project);
  const context = {
    ...{ command: input.command, user, run, now: host.now() },
    ...{ project: name, environment: project.environment },
  };
  const repeated = createProjectOptions(runtime, prefix);
  await Promise.all(
    wanted.map(async ({ target, facts: bare, id, to }) => {
      const facts = repeatInDocument(bare, repeated);
      const body = renderers[target.format](toNoticeDocument(facts, context)).trimEnd();
      const why = await deliver(runtime, project, target, { id, body }).catch(String);
      if (why !== undefined)
        output.warn(
          `The notice "${facts.type}" was not delivered to ${to}, ${describe(target.url, project.sourceKinds)}: ${why}`,
        );
    }),
  );
}

/**
 * Finds the project's folder in the repository, and a display name such as `team/avatars/FOLDER`, or just `FOLDER`
 * without a remote.
 */
async function findProject(
  runtime: Runtime,
  { root }: Project,
): Promise<{ readonly name: string; readonly prefix?: string }> {
  const local = path.basename(root);
  try {
    // Ignores the run's signal, because a stopped run is also reported.
    const { environment } = runtime.host;
    const repository = await openRepository({ folder: root, environment, timeoutMs: 10_000 });
    const settings = await readGitSettings(repository, getGitSettingsCache(runtime));
    const origin = parseRepositoryName(findOriginUrl(settings) ?? "");
    const { prefix } = repository;
    return { name: origin === undefined ? local : path.posix.join(origin, prefix), prefix };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { name: local };
  }
}

/** Runs `work` and posts its notices. Errors are also posted, except usage errors. */
export async function withNotices<Result>(
  runtime: Runtime,
  project: Project,
  command: string,
  work: () => Promise<Result>,
  toFacts: (result: Result) => readonly NoticeFacts[],
): Promise<Result> {
  try {
    const result = await work();
    await notify(runtime, project, { command, facts: toFacts(result) });
    return result;
  } catch (error) {
    const document = toFailureDocument(error, runtime.signal);
    if (document.code !== "usage" && !(error instanceof LaterRunError))
      await notify(runtime, project, { command, facts: [createFailureNotice(command, document)] });
    throw error;
  }
}
