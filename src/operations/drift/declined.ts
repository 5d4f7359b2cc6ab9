import { digestValue } from "../../core/kinds/index.js";
import {
  type CodeHost,
  HostError,
  type Marker,
  type PullRequest,
  parseDescription,
} from "../../review/hosts/index.js";
import { type FieldToWrite, partitionByRefusal } from "../files/field-to-write.js";

/*
 * Closing an avatarops pull request without merging it declines its edits, which are listed in its marker. They are not
 * proposed again until the live text changes. The pull request must have been opened by avatarops and closed by another
 * user with write access. If several pull requests contain an edit, the newest one decides.
 */

/** Closed pull requests, by digest of each declined edit. */
export type DeclinedEdits = ReadonlyMap<string, PullRequest>;

/** Maximum number of edits in a marker, whose size is limited. */
const maxEdits = 100;

/** Formats the digests of the proposed edits, which a pull request's marker stores. */
export function markEdits(fields: readonly FieldToWrite[]): string {
  return fields.slice(0, maxEdits).map(markEdit).join(".");
}

function markEdit({ declaration: { address }, field, value }: FieldToWrite): string {
  // Removes the version from the digest.
  return digestValue([address, field, value]).replace(/^.*:/, "").replaceAll("-", "_").slice(0, 14);
}

/** Finds the edits that users declined by closing pull requests from a branch. */
export async function findDeclined(host: CodeHost, branch: string, marker: Marker): Promise<DeclinedEdits> {
  const author = await host.getAuthor();
  const declined = new Map<string, PullRequest>();
  const seen = new Set<string>();
  for (const pull of await host.listClosedPullRequests(branch)) {
    if (pull.author?.id !== author.id) continue;
    const { edits: listed = "" } = parseDescription(pull.body, marker)?.facts ?? {};
    const edits = listed.split(".").filter((edit) => edit !== "" && !seen.has(edit));
    if (edits.length === 0) continue;
    for (const edit of edits) seen.add(edit);
    if (!pull.isMerged && (await isClosedByWriter(host, pull, author.id)))
      for (const edit of edits) declined.set(edit, pull);
  }
  return declined;
}

async function isClosedByWriter(host: CodeHost, { number }: PullRequest, ours: number): Promise<boolean> {
  try {
    const closer = await host.findCloser(number);
    return closer !== undefined && closer.id !== ours && (await host.mayWrite(closer));
  } catch (error) {
    // If write access is unknown, the edit is proposed again.
    if (error instanceof HostError && error.code === "host-forbidden") return false;
    throw error;
  }
}

/** Refuses declined edits, unless the user named the object. */
export function dropDeclined(
  fields: readonly FieldToWrite[],
  declined: DeclinedEdits,
  named: readonly string[],
): ReturnType<typeof partitionByRefusal<FieldToWrite>> {
  return partitionByRefusal(fields, (one) => {
    const { address } = one.declaration;
    const pull = named.includes(address) ? undefined : declined.get(markEdit(one));
    return pull && explainDeclined(address, pull);
  });
}

function explainDeclined(address: string, { number }: PullRequest): string {
  return `Pull request ${number} with this edit was closed. The edit is proposed again when the live text changes, or with \`avatarops drift --pull-request ${address}\`.`;
}
