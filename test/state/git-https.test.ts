// @module-tag night
/** Tests a state in git on a server with its own certificate. The real git handles TLS and trust. */
import path from "node:path";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { startTeam } from "../cli/git-team.js";
import { matchText, runIn } from "../cli/hosting.js";
import { selfSigned } from "../emulator/self-signed.js";
import { git, newFolder, write } from "../git/repositories.js";
import { expectToWork, fill, newClone, newRemote, openIn, startHttpBackend } from "./git-servers.js";

/** Starts a TLS server for a remote and returns a function that clones it. */
async function startHttps(remote = newRemote()) {
  const { url } = await startHttpBackend(remote, undefined, selfSigned);
  const folder = newFolder();
  write(folder, "ca.pem", selfSigned.cert);
  write(folder, "other-ca.pem", rootCertificates[0] ?? "");
  return {
    ca: path.join(folder, "ca.pem"),
    otherCa: path.join(folder, "other-ca.pem"),
    missingCa: path.join(folder, "none.pem"),
    clone() {
      const root = newClone(remote.url);
      git(root, "remote", "set-url", "origin", url);
      return root;
    },
  };
}

test("connects to a state in git over HTTPS with a CA from the git configuration or GIT_SSL_CAINFO", async () => {
  const remote = newRemote();
  fill(remote);
  const { clone, ca } = await startHttps(remote);
  const [root, other] = [clone(), clone()];
  for (const home of [root, other]) write(home, ".gitconfig", `[http]\n\tsslCAInfo = ${ca}\n`);
  await expectToWork(root, other);
  expect(await (await openIn(clone(), { GIT_SSL_CAINFO: ca })).read()).toMatchObject({ journal: undefined });
});

test("suggests how to set the CA if git does not trust the state's server", async () => {
  const { clone, otherCa, missingCa } = await startHttps();
  for (const file of [undefined, otherCa, missingCa]) {
    const store = await openIn(clone(), file === undefined ? {} : { GIT_SSL_CAINFO: file });
    await expect(store.read()).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(
        /certificate.*http\.sslCAInfo FILE`, or the environment variable GIT_SSL_CAINFO/is,
      ),
    });
  }
});

test("rejects an apply over an untrusted connection, and accepts it once the CA is configured", async () => {
  const team = await startTeam(["a"]);
  const { clone, ca } = await startHttps(team.remote);
  const [one, two] = [clone(), clone()];
  const { emulator, environment } = team;
  const run = (root: string, ...argv: string[]) => runIn(root, argv, { environment, hostname: root });
  const refused = await run(one, "apply", "--auto-approve");
  expect(refused).toMatchObject({ stderr: matchText("http.sslCAInfo") });
  expect([refused.exit, emulator.world.contexts]).toEqual([1, []]);
  git(one, "config", "http.sslCAInfo", ca);
  git(two, "config", "http.sslCAInfo", ca);
  expect(await run(one, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
  const history = await run(two, "history", "--format", "json");
  expect(JSON.parse(history.stdout)).toMatchObject({ records: [{ serial: 1 }] });
  expect(await run(two, "drift")).toMatchObject({ exit: 0 });
  emulator.editContext("a", { prompt: "Edited." });
  expect(await run(two, "drift")).toMatchObject({ exit: 2, stdout: matchText("Edited.") });
});
