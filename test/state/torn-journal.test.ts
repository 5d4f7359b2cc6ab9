import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/core/state/index.js";
import { entryOf, intentOf, machine, makeFolder, patience, service } from "./building.js";

/** An interrupted run: its journal, and what was known after each of its lines. */
async function interruptedRun() {
  const file = join(await makeFolder(), "state.json");
  const session = await openStore(file, machine(1)).lock(patience);
  await session.begin(service);
  const after = [{ objects: {}, pending: {} }];
  for (const step of [
    () => session.recordIntent(intentOf("context.a", { label: "Grüße 🔑" })),
    () => session.completeIntent("context.a", entryOf("a1")),
    () => session.recordIntent(intentOf("context.b")),
    () => session.discardIntent("context.b"),
    () => session.completeIntent("context.a", undefined),
  ]) {
    await step();
    after.push(
      structuredClone({ objects: session.state?.objects ?? {}, pending: session.state?.pending ?? {} }),
    );
  }
  const journal = await readFile(`${file}.journal`);
  await session.release();
  return { journal, after };
}

test("a journal cut at any byte tells all its whole lines", async () => {
  const { journal, after } = await interruptedRun();
  const file = join(await makeFolder(), "state.json");
  const store = openStore(file, machine(2));
  for (let length = 0; length <= journal.length; length++) {
    const cut = journal.subarray(0, length);
    await writeFile(`${file}.journal`, cut);
    const state = (await store.read())?.state;
    expect(state && { objects: state.objects, pending: state.pending }).toEqual(after[lineEnds(cut) - 1]);
  }
});

test("after a journal that was cut inside any of its lines the next run goes on, and clears up", async () => {
  const { journal, after } = await interruptedRun();
  let start = 0;
  for (const line of journal.toString().split(/(?<=\n)/)) {
    const cut = journal.subarray(0, start + Buffer.byteLength(line) - 3);
    start += Buffer.byteLength(line);
    const known = after[lineEnds(cut) - 1] ?? { objects: {}, pending: {} };
    const file = join(await makeFolder(), "state.json");
    await writeFile(`${file}.journal`, cut);
    const store = openStore(file, machine(2));
    const session = await store.lock(patience);
    await session.begin(service);
    await session.completeIntent("context.z", entryOf("z1"));
    await session.commit();
    await session.release();
    const { objects, pending } = (await store.read())?.state ?? {};
    expect({ objects, pending }).toEqual({
      objects: { ...known.objects, "context.z": entryOf("z1") },
      pending: known.pending,
    });
    expect(await readdir(join(file, ".."))).toEqual(["state.json", "state.json.history"]);
  }
});

function lineEnds(bytes: Buffer): number {
  return bytes.filter((byte) => byte === 10).length;
}

test("a journal garbled before its last line is refused, whichever line it is, and left as it is", async () => {
  const { journal, after } = await interruptedRun();
  const lines = journal.toString().split("\n").slice(0, -1);
  expect(lines).toHaveLength(after.length);
  for (const [at, line] of lines.entries()) {
    const file = join(await makeFolder(), "state.json");
    const garbled = lines.with(at, line.slice(0, -1)).map((one) => `${one}\n`);
    await writeFile(`${file}.journal`, "");
    for (const one of garbled) await appendFile(`${file}.journal`, one);
    const store = openStore(file, machine(2));
    for (const attempt of [store.read(), store.lock(patience)]) {
      await expect(attempt).rejects.toMatchObject({ code: "corrupt", line: at + 1, file: `${file}.journal` });
    }
    expect(await readFile(`${file}.journal`, "utf8")).toBe(garbled.join(""));
    expect(await readdir(join(file, ".."))).toEqual(["state.json.journal"]);
  }
});
