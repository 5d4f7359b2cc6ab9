/** Checks that each fault has the same result for a write by the command and by the provider. */
import { describe, expect, test } from "vitest";
import { isLong } from "../real/long.js";
import { entryPoints } from "./entry-points.js";
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

/** Returns all cases in a long run. In a short run, the command tests one half and the provider the other. */
const selectCases = (entryPoint: keyof typeof entryPoints) =>
  cases.filter((_, at) => isLong || at % 2 === Object.keys(entryPoints).indexOf(entryPoint));

describe.each(Object.keys(entryPoints) as (keyof typeof entryPoints)[])(
  "write through the %s",
  (entryPoint) => {
    test.each(
      selectCases(entryPoint).map(({ endings, ...rest }) => ({
        ...rest,
        ending: "command" in endings ? endings[entryPoint] : endings,
      })),
    )("ends with $ending for $write and $fault", async ({ write: name, fault, ending }) => {
      const write: Write = { name, ...writes[name as keyof typeof writes] };
      const { outcome, emulator } = await entryPoints[entryPoint](write, (emulator) =>
        faults[fault as keyof typeof faults](emulator, write),
      );
      expect([outcome, write.inAccount(emulator).join(", ")]).toEqual(ending);
      // Nothing is created twice, even if the response is lost.
      const creates = emulator.requests.filter(({ method }) => method === "POST");
      if (write.request.startsWith("POST")) expect(creates).toHaveLength(fault.startsWith("429") ? 2 : 1);
      else expect(creates).toEqual([]);
    });
  },
);

test("lists each tested write and its outcome in faults.md", async () => {
  await expect(formatPage()).toMatchFileSnapshot("faults.md");
});

function formatPage(): string {
  const names = Object.keys(endings) as (keyof typeof endings)[];
  const rows = (Object.keys(faults) as (keyof typeof faults)[]).map((fault) =>
    formatRow([fault, ...names.map((name) => formatCell(endings[name][fault]))]),
  );
  return `# Faults

How each write ends after each fault between plan and response. The command and the Terraform provider share the code in
\`src/core/lifecycle/\`, and \`test/lifecycle/entry-points.test.ts\` runs every cell through both. It also writes this page:
\`npx vitest run test/lifecycle -u\`.

- *written*: done and recorded. *found*: the response was lost, and the account shows that the write succeeded. *different*: the
  service changed the named field, which is an error.
- *refused*: not done. *holder named*: the message names the object that already has the name.
- *stale*: not sent, because the object was edited after the plan. *gone*: the object no longer exists.
- *unknown*: the command keeps the intent and checks it in the next plan. The provider explains how to check. No write is sent twice.
  *candidate named*: the message names the possible object.

The values in brackets are in the account afterward: \`old\` was declared before, \`new\` is declared now, \`ne\` is \`new\` truncated by
the service, and \`theirs\` is another client's edit. A dash marks impossible combinations.

One cell differs. Terraform plans a create again during apply, without access to the earlier plan. The provider therefore cannot detect
an edit between the two plans of an object that it adopts.

${formatRow(["fault", ...names])}
${formatRow(["---", ...names.map(() => "---")])}
${rows.join("\n")}
`;
}

function formatCell(endings: Endings | undefined): string {
  if (!endings) return "–";
  if (!("command" in endings)) return formatEnding(endings);
  return `${formatEnding(endings.command)}; Terraform: ${formatEnding(endings.provider)}`;
}

function formatEnding([outcome, account]: Ending): string {
  return `${outcome} (${account || "nothing"})`;
}

function formatRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
