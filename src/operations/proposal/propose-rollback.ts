import type { Manifest } from "../../core/manifest/index.js";
import { type RollbackDocument, toRollbackDocument } from "../../output/documents/index.js";
import { assertAllWritable, prepareRollback, type RollbackRequest } from "../files/prepare-rollback.js";
import type { Runtime } from "../runtime/runtime.js";
import { findSerial, openHistory, readStateAt } from "../state/project-history.js";
import { checkOutProject } from "./checkout.js";
import { formatCommitMessage } from "./commit.js";
import { type ProposalOptions, propose } from "./propose.js";

/** Options for a rollback that is proposed as a pull request. */
export interface RollbackProposalOptions extends ProposalOptions, RollbackRequest {
  /** Whether to keep edits to shared text from changing other objects. Required, so that no caller forgets `--here`. */
  readonly onlyThisObject: boolean;
}

/**
 * Proposes earlier applied texts as a pull request that changes the files. Sends no requests to the service, because
 * the account changes only when the pull request is merged and applied.
 *
 * @throws the errors of `propose`; UsageError if the earlier state is unknown or the files cannot express it.
 */
export async function proposeRollback(
  runtime: Runtime,
  project: Manifest,
  { to, named, onlyThisObject, ...options }: RollbackProposalOptions,
): Promise<RollbackDocument> {
  const past = await openHistory(runtime, project);
  const serial = await findSerial(runtime, past, to);
  const earlier = await readStateAt(past, serial);
  const nothingLeft = `The files already contain the texts of serial ${serial}.`;
  const proposed = await propose(runtime, project, options, {
    use: "rollback",
    nothingLeft,
    async make({ remote, baseCommit }) {
      const checkout = await checkOutProject(runtime, project, remote, baseCommit);
      const { manifest } = checkout;
      const asked = { named, onlyThisObject, write: true };
      const { files, notices } = await prepareRollback({ ...past, manifest }, earlier, asked);
      const texts = await checkout.write(files);
      assertAllWritable(texts.refused);
      const { fields } = texts;
      const of = project.environment === undefined ? "" : ` (${project.environment})`;
      const title = `Roll back ${fields.length} text${fields.length === 1 ? "" : "s"} to serial ${serial}${of}`;
      const addresses = new Set(fields.map(({ declaration }) => declaration.address));
      const objects = Array.from(addresses, (address) => ({ address }));
      const why = `These texts were applied with serial ${serial} of the state.`;
      return {
        ...texts,
        title,
        message: formatCommitMessage({ title, objects, fields, why }),
        at: new Date(runtime.host.now()).toISOString(),
        notes: notices.map(({ message }) => message),
        describe: (facts) => toRollbackDocument(serial, facts),
      };
    },
  });
  const notes = proposed.result === "none" ? [nothingLeft] : proposed.notes;
  return toRollbackDocument(serial, { ...proposed, notes });
}
