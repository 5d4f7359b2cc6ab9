import type { PlanDocument } from "../documents/index.js";
import { type Block, command, ours, words } from "./blocks.js";
import { commands } from "./commands.js";
import { count } from "./phrases.js";

/** The objects that no file declares; none unless requested. */
export function undeclaredBlocks(undeclared: PlanDocument["undeclared"]): Block[] {
  if (undeclared === undefined) return [];
  const [first] = undeclared;
  const isOne = undeclared.length === 1;
  return [
    {
      is: "folded",
      sentence: first
        ? `${count(undeclared.length, "object")} of the account ${isOne ? "is" : "are"} not declared in any file.`
        : "Every object of the account is declared.",
      titles: ["Kind", "Id", "Name"],
      rows: undeclared.map(({ kind, id, label }) => [kind, id, label]),
      hint: first
        ? [ours("To declare one: ", "dim"), command(commands.declare(first.kind, first.id), "dim")]
        : [],
      seeAll: words`${command(commands.undeclared)} lists them.`,
    },
  ];
}
