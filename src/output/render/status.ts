import { describeHold, listed, type StatusDocument } from "../documents/index.js";
import { type Block, type Fact, facts } from "./blocks.js";
import { count } from "./phrases.js";

/** One screen: a line for each question, the usual answer dim. */
export function statusBlocks(status: StatusDocument): Block[] {
  const {
    environment,
    service = "no address is set",
    state,
    last_change: last,
    managed,
    locked_by: holder,
    unreadable_lock: unreadable,
  } = status;
  const total = Object.values(managed).reduce((sum, one) => sum + one, 0);
  const kinds = Object.entries(managed).map(([kind, number]) => `${kind} ${number}`);
  const serial = state.serial === undefined ? "not written yet" : `serial ${state.serial}`;
  const who = [
    last?.at?.slice(0, 16).replace("T", " "),
    last?.by && `by ${last.by}`,
    last?.commit?.id.slice(0, 10),
  ];
  const lines: Fact[] = [
    ["environment", environment ?? "none chosen"],
    ["service", service],
    ["state", `${state.location}, ${serial}`],
    ...(last ? [["last change", `${last.command}, ${who.filter(Boolean).join(", ")}`] as const] : []),
    ["managed", total === 0 ? "nothing" : `${count(total, "object")}: ${kinds.join(", ")}`],
    told("to apply", objects(status.pending), "changed"),
    status.drifted
      ? told("drifted", objects(status.drifted), "warning")
      : ["drifted", `not known: ${status.drift_unknown}`, "warning"],
    ...(status.rotation_pending.length > 0
      ? [told("rotated", `${objects(status.rotation_pending)}, not sent yet`, "changed")]
      : []),
    ...(status.secrets_unverified.length > 0
      ? [told("not compared", listed(status.secrets_unverified.map(unverified)), "warning")]
      : []),
    told(
      "on hold",
      listed(
        status.holds.map((hold) => `${hold.addresses?.join(", ") ?? "all objects"} ${describeHold(hold)}`),
      ),
      "warning",
    ),
    told(
      "locked",
      holder
        ? `by ${holder.command}, process ${holder.pid} on ${holder.host}, since ${holder.since}`
        : unreadable && `${unreadable} cannot be read`,
      "warning",
      "no",
    ),
    told("behind", listed([...status.behind, ...status.needs.map(unmet)]), "warning", "no"),
    ...(status.unsettled.length > 0
      ? [told("unsettled", `under way or interrupted: ${listed(status.unsettled.map(inWords))}`, "warning")]
      : []),
    ...(status.superseded.length > 0
      ? [
          told(
            "superseded",
            listed(status.superseded.map(({ address, id }) => `${address} ${id}`)),
            "warning",
          ),
        ]
      : []),
  ];
  return [facts(lines)];
}

function unverified({ address, reason }: StatusDocument["secrets_unverified"][number]): string {
  return `${address}: ${reason}`;
}

function inWords({ address, since }: StatusDocument["unsettled"][number]): string {
  return `${address} since ${since}`;
}

function told(name: string, said: string | undefined, style: "changed" | "warning", none = "nothing"): Fact {
  return said ? [name, said, style] : [name, none, "dim"];
}

function objects(addresses: readonly string[]): string {
  return addresses.length === 0 ? "" : `${count(addresses.length, "object")}: ${listed(addresses)}`;
}

function unmet({ environment, addresses }: StatusDocument["needs"][number]): string {
  return `${environment}, which is needed, has not yet ${listed(addresses)}`;
}
