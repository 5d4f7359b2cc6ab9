/** A kind that can be deleted, as a resource: what a destroy does, and when it does nothing. */
import "../synthetic/note.js";
import { describe, expect, test } from "vitest";
import { notesService } from "../synthetic/note.js";
import { startAcceptance } from "./acceptance.js";
import { account, startRun } from "./unit/driving.js";

const provider = (drift = "warn") => `provider "avatarops" {\n  drift = "${drift}"\n}\n`;
const noteOf = (name: string, more = "") =>
  `resource "avatarops_note" "a" {\n  name = "${name}"\n  text = "First."\n  on_removal = "delete"\n${more}}\n`;

async function startApplied(main: string) {
  const { notes, endpoints } = notesService();
  const terraform = await startAcceptance({ main, emulator: { endpoints } });
  await terraform.settle();
  terraform.requests();
  return { terraform, notes };
}

const flat = ({ stdout, stderr }: { stdout: string; stderr: string }) =>
  `${stdout}${stderr}`.replace(/[│╷╵\s]+/g, " ");

describe("a destroy", { tags: "terraform" }, () => {
  test("is told in the plan, also where only the state still asks for it", async () => {
    const { terraform } = await startApplied(provider() + noteOf("A"));
    await terraform.write({ "main.tf": (provider() + noteOf("A")).replace(/ *on_removal.*/, "") });
    const told = /Warning: The note is deleted .*"A" .* on_removal = "delete"/;
    expect(flat(await terraform.run("plan", "-destroy"))).toMatch(told);
    await terraform.write({ "main.tf": provider() });
    expect(flat(await terraform.run("plan"))).toMatch(told);
  });

  test("of an edited object is refused with drift = refuse, with advice that is not refused in turn", async () => {
    const { terraform, notes } = await startApplied(provider("refuse") + noteOf("A"));
    Object.assign(notes[0] ?? {}, { text: "Edited.", updated_at: "2026-12-01T00:00:00.001Z" });
    const said = flat(await terraform.run("destroy", "-auto-approve"));
    expect(said).toContain("text of the note was edited elsewhere");
    expect(said).not.toContain("-refresh=false");
    expect(said).toContain('drift = "overwrite"');
    await terraform.write({ "main.tf": provider("overwrite") + noteOf("A") });
    expect(await terraform.run("destroy", "-auto-approve")).toMatchObject({ exit: 0 });
    expect(notes).toEqual([]);
  });

  test("warns of an edit made elsewhere, and with drift = refuse deletes nothing", async () => {
    const { terraform, notes } = await startApplied(provider("refuse") + noteOf("A"));
    Object.assign(notes[0] ?? {}, { text: "Edited.", updated_at: "2026-12-01T00:00:00.001Z" });
    // The resource has left the configuration.
    await terraform.write({ "main.tf": provider("refuse") });
    const refused = await terraform.run("apply", "-auto-approve");
    expect(refused.exit).not.toBe(0);
    expect(flat(refused)).toContain("text of the note was edited elsewhere");
    expect(flat(refused)).toContain("To keep the note, keep its resource.");
    expect(notes).toHaveLength(1);
    await terraform.write({ "main.tf": provider("warn") });
    const plan = await terraform.run("plan", "-out=plan");
    expect(flat(plan)).toContain("This plan deletes it with the note.");
    expect(await terraform.run("apply", "plan")).toMatchObject({ exit: 0 });
    expect(notes).toEqual([]);
  });

  test("deletes nothing that was edited after the plan", async () => {
    const { terraform, notes } = await startApplied(provider() + noteOf("A"));
    expect(await terraform.run("plan", "-destroy", "-out=plan")).toMatchObject({ exit: 0 });
    Object.assign(notes[0] ?? {}, { text: "Edited." });
    const ran = await terraform.run("apply", "plan");
    expect(ran.exit).not.toBe(0);
    expect(flat(ran)).toContain("Its text changed after the plan was made.");
    expect(notes).toHaveLength(1);
  });

  test.each([
    ["drop-after times=always", 0, 0],
    ["404", 1, 1],
    ["500 times=always", 1, 1],
    ["403", 1, 1],
  ])("whose answer is %s loses nothing", async (fault, exit, left) => {
    const { terraform, notes } = await startApplied(provider() + noteOf("A"));
    terraform.emulator.addFault(`DELETE /v1/notes/* ${fault}`);
    const ran = await terraform.run("destroy", "-auto-approve");
    expect(ran, flat(ran)).toMatchObject({ exit });
    expect(notes).toHaveLength(left);
    terraform.emulator.clearFaults();
    if (exit === 1) expect(await terraform.run("destroy", "-auto-approve")).toMatchObject({ exit: 0 });
    if (exit === 1) expect(notes).toEqual([]);
  });
});

describe("a replacement", { tags: "terraform" }, () => {
  test("deletes the old object and makes a new one of the same name", async () => {
    const { terraform, notes } = await startApplied(provider() + noteOf("A"));
    const [old] = notes.map(({ id }) => id);
    const ran = await terraform.run("apply", "-auto-approve", "-replace=avatarops_note.a");
    expect(ran, flat(ran)).toMatchObject({ exit: 0 });
    expect(notes).toHaveLength(1);
    expect(notes[0]?.id).not.toBe(old);
    await terraform.settle();
  });
});

test.each(["refreshed first, as by Terraform 1.15", "planned first, as by earlier ones"])(
  "an edited object whose resource is gone is not deleted with drift = refuse: %s",
  async (order) => {
    const { notes, endpoints } = notesService();
    const emulator = await account({ endpoints });
    const type = "avatarops_note";
    const { kept } = await (await startRun(emulator)).apply(type, {
      name: "A",
      text: "First.",
      on_removal: "delete",
    });
    if (!kept) throw new Error("Nothing was created.");
    Object.assign(notes[0] ?? {}, { text: "Edited.", updated_at: "2026-12-01T00:00:00.001Z" });
    const run = await startRun(emulator, { drift: "refuse" });
    const before = order.startsWith("refreshed") ? (await run.refresh(type, kept)).kept : kept;
    const { said } = await run.plan(type, null, before ?? kept);
    expect(said).toMatchObject([
      { severity: "warning", summary: "The note is deleted" },
      { severity: "error", summary: "text of the note was edited elsewhere" },
    ]);
  },
);
