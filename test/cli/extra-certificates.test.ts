import path from "node:path";
import { expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { selfSigned } from "../emulator/self-signed.js";
import { execute } from "../installing.js";
import { startProject } from "./hosting.js";

const damaged = selfSigned.cert.replace("MIIBmzCCAUGgAwIBAgI", "MIIBmzCCAUGgAwIB");

/** Runs the built `avatarops plan` over TLS, with `content` in the certificate file. No file if undefined. */
async function plan(content: string | undefined) {
  const { folder, emulator, ...project } = await startProject({
    files: { "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: Be kind. } }\n" },
    emulator: { tls: selfSigned },
  });
  if (content !== undefined) await project.write("authority.pem", content);
  const file = path.join(folder, "authority.pem");
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, NODE_EXTRA_CA_CERTS: file },
    ...{ AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" },
  };
  return { file, ...(await execute(process.execPath, [findBuilt(), "plan"], { cwd: folder, env })) };
}

test.each<[what: string, content: string | undefined, problem: string]>([
  ["is missing", undefined, "cannot be read"],
  ["is empty", "", "contains no readable certificate"],
  ["contains a damaged certificate", damaged, "contains no readable certificate"],
])("names the file in NODE_EXTRA_CA_CERTS in a TLS error if it %s", async (_, content, problem) => {
  const { exit, stderr, file } = await plan(content);
  expect(exit).toBe(1);
  expect(stderr).toContain("error[tls]");
  expect(stderr).toContain(`NODE_EXTRA_CA_CERTS is ignored: the file ${file} ${problem}`);
});

test("reaches a service whose certificate is in NODE_EXTRA_CA_CERTS", async () => {
  expect(await plan(selfSigned.cert)).toMatchObject({ stderr: "" });
});
