/** Tests stores with the worst permitted behavior. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  openLockable,
  type StoredPart,
  type VersionedText,
} from "../../src/core/state/stores/lock-by-swap.js";
import { type Setting, startProject } from "../cli/hosting.js";
import { git } from "../git/repositories.js";
import { newRemote } from "../state/git-servers.js";
import { type SwapTexts, toSwapStore } from "../state/swap-store.js";

/** Fate of a write: done, done without a response, or lost. */
type Fate = "done" | "answer lost" | "lost";

interface Memory {
  readonly texts: Map<StoredPart, VersionedText>;
  readonly records: string[];
  fateOf(text: string): Fate | Promise<Fate>;
}

const contexts = "contexts: { a: { name: A, prompt: One }, b: { name: B, prompt: Two } }";

/** Opens an in-memory store. */
function openMemory({ texts, records, fateOf }: Memory): SwapTexts {
  const at = (part: StoredPart) => texts.get(part) ?? { text: undefined, version: undefined };
  return {
    read: async (...parts) => parts.map(at),
    async swap(part, text, seen, { lock, record }) {
      const fate = await fateOf(text ?? "");
      if (fate === "lost") throw new Error("no answer");
      if (at(part).version !== seen.version || (lock && at("lock").version !== lock.version))
        return undefined;
      if (record && records.at(-1) !== record) records.push(record);
      texts.set(part, { text, version: randomUUID() });
      if (fate === "answer lost") throw new Error("no answer");
      return at(part);
    },
    async *readHistory() {
      yield* records.toReversed();
    },
  };
}

async function startInMemory(fateOf: Memory["fateOf"]) {
  const memory: Memory = { texts: new Map(), records: [], fateOf };
  const outside: Setting["outside"] = {
    store: {
      openBackend: async (location, environment) =>
        openLockable(toSwapStore(openMemory(memory), location, environment), environment),
    },
  };
  const project = await startProject({ files: { "avatarops.yaml": `${contexts}\n` } });
  const avatarops = (...argv: string[]) => project.avataropsWith({ outside, waits }, ...argv);
  return { ...project, records: memory.records, avatarops };
}

const waits = { backoffMs: 1, settleMs: 0, tickMs: 0, storeMs: 50 };

test("completes an apply even if every response to a state write is lost", async () => {
  const project = await startInMemory(() => "answer lost");
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(project.emulator.world.contexts).toHaveLength(2);
  expect(await project.avatarops("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  expect(project.records).toHaveLength(1);
});

test("sends changes only once if two applies record the same intents at the same time", async () => {
  let other: Promise<unknown> | undefined;
  const project: Awaited<ReturnType<typeof startInMemory>> = await startInMemory(
    async (text): Promise<Fate> => {
      if (!text.includes('"intend"') || other) return "done";
      // Another run takes the lock and applies the same changes.
      other = project
        .avatarops("state", "unlock", "--force")
        .then(() => project.avatarops("apply", "--auto-approve"));
      expect(await other).toMatchObject({ exit: 0 });
      return "done";
    },
  );
  const first = await project.avatarops("apply", "--auto-approve");
  expect(first.stdout).toContain("This run's lock on");
  expect(first.exit).toBe(1);
  expect(project.emulator.world.contexts).toHaveLength(2);
  expect(project.records).toHaveLength(1);
  expect(await project.avatarops("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
});

test.each(["a file", "git"])(
  "stores a 30 MB history record in %s so that history and status can read it",
  { tags: "night", timeout: 600_000 },
  async (where) => {
    const names = Array.from({ length: 320 }, (_, at) => `c${at}`);
    const declared = names.map((name) => `  ${name}: { name: ${name}, prompt: !file ${name}.md }`);
    const prompts = names.map((name) => [`${name}.md`, `${`${name} ä`.repeat(16_000)}.`]);
    const location = where === "git" ? "git+refs://origin/avatarops/large" : ".avatarops/state.json";
    const project = await startProject({
      files: {
        "avatarops.yaml": `state: ${location}\ncontexts:\n${declared.join("\n")}\n`,
        ...Object.fromEntries(prompts),
      },
    });
    git(project.folder, "init", "--quiet");
    git(project.folder, "remote", "add", "origin", newRemote().url);
    for (const command of [["apply", "--auto-approve"], ["history"], ["status"]]) {
      const { exit, stderr } = await project.avatarops(...command);
      expect([exit, stderr.slice(0, 2_000)], command[0]).toEqual([0, expect.any(String)]);
    }
    await project.expectNothingToDo();
  },
);
