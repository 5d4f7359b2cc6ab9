import { expect, test } from "vitest";
import { type Project, startAndApply } from "./hosting.js";

const night = "  night: { name: Night, prompt: Be quiet. }\n";
const formatContexts = (desk: string, more = night) => `contexts:\n  desk: { name: Desk, ${desk} }\n${more}`;
const declare = (project: Project, text: string) => project.write("avatarops.yaml", text);
const edit = ({ emulator }: Project, prompt: string) => emulator.editContext("Desk", { prompt });
const secret = `secrets:\n  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !file key.txt }\n`;
const [kind, brief] = ["prompt: Be kind.", "prompt: Be brief."];

/** Exit code of plan, diff and status, and exit code of drift. */
type Exits = readonly [others: number, drift: number];

test.each<[what: string, exits: Exits, change: (project: Project) => unknown]>([
  ["nothing changed", [0, 0], () => {}],
  ["a file changed", [2, 0], (project) => declare(project, formatContexts(brief))],
  ["the account changed", [2, 2], (project) => edit(project, "Be rude.")],
  [
    "file and account changed",
    [2, 2],
    (project) => {
      edit(project, "Be rude.");
      return declare(project, formatContexts(brief));
    },
  ],
  [
    "file and account changed different fields of an object",
    [2, 2],
    (project) => {
      edit(project, "Be rude.");
      return declare(project, formatContexts(`${kind}, opening_text: Hi`));
    },
  ],
  [
    "file and account changed different fields, and the file has the account's edit",
    [2, 0],
    (project) => {
      edit(project, "Be rude.");
      return declare(project, formatContexts("prompt: Be rude., opening_text: Hi"));
    },
  ],
  [
    "file and account got the same edit",
    [0, 0],
    (project) => {
      edit(project, "Be brief.");
      return declare(project, formatContexts(brief));
    },
  ],
  [
    "the file has the account's edit and another one",
    [2, 0],
    async (project) => {
      await declare(project, formatContexts("prompt: One. Two."));
      await project.expectDone("apply", "-y");
      edit(project, "One. Two. Three.");
      await declare(project, formatContexts("prompt: One. Two. Three. Four."));
    },
  ],
  ["an object was deleted", [2, 2], ({ emulator }) => emulator.world.contexts.splice(0, 1)],
  ["a declaration was removed", [2, 0], (project) => declare(project, formatContexts(kind, ""))],
  [
    "a protected object was removed from the files",
    [1, 0],
    async (project) => {
      await declare(project, formatContexts(`${kind}, protect: true`));
      await project.expectDone("apply", "-y");
      await declare(project, `contexts:\n${night}`);
    },
  ],
  [
    "two objects match a declaration",
    [4, 0],
    (project) => {
      for (const prompt of ["One.", "Two."]) project.emulator.addContext({ name: "Late", prompt });
      return declare(project, formatContexts(kind, "  late: { name: Late, prompt: Hi. }\n"));
    },
  ],
  [
    "an object on hold has a change",
    [2, 0],
    async (project) => {
      await project.expectDone("hold", "context.desk", "--reason", "audit");
      await declare(project, formatContexts(brief));
    },
  ],
  [
    "the account cannot be read",
    [1, 1],
    ({ emulator }) => emulator.addFault("GET /v1/contexts 403 times=always"),
  ],
  [
    "a secret was rotated",
    [2, 2],
    async (project) => {
      await project.write("key.txt", "sk-0123456789");
      await declare(project, secret + formatContexts(kind));
      await project.expectDone("apply", "-y");
      await project.write("key.txt", "sk-9876543210");
    },
  ],
  [
    "the source of a secret changed",
    [2, 0],
    async (project) => {
      await project.write("key.txt", "sk-0123456789");
      await declare(project, secret + formatContexts(kind));
      await project.expectDone("apply", "-y");
      await declare(project, secret.replace("!file key.txt", "!env NOT_SET") + formatContexts(kind));
    },
  ],
])(
  "returns consistent exit codes from plan, diff, status and drift if %s",
  async (_, [others, drift], change) => {
    const project = await startAndApply({ files: { "avatarops.yaml": formatContexts(kind) } });
    await change(project);
    const run = async (...argv: string[]) => {
      const { exit, stdout } = await project.avatarops(...argv, "--format", "json");
      return { ...JSON.parse(stdout), code: exit };
    };
    const planned = await run("plan", "--detailed-exitcode");
    const [compared, status, drifted] = [await run("diff"), await run("status"), await run("drift")];
    expect([planned.code, compared.code, status.code, drifted.code]).toEqual([others, others, others, drift]);
    if (others === 1 && drift === 1) return;
    type Shown = { address: string; reason: string; fields: { files: string }[] };
    const pending = planned.changes.filter(
      ({ address, reason }: Shown) => reason !== "drifted" && !status.rotation_pending.includes(address),
    );
    const undone = [...status.pending, ...status.conflicting, ...status.held];
    expect(undone).toEqual(pending.map(({ address }: Shown) => address));
    const open = ({ fields }: Shown) =>
      fields.length === 0 || fields.some(({ files }) => files !== "live" && files !== "merged");
    const edited = drifted.objects.filter(open).map(({ address }: Shown) => address);
    expect([...status.drifted, ...status.conflicting].toSorted()).toEqual(edited.toSorted());
    type Judged = { address: string; reason?: string; conflicting?: boolean };
    const planConflicts = planned.changes.filter(({ reason }: Judged) => reason === "conflicting");
    const driftConflicts = drifted.objects.filter(({ conflicting }: Judged) => conflicting);
    for (const conflicts of [planConflicts, driftConflicts])
      expect(conflicts.map(({ address }: Judged) => address)).toEqual(status.conflicting);
  },
);
