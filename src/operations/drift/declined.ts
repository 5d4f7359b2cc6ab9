import { digestValue } from "../../core/kinds/index.js";
import {
  type CodeHost,
  HostError,
  hasMarker,
  type Marker,
  type PullRequest,
  readMarker,
} from "../../review/hosts/index.js";
import { type FieldToWrite, refuseSome } from "../files/prepare-edits.js";

/*
 * Whoever closes our pull request without merging it does not want these edits in the files: they are left out until the
 * live text is another one. The marker of the pull request says which edits it had. It counts if we have opened it, and
 * somebody else has closed it who may write to the repository. Of two pull requests with the same edit, the newer one counts.
 */

/** The pull requests that were closed, by the mark of an edit. */
export type DeclinedEdits = ReadonlyMap<string, PullRequest>;

/** What a marker has room for. */
const mostEdits = 100;

/** The marks of edits, for a marker. */
export function markEdits(fields: readonly FieldToWrite[]): string {
  return fields.slice(0, mostEdits).map(markEdit).join(".");
}

function markEdit({ declaration: { address }, field, value }: FieldToWrite): string {
  // The version of the digest says nothing here.
  return digestValue([address, field, value]).replace(/^.*:/, "").replaceAll("-", "_").slice(0, 14);
}

/** The edits that somebody has declined. */
export async function findDeclined(host: CodeHost, branch: string, marker: Marker): Promise<DeclinedEdits> {
  const author = await host.author();
  const declined = new Map<string, PullRequest>();
  const seen = new Set<string>();
  for (const pull of await host.closedPullRequests(branch)) {
    if (pull.author?.id !== author.id || !hasMarker(pull.body, marker)) continue;
    const edits =
      readMarker(pull.body, marker)
        .edits?.split(".")
        .filter((edit) => edit !== "" && !seen.has(edit)) ?? [];
    if (edits.length === 0) continue;
    for (const edit of edits) seen.add(edit);
    if (!pull.isMerged && (await isClosedByWriter(host, pull, author.id)))
      for (const edit of edits) declined.set(edit, pull);
  }
  return declined;
}

async function isClosedByWriter(host: CodeHost, { number }: PullRequest, ours: number): Promise<boolean> {
  try {
    const closer = await host.closedBy(number);
    return closer !== undefined && closer.id !== ours && (await host.mayWrite(closer));
  } catch (error) {
    // Whether they may is not known, so it is proposed again.
    if (error instanceof HostError && error.code === "host-forbidden") return false;
    throw error;
  }
}

/** What is left out because somebody has declined it, and the rest. What is named is meant. */
export function withoutDeclined(
  fields: readonly FieldToWrite[],
  declined: DeclinedEdits,
  named: readonly string[],
): ReturnType<typeof refuseSome<FieldToWrite>> {
  return refuseSome(fields, (one) => {
    const { address } = one.declaration;
    const pull = named.includes(address) ? undefined : declined.get(markEdit(one));
    return pull && reason(address, pull);
  });
}

function reason(address: string, { number }: PullRequest): string {
  return `Somebody closed pull request ${number}, which had this edit. It is proposed again when the live text changes, or with \`avatarops drift --pull-request ${address}\`.`;
}
