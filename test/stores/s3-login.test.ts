/** Tests errors of logins that the AWS SDK makes for a state in S3. */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../cli/hosting.js";
import { startProxy } from "../http/proxy.js";
import { start } from "../recovery/child.js";

const manifest = `state: s3://states/avatars.json?region=eu-central-1
contexts: { desk: { name: Desk, prompt: Be kind. } }
`;

/** Runs `state list` with the given AWS files in an empty home folder. */
async function listState(files: Readonly<Record<string, string>>, environment: Record<string, string>) {
  const folder = await newFolder();
  await writeFile(path.join(folder, "avatarops.yaml"), manifest);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, ".aws", name)), { recursive: true });
    await writeFile(path.join(folder, ".aws", name), content);
  }
  const aws = { HOME: folder, USERPROFILE: folder, AWS_EC2_METADATA_DISABLED: "true" };
  const { exit, stderr } = await start(folder, ["state", "list"], { ...aws, ...environment }).ended;
  return { exit, stderr: stderr.replace(/\s+/g, " ") };
}

/** Configuration of a profile that logs in with IAM Identity Center, and its cached token. */
const sso = {
  config: `[profile work]
sso_session = office
sso_account_id = 111122223333
sso_role_name = Deploy
region = eu-central-1

[sso-session office]
sso_start_url = https://office.awsapps.test/start
sso_region = eu-central-1
`,
  [`sso/cache/${createHash("sha1").update("office").digest("hex")}.json`]: JSON.stringify({
    accessToken: "canary47",
    expiresAt: "2999-01-01T00:00:00Z",
  }),
};

describe("login for a state in S3", () => {
  test("fails with the proxy's response if the proxy rejects the login", async () => {
    await using proxy = await startProxy({ user: "ada:secret" });
    const ran = await listState(sso, { AWS_PROFILE: "work", HTTPS_PROXY: proxy.url });
    expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining("the login for S3 failed") });
    expect(ran.stderr).toContain("407");
    expect(ran.stderr).not.toMatch(/no S3 credentials|canary47/);
  });

  test("reports missing credentials if nothing is configured", async () => {
    const ran = await listState({}, {});
    expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining("no S3 credentials were found") });
  });
});
