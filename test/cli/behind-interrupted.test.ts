/** Tests that the check for a checkout that is behind includes the writes of an interrupted apply. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../git/repositories.js";
import { startClones } from "./clones.js";
import { expectSuccess, matchText } from "./hosting.js";

const format = (text: string) =>
  `contexts:\n  one: { name: One, prompt: ${text} }\n  two: { name: Two, prompt: ${text} }\n`;

/**
 * Applies two commits, but interrupts the second apply after its first update. Restores the state and the journal of
 * that moment.
 */
async function interruptApply(editJournal = (text: string) => text) {
  const { first, emulator } = await startClones({
    ...{ "avatarops.yaml": format("First."), ".gitignore": ".avatarops/\n" },
  });
  await first.apply();
  const older = first.git("rev-parse", "HEAD");
  const newer = first.commit({ "avatarops.yaml": format("Second.") });
  const folder = path.join(first.root, ".avatarops");
  const crashed = newFolder();
  const readJournal = () =>
    readdirSync(folder)
      .map((file) => readFileSync(path.join(folder, file), "utf8"))
      .join("\n");
  const match = { method: "PATCH", path: "/v1/contexts/*" };
  const run = async () => {
    while (!readJournal().includes('{"settle":"context.'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    cpSync(folder, crashed, { recursive: true });
  };
  emulator.addFault({ match, skip: 1, do: { kind: "run", run } });
  await first.apply();
  rmSync(folder, { recursive: true });
  cpSync(crashed, folder, { recursive: true, filter: (file) => !path.basename(file).includes("lock") });
  for (const file of readdirSync(folder).filter((name) => name.includes("journal"))) {
    const whole = path.join(folder, file);
    writeFileSync(whole, editJournal(readFileSync(whole, "utf8")));
  }
  const texts = () => emulator.world.contexts.map(({ prompt }) => prompt);
  expect(texts()).toEqual(["Second.", "Second."]);
  return { clone: first, older, newer, texts };
}

test("rejects an older checkout after an interrupted apply, and credits the interrupted commit", async () => {
  const { clone, older, newer, texts } = await interruptApply();
  clone.git("checkout", "--quiet", older);
  const refused = await clone.run("apply", "--auto-approve");
  expect(refused, refused.stdout).toMatchObject({ exit: 7, stderr: matchText("--allow behind") });
  for (const key of ["one", "two"]) expect(refused.stderr).toEqual(matchText(`context.${key}.prompt`));
  expect(refused.stderr).toEqual(matchText(`commit ${newer.slice(0, 10)}`));
  expect(texts()).toEqual(["Second.", "Second."]);
  const history = await expectSuccess(clone.run("history", "--format", "json"));
  const [record] = JSON.parse(history.stdout).records;
  expect(record).toMatchObject({ recovered: true });
  expect(JSON.stringify(record)).toContain(newer);

  clone.git("checkout", "--quiet", newer);
  await clone.apply();
  await expectSuccess(clone.run("plan", "--detailed-exitcode"));
});

test("reports the older checkout if the journal does not name its commit", async () => {
  const { clone, older } = await interruptApply((text) => text.replace(/,"run":\{.*\}\}$/m, "}"));
  clone.git("checkout", "--quiet", older);
  const { stderr } = await clone.run("apply", "--auto-approve");
  expect(stderr).toEqual(matchText("Applying would revert context.one.prompt, context.two.prompt"));
});
