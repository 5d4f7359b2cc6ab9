import { describeHold, listNames, type StatusDocument } from "../documents/index.js";
import { type Block, type Fact, facts } from "./blocks.js";
import { formatCount } from "./phrases.js";

/** Describes the status on one screen. Names of ordinary values are dimmed. */
export function renderStatusBlocks(status: StatusDocument): Block[] {
  const {
    environment,
    service = "no base URL is set",
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
    ["managed", total === 0 ? "nothing" : `${formatCount(total, "object")}: ${kinds.join(", ")}`],
    toFact("to apply", formatObjects(status.pending), "changed"),
    ...status.refused_by.map(({ code, message }) => toFact(code, message, "warning")),
    status.drifted
      ? toFact("drifted", formatObjects(status.drifted), "warning")
      : ["drifted", `unknown: ${status.drift_unknown}`, "warning"],
    ...(status.conflicting.length > 0
      ? [toFact("conflicting", formatObjects(status.conflicting), "warning")]
      : []),
    ...(status.held.length > 0 ? [toFact("held", formatObjects(status.held), "warning")] : []),
    ...(status.rotation_pending.length > 0
      ? [toFact("rotated", `${formatObjects(status.rotation_pending)} (not sent yet)`, "changed")]
      : []),
    ...(status.secrets_unverified.length > 0
      ? [toFact("not compared", listNames(status.secrets_unverified.map(describeUnverified)), "warning")]
      : []),
    toFact(
      "on hold",
      listNames(
        status.holds.map((hold) => `${hold.addresses?.join(", ") ?? "all objects"} ${describeHold(hold)}`),
      ),
      "warning",
    ),
    toFact(
      "locked",
      holder
        ? `by ${holder.command}, process ${holder.pid} on ${holder.host}, since ${holder.since}`
        : unreadable && `${unreadable} cannot be read`,
      "warning",
      "no",
    ),
    toFact("behind", listNames([...status.behind, ...status.needs.map(describeNeed)]), "warning", "no"),
    ...(status.unsettled.length > 0
      ? [
          toFact(
            "unsettled",
            `in progress or interrupted: ${listNames(status.unsettled.map(describeUnsettled))}`,
            "warning",
          ),
        ]
      : []),
    ...(status.superseded.length > 0
      ? [
          toFact(
            "superseded",
            listNames(status.superseded.map(({ address, id }) => `${address} ${id}`)),
            "warning",
          ),
        ]
      : []),
  ];
  return [facts(lines)];
}

function describeUnverified({ address, reason }: StatusDocument["secrets_unverified"][number]): string {
  return `${address}: ${reason}`;
}

function describeUnsettled({ address, since }: StatusDocument["unsettled"][number]): string {
  return `${address} since ${since}`;
}

function toFact(
  name: string,
  value: string | undefined,
  style: "changed" | "warning",
  none = "nothing",
): Fact {
  return value ? [name, value, style] : [name, none, "dim"];
}

function formatObjects(addresses: readonly string[]): string {
  return addresses.length === 0 ? "" : `${formatCount(addresses.length, "object")}: ${listNames(addresses)}`;
}

function describeNeed({ environment, addresses }: StatusDocument["needs"][number]): string {
  return `required environment ${environment} does not have ${listNames(addresses)} yet`;
}
