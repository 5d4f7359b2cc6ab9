/** Each fault ends a write in the same way through both doors: the command and the provider. */
import { describe, expect, test } from "vitest";
import { isLong } from "../real/long.js";
import { doors } from "./doors.js";
import { type Ending, type Endings, endings, faults } from "./faults.js";
import { type Write, writes } from "./writes.js";

interface Case {
  readonly write: string;
  readonly fault: string;
  readonly endings: Endings;
}

const cases: readonly Case[] = Object.entries(endings).flatMap(([write, byFault]) =>
  Object.entries(byFault).map(([fault, endings]): Case => ({ write, fault, endings })),
);

/** In a short run, half of the cells go through one door and half through the other. */
const through = (door: keyof typeof doors) =>
  cases.filter((_, at) => isLong || at % 2 === Object.keys(doors).indexOf(door));

describe.each(Object.keys(doors) as (keyof typeof doors)[])("write through the %s", (door) => {
  test.each(
    through(door).map(({ endings, ...rest }) => ({
      ...rest,
      ending: "command" in endings ? endings[door] : endings,
    })),
  )("ends as expected: $write, $fault: $ending", async ({ write: name, fault, ending }) => {
    const write: Write = { name, ...writes[name as keyof typeof writes] };
    const { outcome, emulator } = await doors[door](write, (emulator) =>
      faults[fault as keyof typeof faults](emulator, write),
    );
    expect([outcome, write.inAccount(emulator).join(", ")]).toEqual(ending);
    // Nothing is created twice, whatever happens to the response (rule 2).
    const creates = emulator.requests.filter(({ method }) => method === "POST");
    if (write.request.startsWith("POST")) expect(creates).toHaveLength(fault.startsWith("429") ? 2 : 1);
    else expect(creates).toEqual([]);
  });
});

test("documents the tested endings in faults.md", async () => {
  await expect(page()).toMatchFileSnapshot("faults.md");
});

function page(): string {
  const names = Object.keys(endings) as (keyof typeof endings)[];
  const rows = (Object.keys(faults) as (keyof typeof faults)[]).map((fault) =>
    row([fault, ...names.map((name) => cell(endings[name][fault]))]),
  );
  return `# Faults

How each write ends, whatever happens to it between the plan and the answer. The command and the Terraform provider write through the same
code, \`src/core/lifecycle/\`, and \`test/lifecycle/two-doors.test.ts\` runs every cell through both. It also writes this page:
\`npx vitest run test/lifecycle -u\`.

- *written*: done and recorded. *found*: the answer was lost, and a look at the account showed what was done. *different*: the service
  stored the named field differently from what was sent, which is an error.
- *refused*: not done. *holder named*: the message says which object has the name.
- *stale*: not sent, because the object was edited after the plan. *gone*: the object no longer exists.
- *unknown*: the command keeps the intent and looks again in the next plan; the provider says how to find out. Nothing is sent twice.
  *candidate named*: the message says which object it may be.

In brackets after it is what the account then has: \`old\` was declared before, \`new\` is declared now, \`ne\` is \`new\` cut short by
the service, and \`theirs\` was made by somebody else. A dash means that this cannot happen to that write.

One cell differs between the two: when Terraform applies, it plans a create again, and that plan knows nothing of the earlier one. So the
provider cannot tell that an object to be adopted was edited after the first plan.

${row(["what happens", ...names])}
${row(["---", ...names.map(() => "---")])}
${rows.join("\n")}
`;
}

function cell(endings: Endings | undefined): string {
  if (!endings) return "–";
  if (!("command" in endings)) return shown(endings);
  return `${shown(endings.command)}; Terraform: ${shown(endings.provider)}`;
}

function shown([outcome, account]: Ending): string {
  return `${outcome} (${account || "nothing"})`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
