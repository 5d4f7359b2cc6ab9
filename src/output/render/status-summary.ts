import type { StatusDocument } from "../documents/index.js";
import { formatCount } from "./phrases.js";

/** Formats a project's status as one line, such as "2 to apply, 1 drifted". */
export function formatStatusCounts(status: StatusDocument): string {
  const { pending, drifted, conflicting, held, rotation_pending: rotated } = status;
  const { secrets_unverified: unverified } = status;
  const counts = [
    ...(pending.length > 0 ? [`${pending.length} to apply`] : []),
    ...(drifted?.length ? [`${drifted.length} drifted`] : []),
    ...(conflicting.length > 0 ? [`${conflicting.length} conflicting`] : []),
    ...(held.length > 0 ? [`${held.length} held`] : []),
    ...(rotated.length > 0 ? [`${rotated.length} rotated`] : []),
    ...(unverified.length > 0 ? [`${unverified.length} not compared`] : []),
    ...(drifted ? [] : ["drift unknown"]),
  ];
  return counts.join(", ") || "nothing to do";
}

/** Returns who must act next, and how, or undefined if there is nothing to do. */
export function describeNextActor(status: StatusDocument): string | undefined {
  const { pending, drifted = [], conflicting, held, holds, needs, locked_by: holder } = status;
  const edited = [...drifted, ...conflicting];
  const open = [...pending, ...edited, ...held, ...status.rotation_pending];
  const hold = holds.find(({ addresses }) => !addresses || open.every((one) => addresses.includes(one)));
  const approvals = status.approvals_required;
  if (status.exit === "nothing") return undefined;
  if (holder) return `the run on ${holder.host}`;
  if (status.unreadable_lock !== undefined) return "you: check the lock";
  if (status.exit === "unreadable") return "you: fix read access";
  if (hold) return `${hold.by} (on hold)`;
  if (status.behind.length > 0) return "you: update the clone";
  if (needs[0]) return `${needs[0].environment} first`;
  const gates = status.refused_by.map(({ code }) => code);
  if (gates.includes("all-vanished")) return "you: check the API key";
  if (edited.length > 0) return "you: pull";
  if (open.length === 0) return "you: check secrets";
  if (pending.length > 0 && approvals > 0) return formatCount(approvals, "reviewer");
  return `you: apply${gates.map((code) => ` --allow ${code}`).join("")}`;
}
