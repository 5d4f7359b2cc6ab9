// @module-tag night
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/core/state/index.js";
import { machine, makeFolder } from "./building.js";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** contender.ts, compiled once: twenty processes that each compile it would take most of the test's time. */
async function compileContender(): Promise<string> {
  const cache = join(project, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "contender-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const settings = {
    extends: join(project, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      outDir: folder,
      rootDir: project,
      typeRoots: [join(project, "node_modules/@types")],
    },
    include: [],
    files: [join(project, "test/state/contender.ts")],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await promisify(execFile)(process.execPath, [
    join(project, "node_modules/typescript/bin/tsc"),
    "-p",
    folder,
  ]);
  return join(folder, "test/state/contender.js");
}

/** The exit code, or the signal, of a process of its own. */
async function contend(program: string, file: string, name: string, how: string): Promise<unknown> {
  const child = spawn(process.execPath, [program, file, name, how], { stdio: "inherit" });
  const [code, signal] = await once(child, "exit");
  return signal ?? code;
}

test("of twenty processes one at a time writes, also when some are killed while they hold the lock", async () => {
  const program = await compileContender();
  const file = join(await makeFolder(), ".avatarops/state.json");
  const names = Array.from({ length: 20 }, (_, at) => `p${String(at).padStart(2, "0")}`);
  const dying = new Set(["p03", "p08", "p11", "p17"]);
  const ends = names.map((name) => contend(program, file, name, dying.has(name) ? "die" : "live"));
  expect(await Promise.all(ends)).toEqual(names.map((name) => (dying.has(name) ? "SIGKILL" : 0)));

  const session = await openStore(file, machine(1)).lock({ command: "look", timeoutMs: 0 });
  expect(Object.keys(session.state?.objects ?? {}).sort()).toEqual(names.map((name) => `context.${name}`));
  expect(session.state?.serial).toBe(20);
  await session.release();
  expect(await readdir(join(file, ".."))).toEqual(["state.json", "state.json.history"]);
});
