// @module-tag ci
/** Tests attacks by a fork's pull request that CI plans with `--untrusted`, as listed in docs/security.md. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { cacheHome, matchText, newFolder } from "../cli/hosting.js";
import { startVault } from "../secrets/stand-ins/vault.js";
import { base, expectRejection, formatSecret, manifest, newTrace, startFork } from "./fork.js";

const createFiles = (text: string) => ({ "avatarops.yaml": text });
const formatManifest = (source: string) => manifest.replace("!env LLM_API_KEY", source);
const brief = { "prompts/desk.md": "Be brief.\n" };
const unread = { exit: 0, stdout: matchText("It is unknown whether the value changed") };

test("shows a fork's change without writing to the account", async () => {
  const fork = await startFork();
  await fork.propose({ "prompts/desk.md": "You answer politely and briefly.\n" });
  const planned = await fork.plan("--detailed-exitcode");
  expect(planned, planned.stderr).toMatchObject({ exit: 2, stdout: matchText("and briefly") });
  expect(planned.stdout).toMatch(/update +context\.desk/);
  expect(fork.writes()).toEqual([]);
  expect(await fork.avatarops("validate", "--untrusted", "--base", "main")).toMatchObject({ exit: 0 });
});

describe("untrusted plan of a fork's code", () => {
  test("rejects a fork's !exec anywhere in the files", async () => {
    const fork = await startFork();
    const { command, isThere } = await newTrace();
    for (const [text, location] of [
      [formatManifest(command), "avatarops.yaml:5:82"],
      [manifest.replace("base_url:", `api_key: ${command}, base_url:`), "avatarops.yaml:1:"],
      [`fingerprint_key: ${command}\n${manifest}`, "avatarops.yaml:1:"],
      [`${manifest}environments: { e: { secrets: { llm: { secret_value: ${command} } } } }\n`, ".yaml:6:"],
    ] as const)
      await expectRejection(fork, createFiles(text), "untrusted-command", location);
    const validated = await fork.avatarops("validate", "--untrusted", "--base", "main");
    expect(validated).toMatchObject({ exit: 1, stdout: matchText("error[untrusted-command]") });
    expect(isThere()).toBe(false);
  });

  test("accepts an !exec from the base without running it", async () => {
    const { file, isThere } = await newTrace();
    const withScript = formatManifest("!exec [sh, ./key.sh]");
    const fork = await startFork({ ...base, ...createFiles(withScript), "key.sh": "echo key\n" });
    await fork.propose({ ...brief, "key.sh": `#!/bin/sh\ntouch ${file}\necho key\n` });
    expect(await fork.plan()).toMatchObject(unread);
    expect(isThere()).toBe(false);
    const other = withScript.replace("./key.sh", "./other.sh");
    await expectRejection(fork, createFiles(other), "untrusted-command", "avatarops.yaml:5:");
  });

  test("accepts a vault source from the base without reading it, but rejects new secrets and addresses", async () => {
    const server = await startVault();
    onTestFinished(() => server.close());
    server.put("llm", { key: "the key of the model" });
    const vault = `!vault { path: kv/llm, field: key, address: "${server.url}" }`;
    const environment = { VAULT_TOKEN: server.token };
    const fork = await startFork({ ...base, ...createFiles(formatManifest(vault)) }, { environment });
    const asked = server.requests.length;
    await fork.propose(brief);
    expect(await fork.plan()).toMatchObject(unread);
    for (const other of [
      vault.replace("/llm", "/admin"),
      vault.replace("field: key", "field: other"),
      vault.replace(server.url, `${server.url}/evil`),
      vault.replace(`address: "${server.url}"`, "namespace: team"),
      "!google-secret-manager projects/p/secrets/llm",
    ])
      await expectRejection(
        fork,
        createFiles(formatManifest(other)),
        "untrusted-source",
        "avatarops.yaml:5:",
      );
    const twice = createFiles(`fingerprint_key: ${vault}\n${formatManifest(vault)}`);
    await expectRejection(fork, twice, "untrusted-source", "avatarops.yaml:1:");
    expect(server.requests.slice(asked)).toEqual([]);
  });

  test("rejects a fork's TypeScript without running it", async () => {
    const fork = await startFork();
    const { file, isThere } = await newTrace();
    const code = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(file)}, "");\n`;
    const included = {
      "more.ts": code,
      ...createFiles(`include: [more.ts]\n${formatManifest("!own { name: llm }")}`),
    };
    await expectRejection(fork, included, "untrusted-code", "avatarops.yaml:1:11");
    const main = { "avatarops.yaml": undefined, "avatarops.config.ts": code };
    await expectRejection(fork, main, "other-manifest", "avatarops.config.ts");
    expect(isThere()).toBe(false);
  });

  test("runs no git hook, filter, attribute or setting from a fork", async () => {
    const fork = await startFork();
    const { file, isThere } = await newTrace();
    await fork.propose({
      ".gitattributes": "*.md filter=evil diff=evil ident export-subst\n*.yaml text eol=crlf\n",
      ".githooks/post-checkout": `#!/bin/sh\ntouch ${file}\n`,
      ".gitmodules": '[submodule "a"]\n\tpath = a\n\turl = ext::sh -c touch% x\n\tupdate = !touch x\n',
      "prompts/desk.md": "Be brief. $Id$ $Format:%H$\n",
    });
    // Assumes the worst case, in which CI has copied the fork's settings.
    for (const name of ["filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "core.fsmonitor"])
      fork.git("config", name, `touch ${file}; cat`);
    fork.git("config", "core.hooksPath", ".githooks");
    expect(await fork.plan()).toMatchObject({ exit: 0, stdout: matchText("$Id$ $Format:%H$") });
    expect(isThere()).toBe(false);
  });
});

describe("untrusted plan for a fork", () => {
  test("rejects the fork's changes to the base settings", async () => {
    const fork = await startFork();
    const [service = "", rest = ""] = manifest.split(/(?<=\n)(?=contexts)/);
    for (const text of [
      "service: { base_url: https://evil.example }\n",
      "service: { base_url: !env EVIL_URL }\n",
      ...["success_codes: [500]", "timeout_seconds: 3600", "api_key: !env LLM_API_KEY"].map((setting) =>
        service.replace(" }", `, ${setting} }`),
      ),
      ...["drift: overwrite", "thresholds: { max_percent: 100 }"].map((setting) => `${setting}\n${service}`),
      "\n",
    ])
      await expectRejection(fork, createFiles(text + rest), "untrusted-setting", "avatarops.yaml:1:");
  });

  test("never sends the API key to a URL from a fork", async () => {
    const fork = await startFork();
    const url = "https://evil.example";
    const environments = `environments: { production: { service: { base_url: ${url} } } }\n`;
    await expectRejection(
      fork,
      createFiles(manifest + environments),
      "untrusted-setting",
      "avatarops.yaml:6:",
    );
    await fork.write(".env", `AVATAROPS_BASE_URL=${url}\nHTTPS_PROXY=${url}\n`);
    const planned = await fork.plan("--dotenv", ".env");
    expect(planned).toMatchObject({ exit: 1, stderr: matchText("--dotenv cannot be used with --untrusted") });
  });

  test("suggests merging the base branch if its settings have changed", async () => {
    const fork = await startFork();
    fork.git("switch", "--quiet", "main");
    await fork.propose(createFiles(`drift: overwrite\n${manifest}`));
    fork.git("switch", "--quiet", "proposal");
    const { stderr } = await expectRejection(fork, brief, "untrusted-setting", "avatarops.yaml");
    expect(stderr).toEqual(matchText("merge the base branch if it has changed"));
    fork.git("merge", "--quiet", "--no-edit", "main");
    expect(await fork.plan()).toMatchObject({ exit: 0 });
  });

  test("rejects a fork that removes a required environment", async () => {
    const environments = "environments: { staging: { state: s.json }, production: { needs: [staging] } }\n";
    const fork = await startFork({ ...base, ...createFiles(manifest + environments) });
    await fork.propose(createFiles(manifest + environments.replace("[staging]", "[]")));
    const planned = await fork.plan("--all", "--format", "json");
    expect([planned.exit, planned.stdout]).toEqual([1, matchText('"code": "untrusted-setting"')]);
  });
});

describe("untrusted plan of a fork's state", () => {
  test("rejects a fork that selects another state", async () => {
    const environments = "environments: { staging: { state: .avatarops/staging.json } }\n";
    const text = manifest + environments;
    const fork = await startFork({ ...base, ...createFiles(text) });
    for (const state of ["other.json", ".avatarops/staging.json", "git+refs://evil.example/x"])
      await expectRejection(
        fork,
        createFiles(`state: ${state}\n${text}`),
        "untrusted-setting",
        "avatarops.yaml:1:1",
      );
    const own = createFiles(text.replace("staging.json", "state.json"));
    await expectRejection(fork, own, "untrusted-setting", "avatarops.yaml:6:");
  });

  test("ignores a state forged by a fork", async () => {
    const fork = await startFork();
    const state = JSON.parse(await fork.read(".avatarops/state.json"));
    const forged = structuredClone(state);
    forged.objects["context.desk"].id = "00000000-0000-4000-8000-000000000000";
    await fork.propose({ ...brief, ".avatarops/state.json": JSON.stringify(forged) });
    const { changes, state: used } = JSON.parse((await fork.plan("--format", "json")).stdout);
    expect(changes).toMatchObject([{ address: "context.desk", action: "update" }]);
    expect(used).toEqual({ lineage: state.lineage, serial: state.serial });
    expect(changes[0].id).not.toBe(forged.objects["context.desk"].id);
  });

  test("ignores a state that exists only in the fork, even behind a symlink", async () => {
    const fork = await startFork();
    const state = await fork.read(".avatarops/state.json");
    await fork.proposeToBase({ ".avatarops": undefined });
    const notFound = { exit: 0, stdout: expect.stringMatching(/adopt +context\.desk/) };
    await fork.propose({ ".avatarops/state.json": state });
    expect(await fork.plan()).toMatchObject(notFound);
    await fork.propose({ ".avatarops": undefined, "mine/state.json": state });
    symlinkSync("mine", path.join(fork.folder, ".avatarops"));
    await fork.propose({});
    expect(await fork.plan()).toMatchObject(notFound);
  });

  test("ignores observations forged by a fork", async () => {
    const fork = await startFork();
    expect(await fork.avatarops("apply", "--auto-approve", "--refresh", "full")).toMatchObject({ exit: 0 });
    const { lineage } = JSON.parse(await fork.read(".avatarops/state.json"));
    const name = createHash("sha256").update(lineage).digest("hex").slice(0, 32);
    const cache = path.join(cacheHome, "avatarops/observations", `${name}.json`);
    const seen = JSON.parse(readFileSync(cache, "utf8"));
    fork.emulator.editContext("Desk", { prompt: "Edited elsewhere." });
    seen.objects["context.desk"][1] = fork.emulator.world.contexts[0]?.updated_at;
    writeFileSync(cache, JSON.stringify(seen));
    await fork.propose({});
    expect((await fork.avatarops("plan")).stdout).not.toContain("edited elsewhere");
    expect((await fork.plan()).stdout).toContain("edited elsewhere since the last apply");
  });
});

describe("untrusted plan of a fork's variables", () => {
  test("rejects a fork's variable that the base does not use", async () => {
    const environment = { GITHUB_TOKEN: "ghs_secret", AWS_SECRET_ACCESS_KEY: "aws" };
    const fork = await startFork(base, { environment });
    const own = createFiles(formatManifest("!env GITHUB_TOKEN"));
    await expectRejection(fork, own, "untrusted-variable", "avatarops.yaml:5:81");
    const more = `secrets:\n${formatSecret("x", "!env AWS_SECRET_ACCESS_KEY")}`;
    const included = { ...createFiles(`include: [more.yaml]\n${manifest}`), "more.yaml": more };
    await expectRejection(fork, included, "untrusted-variable", "more.yaml:2:");
  });

  test("reads no secret for a fork", async () => {
    const fork = await startFork();
    await fork.propose(createFiles(manifest + formatSecret("same", "!env LLM_API_KEY")));
    const { notices, changes } = JSON.parse((await fork.plan("--format", "json")).stdout);
    expect(changes).toMatchObject([{ address: "secret.same", action: "create" }]);
    expect(JSON.stringify(notices)).toContain("It is unknown whether the value changed");
    const rotated = await fork.planWith({ LLM_API_KEY: "another key" }, "--format", "json");
    expect(JSON.parse(rotated.stdout).changes).toEqual(changes);
  });
});

describe("untrusted plan of a fork's files", () => {
  test("rejects a fork's files outside the project, even behind symlinks", async () => {
    const fork = await startFork();
    const folder = await newFolder();
    const outside = path.join(folder, "secret.txt");
    writeFileSync(outside, "outside");
    const expectOutside = (files: Parameters<typeof expectRejection>[1]) =>
      expectRejection(fork, files, "outside-project", "avatarops.yaml:3:");
    for (const named of [outside, `../${path.basename(folder)}/secret.txt`, "/proc/self/environ"])
      await expectOutside(createFiles(manifest.replace("prompts/desk.md", named)));
    await fork.propose({ ...createFiles(manifest), "prompts/desk.md": undefined });
    symlinkSync(outside, path.join(fork.folder, "prompts/desk.md"));
    await expectOutside({});
    await fork.propose({ prompts: undefined });
    symlinkSync(folder, path.join(fork.folder, "prompts"));
    await expectOutside(createFiles(manifest.replace("desk.md", "secret.txt")));
  });

  test("hides the CI job's uncommitted files from a fork", async () => {
    const fork = await startFork();
    const token = "the token of the checkout";
    for (const file of [".env", "gha-creds-1.json", "plain.txt", ".git/token.txt"]) {
      await fork.propose(createFiles(manifest.replace("prompts/desk.md", file)));
      await fork.write(file, token);
      const { stderr } = await fork.plan();
      expect(stderr).toMatch(/error\[(private-file|missing-file)\]/);
      expect(stderr).not.toContain(token);
      rmSync(path.join(fork.folder, file));
    }
    // A symlink to an uncommitted file is dangling, because only committed files are read.
    symlinkSync("../plain.txt", path.join(fork.folder, "prompts/link.md"));
    await fork.propose(createFiles(manifest.replace("desk.md", "link.md")));
    await fork.write("plain.txt", token);
    expect(await fork.plan()).toMatchObject({ exit: 1, stderr: matchText("error[missing-file]") });
  });

  test("reports broken symlinks that a fork's pattern matches", async () => {
    const fork = await startFork();
    await fork.propose({ ...createFiles(`include: ["more/*.md"]\n${manifest}`), "more/a.txt": "" });
    for (const [target, code] of [
      ["gone.md", "missing-file"],
      ["link.md", "unreadable-file"],
    ] as const) {
      rmSync(path.join(fork.folder, "more/link.md"), { force: true });
      symlinkSync(target, path.join(fork.folder, "more/link.md"));
      await expectRejection(fork, {}, code, "avatarops.yaml:1:");
    }
  });

  test("reads a fork's commit instead of the work tree", async () => {
    const fork = await startFork();
    await fork.propose(brief);
    await fork.write("prompts/desk.md", "SUBSTITUTED SECRET\n");
    const { stdout } = await fork.plan();
    expect(stdout).toContain("brief");
    expect(stdout).not.toContain("SUBSTITUTED");
  });

  test("leaves no files on the machine", async () => {
    const fork = await startFork();
    await fork.propose(brief);
    const scratch = await newFolder();
    const before = readdirSync(fork.folder).sort();
    const { TMPDIR } = process.env;
    process.env.TMPDIR = scratch;
    try {
      expect(await fork.plan()).toMatchObject({ exit: 0 });
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
    expect([readdirSync(scratch), readdirSync(fork.folder).sort()]).toEqual([[], before]);
    expect(fork.git("status", "--porcelain")).toBe("");
  });
});
