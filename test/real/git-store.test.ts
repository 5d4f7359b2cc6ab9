// @module-tag night
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createGitEnvironment, git, newFolder, write } from "../git/repositories.js";
import { listRecords, lock } from "../state/building.js";
import { allDisturbances, describeStore, type StoreFixture } from "../state/compliance.js";
import { startFaultProxy } from "../state/fault-proxy.js";
import {
  fill,
  location,
  lockRef,
  newClone,
  newRemote,
  openIn,
  type Remote,
  startGitDaemon,
  startHttpBackend,
} from "../state/git-servers.js";
import { startProgram, startServer } from "../stores/starting.js";
import { type Gitea, startGitea } from "./gitea.js";

/** Creates a store location with a fault proxy in front of the server. */
async function openDisturbedFixture(remote: Remote, url: string): Promise<StoreFixture> {
  const { port } = new URL(url);
  const faults = await startFaultProxy(Number(port));
  onTestFinished(() => faults.close());
  const root = newClone(remote.url);
  git(root, "remote", "set-url", "origin", url);
  git(root, "remote", "add", "far", url.replace(`:${port}/`, `:${faults.port}/`));
  return {
    location: location.replace("origin", "far"),
    direct: location,
    environment: { root, environment: createGitEnvironment(root) },
    faults,
    removeLock: async () => void git(remote.folder, "update-ref", "-d", lockRef),
  };
}

describe("git state over a network that loses responses", { tags: "night", timeout: 900_000 }, () => {
  describeStore(
    "behind git http-backend",
    async () => {
      const remote = newRemote();
      return openDisturbedFixture(remote, (await startHttpBackend(remote)).url);
    },
    { disturbances: allDisturbances },
  );

  describeStore(
    "behind git daemon",
    async () => {
      const remote = newRemote();
      return openDisturbedFixture(remote, await startGitDaemon(remote));
    },
    { disturbances: allDisturbances.filter((one) => one !== "gets a web page as its response") },
  );
});

describe("state in a Gitea repository", { tags: "gitea" }, () => {
  let gitea: Gitea;
  let made = 0;
  beforeAll(async () => {
    gitea = await startGitea();
    return gitea.close;
  });

  describeStore("with the token of its owner", async () => {
    const { owner, newRepository } = gitea;
    const name = `state-${++made}`;
    const url = await newRepository(owner, name);
    const root = newClone(newRemote().url);
    git(root, "remote", "set-url", "origin", url);
    return {
      location,
      direct: location,
      environment: { root, environment: createGitEnvironment(root) },
      removeLock: async () => void git(root, "push", "--quiet", "origin", `:${lockRef}`),
    };
  });

  test("rejects a user with only read access, without printing the token", async () => {
    const { owner, newRepository, newUser, remoteOf } = gitea;
    await newRepository(owner, "readable");
    const reader = newUser("reader");
    const root = newClone(newRemote().url);
    git(root, "remote", "set-url", "origin", remoteOf(reader, `${owner.name}/readable`));
    const store = await openIn(root);
    expect(await store.read()).toMatchObject({ state: undefined });
    const error = await lock(store).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "refused" });
    expect(JSON.stringify(error) + String(error)).not.toContain(reader.token);
  });
});

const sshd = "/usr/sbin/sshd";

test.skipIf(!existsSync(sshd))(
  "stores a state in git through a real ssh server",
  { tags: "night" },
  async () => {
    const remote = newRemote();
    fill(remote);
    const folder = newFolder();
    for (const key of ["host", "user"])
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path.join(folder, key)]);
    write(
      folder,
      "authorized",
      execFileSync("cat", [path.join(folder, "user.pub")], { encoding: "utf8" }),
      0o600,
    );
    // Privilege separation directory, which the system's sshd service would create.
    mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    const { port, close } = await startServer((port) =>
      startProgram(sshd, [
        ...["-D", "-e", "-f", "/dev/null", "-p", String(port), "-h", path.join(folder, "host")],
        ...["-o", "ListenAddress=127.0.0.1", "-o", `AuthorizedKeysFile=${path.join(folder, "authorized")}`],
        ...["-o", "StrictModes=no", "-o", "UsePAM=no", "-o", "PidFile=none", "-o", "PermitRootLogin=yes"],
      ]),
    );
    onTestFinished(close);
    const root = newClone(remote.url);
    const user = execFileSync("id", ["-un"], { encoding: "utf8" }).trim();
    git(root, "remote", "set-url", "origin", `ssh://${user}@127.0.0.1:${port}${remote.folder}`);
    const known = `-o UserKnownHostsFile=${path.join(folder, "known")}`;
    const command = `ssh -i ${path.join(folder, "user")} -o IdentitiesOnly=yes ${known}`;
    // ssh would ask at the terminal whether to trust the unknown host.
    git(root, "config", "core.sshCommand", command);
    await expect((await openIn(root)).read()).rejects.toMatchObject({ code: "refused" });
    git(root, "config", "core.sshCommand", `${command} -o StrictHostKeyChecking=accept-new`);
    const hold = await lock(await openIn(root));
    await hold.append("header\none\n");
    await hold.commit({ state: "{}\n", record: "{}" });
    await hold.release();
    expect(await (await openIn(root)).read()).toEqual({ state: "{}\n", journal: undefined });
  },
);

test("fetches a long state history from git in parts", { tags: "night" }, async () => {
  const remote = newRemote();
  const hold = await lock(await openIn(newClone(remote.url)));
  const records = Array.from({ length: 22 }, (_, at) => JSON.stringify({ record: at }));
  for (const record of records) await hold.commit({ record });
  await hold.release();
  expect(await listRecords(await openIn(newClone(remote.url)))).toEqual(records.toReversed());
});
