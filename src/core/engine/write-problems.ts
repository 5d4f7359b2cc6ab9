import { oldestFirst, parseAddress } from "../kinds/index.js";
import type { WriteResult } from "../lifecycle/index.js";
import type { ChangeWrite } from "./change-write.js";

/** The refusal in the command's words; for a taken name, who has it and what to do. */
export function explainRefusal(
  { input, change: { address, label }, kind }: ChangeWrite,
  { error, nameHolders = [] }: Extract<WriteResult, { outcome: "refused" }>,
): string {
  const [holder] = nameHolders;
  if (!holder) return error.message;
  const objects = Object.entries(input.session.state?.objects ?? {});
  const manager = objects.find(([other, { id }]) => id === holder.id && parseAddress(other)?.kind === kind);
  if (manager)
    return `${manager[0]} has the name ${JSON.stringify(label)} (${holder.id}), and is managed here: rename one of the two, and apply again.`;
  return `The account has another ${kind.name} named ${JSON.stringify(label)}: ${holder.id}. To manage that one, run \`avatarops import ${address} ${holder.id}\`; otherwise choose another name.`;
}

/** A write with unknown outcome, and how to find out. */
export function explainUnknown(
  { kind, change: { address } }: ChangeWrite,
  { error, candidates }: Extract<WriteResult, { outcome: "unknown" }>,
): string {
  return `${error.message} Its outcome is unknown. ${next()}`;

  function next(): string {
    if (!kind.list)
      return `It cannot be looked up: find it in the dashboard and run \`avatarops import ${address} ID\`, or apply with --accept-duplicate ${address}.`;
    if (candidates.length === 0) return "The next plan looks for it.";
    const commands = oldestFirst(candidates).map(({ id }) => `\`avatarops import ${address} ${id}\``);
    return `The account has what may be it, with other content. If it is, run ${commands.join(" or ")}.`;
  }
}
