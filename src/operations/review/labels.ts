import { type CodeHost, HostError, isReviewContext, type Label } from "../../review/hosts/index.js";
import type { Runtime } from "../runtime.js";
import type { ReviewTarget } from "./target.js";

/*
 * The label of a pull request sums up the reviews of its last commit, of all projects and environments: their statuses say what each
 * came to. Reviews run at the same time, so each looks again after it has set the label.
 */

const labels = {
  refused: { color: "d73a4a", description: "avatarops cannot apply this as it is" },
  changes: { color: "1d76db", description: "changes what avatarops manages" },
  "no changes": { color: "c5def5", description: "changes nothing that avatarops manages" },
} as const;

type LabelName = keyof typeof labels;

const all = Object.entries(labels).map(([name, rest]): Label => ({ name: toLabel(name), ...rest }));

function toLabel(name: string): string {
  return `avatarops: ${name}`;
}

/** Sets the label. `isWanted` undefined: it is not known whether there should be one, so it is only changed. Never throws. */
export async function updateLabel(
  runtime: Runtime,
  host: CodeHost,
  { run: { pullRequest: number }, commit }: ReviewTarget,
  isWanted: boolean | undefined,
): Promise<void> {
  if (number === undefined || commit === undefined || isWanted === false) return;
  try {
    if ((await host.pullRequest(number)).headCommit !== commit) return;
    let set: LabelName | undefined;
    for (let round = 0; round < 3; round += 1) {
      const wanted = await labelFor(host, commit);
      if (wanted === set) return;
      set = wanted;
      const add = all.filter(({ name }) => name === toLabel(wanted));
      const remove = all.filter((label) => !add.includes(label)).map(({ name }) => name);
      await host.changeLabels(number, { add, remove, onlyInstead: isWanted === undefined });
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    runtime.output.info(`The pull request has no label of this review: ${error.message}`);
  }
}

async function labelFor(host: CodeHost, commit: string): Promise<LabelName> {
  const seen = new Set<string>();
  const found = new Set<LabelName>();
  for await (const { context, description, isFailure } of host.ownStatuses(commit)) {
    if (!isReviewContext(context) || seen.has(context)) continue;
    seen.add(context);
    found.add(isFailure ? "refused" : /(^|: )Nothing to do/.test(description) ? "no changes" : "changes");
  }
  return (Object.keys(labels) as LabelName[]).find((name) => found.has(name)) ?? "no changes";
}
