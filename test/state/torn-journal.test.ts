import { readFile, writeFile } from "node:fs/promises";
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
    await session.flush();
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

function lineEnds(bytes: Buffer): number {
  return bytes.filter((byte) => byte === 10).length;
}
