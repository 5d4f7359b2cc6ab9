/** Tests locks that are damaged, written by another version, or replaced by something else. */
import { describe, expect, test } from "vitest";
import { openStore } from "../../src/core/state/index.js";
import { commitAll, git, write } from "../git/repositories.js";
import { commitTo, createEntry, createIntent, patience, service } from "./building.js";
import { createMachineIn, location, lockRef, newClone, newRemote } from "./git-servers.js";

/** Starts a remote with a state and stores that use it. */
async function startRemote(at = location) {
  const remote = newRemote();
  const clone = newClone(remote.url);
  const store = openStore(at, createMachineIn(clone));
  await commitTo(store, (session) => session.completeIntent("context.a", createEntry("a1")));
  return {
    remote,
    clone,
    store,
    unlock: (answer: boolean) =>
      openStore(at, createMachineIn(clone)).unlock({ confirm: async () => answer }),
    find: (ref: string) => git(clone, "ls-remote", "origin", ref).split("\t")[0],
  };
}

/** Pushes a commit with these files to a ref. */
function push(clone: string, ref: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) write(clone, file, text);
  commitAll(clone);
  git(clone, "push", "--quiet", "--force", "origin", `HEAD:${ref}`);
}

describe("git ref instead of a lock", () => {
  const header = { journal: 1, id: "j", lineage: "line", serial: 0, service, requestTimeoutMs: 30_000 };
  const journal = `${JSON.stringify(header)}\n${JSON.stringify([{ intend: createIntent("context.b") }])}\n`;

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["has another layout", { "holder.json": "theirs" }, "holder.json"],
    ["has another holder", { "lock/0000000000": '{"run":"theirs"}\n' }, '{"run":"theirs"}'],
    ["has unknown lines", { "lock/0000000000": "one\ntwo\nthree\n" }, "two"],
  ])("counts as another run's lock if it %s", async (_, files, shown) => {
    const { clone, store, unlock, find } = await startRemote();
    push(clone, lockRef, files);
    const before = find(lockRef);
    await expect(store.lock(patience)).rejects.toThrow(
      `${lockRef} on origin is unreadable, because another version of avatarops wrote it`,
    );
    expect(await store.read()).toMatchObject({ unreadableLock: `${lockRef} on origin`, interrupted: false });
    await unlock(false);
    expect(find(lockRef)).toBe(before);
    let text = "";
    await store.unlock({
      async confirm(_, given) {
        text = given;
        return true;
      },
    });
    expect(text).toContain(shown);
    git(clone, "fetch", "--quiet", "origin", lockRef);
    expect(git(clone, "log", "-1", "--format=%s", "FETCH_HEAD")).toMatch(
      /^Unlocked by avatarops state unlock on /,
    );
    const session = await store.lock(patience);
    expect(session.state?.objects).toEqual({ "context.a": createEntry("a1") });
    await session.release();
    expect(find(lockRef)).toBe("");
  });

  test("counts as another run's lock if it points to a file, but can be removed", async () => {
    const { clone, store, unlock, find } = await startRemote();
    write(clone, "theirs", "theirs");
    const blob = git(clone, "hash-object", "-w", "theirs");
    git(clone, "push", "--quiet", "origin", `${blob}:${lockRef}`);
    await expect(store.lock(patience)).rejects.toMatchObject({ code: "locked" });
    await unlock(true);
    await (await store.lock(patience)).release();
    expect(find(lockRef)).toBe("");
  });

  test("contains a journal that the next run continues after the ref is removed", async () => {
    const { clone, store, unlock } = await startRemote();
    const steps = journal
      .replace('"serial":0', '"serial":1')
      .replace('"lineage":"line"', `"lineage":"${(await store.read())?.state?.lineage}"`);
    push(clone, lockRef, { "lock/0000000000": `{"run":"theirs"}\n${steps}` });
    await unlock(true);
    const session = await store.lock(patience);
    expect(session).toMatchObject({
      interrupted: true,
      state: { pending: { "context.b": createIntent("context.b") } },
    });
    await session.release();
  });
});

test("reports an unreadable lock in a git store that has no state yet", async () => {
  const clone = newClone(newRemote().url);
  push(clone, lockRef, { "lock-v2.json": '{"version":99}\n' });
  const snapshot = await openStore(location, createMachineIn(clone)).read();
  expect(snapshot).toMatchObject({ unreadableLock: `${lockRef} on origin`, interrupted: false });
  expect(snapshot?.state).toBeUndefined();
});

test("removes a branch that contains an avatarops lock, but never any other branch", async () => {
  const branches = "git+refs://origin/heads/avatarops/production";
  const ref = "refs/heads/avatarops-locks/production";
  const { clone, store, unlock, find } = await startRemote(branches);
  push(clone, ref, { "README.md": "theirs" });
  const theirs = find(ref);
  const advice = `${ref} on origin is a branch, not an avatarops lock, so it is not removed. Use another ref in \`state:\`, or delete the branch if you do not need it.`;
  await expect(store.lock(patience)).rejects.toThrow(advice);
  await expect(unlock(true)).rejects.toThrow(advice);
  await expect(store.unlock({ force: true, confirm: async () => true })).rejects.toThrow(advice);
  expect(find(ref)).toBe(theirs);
  git(clone, "push", "--quiet", "origin", `:${ref}`);
  await store.lock({ ...patience, command: "the first" });
  expect(await unlock(false)).toMatchObject({ command: "the first" });
  await (await store.lock(patience)).release();
  expect(find(ref)).toBe("");
});
