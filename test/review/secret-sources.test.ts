// @module-tag ci
/** Tests that plans and reviews show the current and the earlier source of a secret value. */
import { expect, onTestFinished, test } from "vitest";
import { expectSuccess, matchText, startAndApply, startProject } from "../cli/hosting.js";
import { startVault } from "../secrets/stand-ins/vault.js";
import { type Change, startChange } from "./change.js";

const formatSecret = (source: string) =>
  `{ secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }`;
const createProjectFiles = (source: string) => ({
  "avatarops.yaml": `secrets:\n  llm: ${formatSecret(source)}\n`,
});
const keys = {
  STAGING_KEY: "key-of-staging",
  PRODUCTION_KEY: "key-of-production",
  OTHER_KEY: "key-of-others",
};

async function reviewSecret(change: Change, ...argv: string[]): Promise<string> {
  change.commit();
  await expectSuccess(change.review({}, ...argv));
  const [{ body = "" } = {}] = change.world.comments;
  for (const value of Object.values(keys)) expect(body).not.toContain(value);
  return body;
}

async function openVault() {
  const vault = await startVault();
  onTestFinished(() => vault.close());
  for (const name of ["staging/llm", "production/llm"]) vault.put(name, { api_key: `value of ${name}` });
  return { VAULT_ADDR: vault.url, VAULT_TOKEN: vault.token };
}

test("shows a secret's old and new Vault path in a review", async () => {
  const change = await startChange(
    "github",
    createProjectFiles("!vault kv/staging/llm#api_key"),
    await openVault(),
  );
  await change.project.expectDone("apply", "-y");
  await change.project.write(
    "avatarops.yaml",
    createProjectFiles("!vault kv/production/llm#api_key")["avatarops.yaml"],
  );
  const comment = await reviewSecret(change);
  expect(comment).toContain(
    "**`secret_value`** `Vault secret kv/staging/llm, field api_key` → `Vault secret kv/production/llm, field api_key` in `avatarops.yaml`, line [2]",
  );
  expect(comment).toMatch(/`avatarops\.yaml`, line \[2\]\S+; the value is never shown$/m);
  expect(comment).not.toContain("another source");
  expect(comment).not.toContain("value of");
});

test("shows the old and new server if a secret moves to the same path in another Vault", async () => {
  const environment = await openVault();
  const source = (host: string) =>
    `!vault { path: kv/staging/llm, field: api_key, address: "${environment.VAULT_ADDR.replace("127.0.0.1", host)}" }`;
  const change = await startChange("github", createProjectFiles(source("127.0.0.1")), environment);
  await change.project.expectDone("apply", "-y");
  await change.project.write("avatarops.yaml", createProjectFiles(source("localhost"))["avatarops.yaml"]);
  const comment = await reviewSecret(change);
  expect(comment).toMatch(
    /`Vault secret kv\/staging\/llm, field api_key, address http:\/\/127\.0\.0\.1:\d+` → `Vault secret kv\/staging\/llm, field api_key, address http:\/\/localhost:\d+`/,
  );
});

test("shows the last applied secret source as the old one, ignoring sources that were only merged", async () => {
  const change = await startChange("github", createProjectFiles("!env STAGING_KEY"), keys);
  await change.project.expectDone("apply", "-y");
  for (const name of ["OTHER_KEY", "PRODUCTION_KEY"]) {
    await change.project.write("avatarops.yaml", createProjectFiles(`!env ${name}`)["avatarops.yaml"]);
    change.commit();
  }
  const { stdout } = await change.project.avatarops("plan");
  expect(stdout).toEqual(
    matchText(
      "environment variable STAGING_KEY → environment variable PRODUCTION_KEY; the value is never shown",
    ),
  );
  expect(stdout).not.toContain("OTHER_KEY");
});

test("shows each environment's secret sources separately", async () => {
  const manifest = (staging: string, production: string) => ({
    "avatarops.yaml": [
      "environments:\n",
      `  staging: { state: s.json, secrets: { llm: ${formatSecret(staging)} } }\n`,
      `  production: { state: p.json, secrets: { llm: ${formatSecret(production)} } }\n`,
    ].join(""),
    ".gitignore": "*.json\n.avatarops/\n",
  });
  const change = await startChange("github", manifest("!env STAGING_KEY", "!env STAGING_KEY"), keys);
  for (const env of ["staging", "production"]) await change.project.expectDone("apply", "-y", "--env", env);
  const files = manifest("!env OTHER_KEY", "!env PRODUCTION_KEY");
  await change.project.write("avatarops.yaml", files["avatarops.yaml"]);
  const [, staging = "", production = ""] = (await reviewSecret(change, "--all")).split("## Project");
  expect(staging).toContain("`environment variable STAGING_KEY` → `environment variable OTHER_KEY`");
  expect(production).toContain("`environment variable STAGING_KEY` → `environment variable PRODUCTION_KEY`");
});

test("shows no secret source for a value rotated in place", async () => {
  const project = await startAndApply({ files: createProjectFiles("!env STAGING_KEY"), environment: keys });
  const rotated = { environment: { STAGING_KEY: "another-key" } };
  const { stdout } = await project.avataropsWith(rotated, "plan");
  expect(stdout).toEqual(matchText("new value; the value is never shown"));
  expect(stdout).not.toContain("STAGING_KEY");
});

test("shows only the new secret source, with a truncated command, outside a git repository", async () => {
  const project = await startProject({
    files: createProjectFiles("!env STAGING_KEY"),
    environment: { ...keys, PATH: process.env.PATH ?? "" },
  });
  await project.expectDone("apply", "-y");
  await project.write(
    "avatarops.yaml",
    createProjectFiles("!exec [echo, hello, --token=abc]")["avatarops.yaml"],
  );
  const { changes } = await project.json("plan");
  expect(changes).toMatchObject([
    {
      notes: [],
      fields: [{ field: "secret_value", source: "command echo hello …" }],
    },
  ]);
  expect(changes[0].fields[0]).not.toHaveProperty("source_before");
  await project.write(
    "avatarops.yaml",
    createProjectFiles("!exec [echo, sk-proj-abcdefghijklmn]")["avatarops.yaml"],
  );
  const { stdout } = await project.avatarops("plan");
  expect(stdout).toEqual(matchText("new value from exec source; the value is never shown"));
  expect(stdout).not.toContain("sk-proj");
});

test("calculates the same plan digest whether or not the earlier secret source is known", async () => {
  const change = await startChange("github", createProjectFiles("!env STAGING_KEY"), keys);
  await change.project.expectDone("apply", "-y");
  await change.project.write("avatarops.yaml", createProjectFiles("!env PRODUCTION_KEY")["avatarops.yaml"]);
  const comment = await reviewSecret(change);
  const [, digest = ""] = /--digest (\S+)/.exec(comment) ?? [];
  const planned = await change.project.json("plan");
  expect(planned.digest).toContain(digest);
  await change.project.expectDone("apply", "--digest", digest);
});
