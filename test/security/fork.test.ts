// @module-tag ci
/**
 * What the author of a fork's pull request can do where CI plans it with `--untrusted`: every attack of docs/security.md is
 * tried here.
 */
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { newFolder, saying } from "../cli/hosting.js";
import { keyringSource } from "../secrets/sources/keyring.js";
import { startVault } from "../secrets/stand-ins/vault.js";
import { base, expectRefused, startFork } from "./fork.js";

const manifest = base["avatarops.yaml"];

test("a fork's change is shown, and the account is only read", async () => {
  const fork = await startFork();
  await fork.propose({ "prompts/desk.md": "You answer politely and briefly.\n" });
  const planned = await fork.plan("--detailed-exitcode");
  expect(planned, planned.stderr).toMatchObject({ exit: 2, stdout: saying("and briefly") });
  expect(planned.stdout).toMatch(/update +context\.desk/);
  expect(fork.writes()).toEqual([]);
  expect(await fork.avatarops("validate", "--untrusted", "--base", "main")).toMatchObject({ exit: 0 });
});

describe("code", () => {
  const command = (file: string) => `!exec [touch, ${file}]`;

  test("a fork's !exec is refused wherever it stands", async () => {
    const fork = await startFork();
    const ran = path.join(await newFolder(), "ran");
    await fork.propose({ "avatarops.yaml": manifest.replace("!env LLM_API_KEY", command(ran)) });
    await expectRefused(fork, "untrusted-command", "avatarops.yaml:5:82");
    await fork.propose({
      "avatarops.yaml": manifest.replace("base_url:", `api_key: ${command(ran)}, base_url:`),
    });
    await expectRefused(fork, "untrusted-command", "avatarops.yaml:1:");
    await fork.propose({ "avatarops.yaml": `fingerprint_key: ${command(ran)}\n${manifest}` });
    await expectRefused(fork, "untrusted-command", "avatarops.yaml:1:");
    await fork.propose({
      "avatarops.yaml": `${manifest}environments: { e: { secrets: { llm: { secret_value: ${command(ran)} } } } }\n`,
    });
    await expectRefused(fork, "untrusted-command", "avatarops.yaml:6:");
    expect(existsSync(ran)).toBe(false);
  });

  test("an !exec of the base is kept, but nothing runs it", async () => {
    const ran = path.join(await newFolder(), "ran");
    const script = `#!/bin/sh\ntouch ${ran}\necho key\n`;
    const withScript = manifest.replace("!env LLM_API_KEY", "!exec [sh, ./key.sh]");
    const fork = await startFork({ ...base, "avatarops.yaml": withScript, "key.sh": "echo key\n" });
    await fork.propose({ "key.sh": script, "prompts/desk.md": "Be brief.\n" });
    const planned = await fork.plan();
    expect(planned).toMatchObject({ exit: 0, stdout: saying("It is unknown whether the value changed") });
    expect(existsSync(ran)).toBe(false);
    await fork.propose({ "avatarops.yaml": withScript.replace("./key.sh", "./other.sh") });
    await expectRefused(fork, "untrusted-command", "avatarops.yaml:5:");
  });

  test("a vault of the base is kept, but nothing asks it; another secret or address of it is refused", async () => {
    const server = await startVault();
    onTestFinished(() => server.close());
    server.put("llm", { key: "the key of the model" });
    const vault = `!vault { path: kv/llm, field: key, address: "${server.url}" }`;
    const withVault = (source: string) => manifest.replace("!env LLM_API_KEY", source);
    const environment = { VAULT_TOKEN: server.token };
    const fork = await startFork({ ...base, "avatarops.yaml": withVault(vault) }, { environment });
    const asked = server.requests.length;

    await fork.propose({ "prompts/desk.md": "Be brief.\n" });
    const planned = await fork.plan();
    expect(planned).toMatchObject({ exit: 0, stdout: saying("It is unknown whether the value changed") });

    for (const other of [
      vault.replace("/llm", "/admin"),
      vault.replace("field: key", "field: other"),
      vault.replace(server.url, `${server.url}/evil`),
      vault.replace(`address: "${server.url}"`, "token_variable: LLM_API_KEY"),
      "!sops secrets.yaml#llm",
    ]) {
      await fork.propose({ "avatarops.yaml": withVault(other) });
      await expectRefused(fork, "untrusted-source", "avatarops.yaml:5:");
    }
    await fork.propose({ "avatarops.yaml": `fingerprint_key: ${vault}\n${withVault(vault)}` });
    await expectRefused(fork, "untrusted-source", "avatarops.yaml:1:");
    expect(server.requests.slice(asked)).toEqual([]);
  });

  test("a fork's own source is refused and not run", async () => {
    const fork = await startFork();
    const ran = path.join(await newFolder(), "ran");
    const code = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(ran)}, "");\n${keyringSource}`;
    const withKeyring = manifest.replace("!env LLM_API_KEY", "!keyring { name: llm }");
    await fork.propose({ "keyring.ts": code, "avatarops.yaml": `include: [keyring.ts]\n${withKeyring}` });
    await expectRefused(fork, "untrusted-code", "avatarops.yaml:1:11");
    expect(existsSync(ran)).toBe(false);
  });

  test("a fork's TypeScript is refused and not run", async () => {
    const fork = await startFork();
    const ran = path.join(await newFolder(), "ran");
    const code = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(ran)}, "");\n`;
    await fork.propose({ "more.ts": code, "avatarops.yaml": `include: [more.ts]\n${manifest}` });
    await expectRefused(fork, "untrusted-code", "avatarops.yaml:1:11");
    await fork.propose({ "avatarops.yaml": undefined, "avatarops.config.ts": code });
    expect(await fork.plan()).toMatchObject({ exit: 1, stderr: saying("error[other-manifest]") });
    expect(existsSync(ran)).toBe(false);
  });

  test("git runs nothing of a fork: no hook, filter, attribute or setting", async () => {
    const fork = await startFork();
    const ran = path.join(await newFolder(), "ran");
    await fork.propose({
      ".gitattributes": "*.md filter=evil diff=evil ident export-subst\n*.yaml text eol=crlf\n",
      ".githooks/post-checkout": `#!/bin/sh\ntouch ${ran}\n`,
      ".gitmodules": '[submodule "a"]\n\tpath = a\n\turl = ext::sh -c touch% x\n\tupdate = !touch x\n',
      "prompts/desk.md": "Be brief. $Id$ $Format:%H$\n",
    });
    // The worst case: CI took settings of the fork's over.
    for (const name of ["filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "core.fsmonitor"])
      fork.git("config", name, `touch ${ran}; cat`);
    fork.git("config", "core.hooksPath", ".githooks");
    const planned = await fork.plan();
    expect(planned).toMatchObject({ exit: 0, stdout: saying("$Id$ $Format:%H$") });
    expect(existsSync(ran)).toBe(false);
  });
});

describe("settings", () => {
  test.each([
    ["service: { base_url: https://evil.example }", "service: { base_url: !env AVATAROPS_BASE_URL }"],
    ["service: { base_url: !env EVIL_URL }", "service: { base_url: !env AVATAROPS_BASE_URL }"],
    [
      "service: { base_url: !env AVATAROPS_BASE_URL, success_codes: [500] }",
      "service: { base_url: !env AVATAROPS_BASE_URL }",
    ],
    [
      "service: { base_url: !env AVATAROPS_BASE_URL, timeout_seconds: 3600 }",
      "service: { base_url: !env AVATAROPS_BASE_URL }",
    ],
    [
      "service: { base_url: !env AVATAROPS_BASE_URL, api_key: !env LLM_API_KEY }",
      "service: { base_url: !env AVATAROPS_BASE_URL }",
    ],
    ["drift: overwrite", ""],
    ["thresholds: { max_percent: 100 }", ""],
    ["allow_files: [.env]", ""],
    ["", "service: { base_url: !env AVATAROPS_BASE_URL }"],
  ])("a fork cannot change the settings of the base: %s", async (written, before) => {
    const fork = await startFork();
    const rest = manifest.replace(/^service.*\n/, before === "" ? "$&" : "");
    await fork.propose({ "avatarops.yaml": `${written}\n${rest}` });
    await expectRefused(fork, "untrusted-setting", "avatarops.yaml:1:");
  });

  test("a fork cannot send the key to an address of its own", async () => {
    const fork = await startFork();
    const url = "https://evil.example";
    const environments = `environments: { production: { service: { base_url: ${url} } } }\n`;
    await fork.propose({ "avatarops.yaml": manifest + environments });
    await expectRefused(fork, "untrusted-setting", "avatarops.yaml:6:");
    await fork.propose({
      "avatarops.yaml": manifest,
      ".env": `AVATAROPS_BASE_URL=${url}\nHTTPS_PROXY=${url}\n`,
    });
    const planned = await fork.plan("--env-file", ".env");
    expect(planned).toMatchObject({ exit: 1, stderr: saying("--env-file cannot be used with --untrusted") });
  });

  test("settings that the base has moved on from are told apart by a merge", async () => {
    const fork = await startFork();
    fork.git("switch", "--quiet", "main");
    await fork.propose({ "avatarops.yaml": `drift: overwrite\n${manifest}` });
    fork.git("switch", "--quiet", "proposal");
    await fork.propose({ "prompts/desk.md": "Be brief.\n" });
    const { stderr } = await expectRefused(fork, "untrusted-setting", "avatarops.yaml");
    expect(stderr.replace(/[│\s]+/g, " ")).toContain("merge the base branch if it has moved");
    fork.git("merge", "--quiet", "--no-edit", "main");
    expect(await fork.plan()).toMatchObject({ exit: 0 });
  });
});

describe("several projects", () => {
  test("a fork cannot leave an environment out of what another needs", async () => {
    const environments = "environments: { staging: { state: s.json }, production: { needs: [staging] } }\n";
    const fork = await startFork({ ...base, "avatarops.yaml": manifest + environments });
    await fork.propose({ "avatarops.yaml": manifest + environments.replace("[staging]", "[]") });
    const planned = await fork.plan("--all", "--format", "json");
    expect(planned.exit).toBe(1);
    expect(planned.stdout).toContain('"code": "untrusted-setting"');
  });
});

describe("the state", () => {
  test("a fork cannot name another state", async () => {
    const environments = "environments: { staging: { state: .avatarops/staging.json } }\n";
    const fork = await startFork({ ...base, "avatarops.yaml": manifest + environments });
    for (const state of ["other.json", ".avatarops/staging.json", "git+refs://evil.example/x"]) {
      await fork.propose({ "avatarops.yaml": `state: ${state}\n${manifest}${environments}` });
      await expectRefused(fork, "untrusted-setting", "avatarops.yaml:1:1");
    }
    await fork.propose({
      "avatarops.yaml": manifest + environments.replace(".avatarops/staging.json", ".avatarops/state.json"),
    });
    await expectRefused(fork, "untrusted-setting", "avatarops.yaml:6:");
  });

  test("a state that a fork forged is not believed", async () => {
    const fork = await startFork();
    const state = await fork.read(".avatarops/state.json");
    const forged = JSON.parse(state);
    forged.objects["context.desk"].id = "00000000-0000-4000-8000-000000000000";
    await fork.propose({ ".avatarops/state.json": JSON.stringify(forged), "prompts/desk.md": "Be brief.\n" });
    const planned = await fork.plan("--format", "json");
    const { changes, state: used } = JSON.parse(planned.stdout);
    expect(changes).toMatchObject([{ address: "context.desk", action: "update" }]);
    expect(used).toEqual({ lineage: JSON.parse(state).lineage, serial: JSON.parse(state).serial });
    expect(changes[0].id).not.toBe(forged.objects["context.desk"].id);
  });

  test("a state that only the fork has is not believed, also behind a link", async () => {
    const fork = await startFork();
    const state = await fork.read(".avatarops/state.json");
    fork.git("switch", "--quiet", "main");
    await fork.propose({ ".avatarops": undefined });
    fork.git("switch", "--quiet", "--force-create", "proposal");
    const notFound = { exit: 0, stdout: expect.stringMatching(/adopt +context\.desk/) };
    await fork.propose({ ".avatarops/state.json": state });
    expect(await fork.plan()).toMatchObject(notFound);
    await fork.propose({ ".avatarops": undefined, "mine/state.json": state });
    symlinkSync("mine", path.join(fork.folder, ".avatarops"));
    await fork.propose({});
    expect(await fork.plan()).toMatchObject(notFound);
  });

  test("what a fork says was observed is not believed", async () => {
    const fork = await startFork();
    expect(await fork.avatarops("apply", "--auto-approve", "--refresh", "full")).toMatchObject({ exit: 0 });
    const [cache = ""] = readdirSync(path.join(fork.folder, ".avatarops/cache")).filter((name) =>
      /json$/.test(name),
    );
    const seen = JSON.parse(await fork.read(`.avatarops/cache/${cache}`));
    fork.emulator.editContext("Desk", { prompt: "Edited elsewhere." });
    seen.objects["context.desk"][1] = fork.emulator.world.contexts[0]?.updated_at;
    await fork.propose({ [`.avatarops/cache/${cache}`]: JSON.stringify(seen) });
    expect((await fork.avatarops("plan")).stdout).not.toContain("edited elsewhere");
    expect((await fork.plan()).stdout).toContain("edited elsewhere since the last apply");
  });
});

describe("environment variables", () => {
  test("a fork cannot name a variable that no file of the base names", async () => {
    const environment = { GITHUB_TOKEN: "ghs_secret", AWS_SECRET_ACCESS_KEY: "aws" };
    const fork = await startFork(base, { environment });
    await fork.propose({ "avatarops.yaml": manifest.replace("!env LLM_API_KEY", "!env GITHUB_TOKEN") });
    await expectRefused(fork, "untrusted-variable", "avatarops.yaml:5:81");
    await fork.propose({
      "avatarops.yaml": `include: [more.yaml]\n${manifest}`,
      "more.yaml":
        "secrets:\n  x: { secret_name: x, secret_type: LLMPROVIDER_API_KEY, secret_value: !env AWS_SECRET_ACCESS_KEY }\n",
    });
    await expectRefused(fork, "untrusted-variable", "more.yaml:2:");
  });

  test("no secret is read for a fork, so that nothing can be learnt of it", async () => {
    const fork = await startFork(base, { environment: { OTHER: "the key of the model" } });
    const twice = manifest.replace(
      "secrets:\n",
      "secrets:\n  same: { secret_name: same, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }\n",
    );
    await fork.propose({ "avatarops.yaml": twice });
    const planned = await fork.plan("--format", "json");
    const { notices, changes } = JSON.parse(planned.stdout);
    expect(changes).toMatchObject([{ address: "secret.same", action: "create" }]);
    expect(JSON.stringify(notices)).toContain("It is unknown whether the value changed");
    const rotated = { environment: { LLM_API_KEY: "another key" } };
    const again = await fork.avataropsWith(
      rotated,
      "plan",
      "--untrusted",
      "--base",
      "main",
      "--format",
      "json",
    );
    expect(JSON.parse(again.stdout).changes).toEqual(changes);
  });
});

describe("files", () => {
  test("a fork cannot read files outside of the project, also by links", async () => {
    const fork = await startFork();
    const outside = path.join(await newFolder(), "secret.txt");
    writeFileSync(outside, "outside");
    for (const named of [
      outside,
      `../${path.basename(path.dirname(outside))}/secret.txt`,
      "/proc/self/environ",
    ]) {
      await fork.propose({ "avatarops.yaml": manifest.replace("prompts/desk.md", named) });
      await expectRefused(fork, "outside-project", "avatarops.yaml:3:");
    }
    await fork.propose({ "avatarops.yaml": manifest, "prompts/desk.md": undefined });
    symlinkSync(outside, path.join(fork.folder, "prompts/desk.md"));
    await fork.propose({});
    await expectRefused(fork, "outside-project", "avatarops.yaml:3:");
    fork.git("rm", "-r", "--quiet", "--force", "prompts");
    symlinkSync(path.dirname(outside), path.join(fork.folder, "prompts"));
    await fork.propose({ "avatarops.yaml": manifest.replace("desk.md", "secret.txt") });
    await expectRefused(fork, "outside-project", "avatarops.yaml:3:");
  });

  test("a fork cannot read what CI put into the folder: it is in no commit", async () => {
    const fork = await startFork();
    const secret = "the token of the checkout";
    for (const file of [".env", "gha-creds-1.json", "plain.txt", ".git/token.txt"]) {
      await fork.propose({ "avatarops.yaml": manifest.replace("prompts/desk.md", file) });
      writeFileSync(path.join(fork.folder, file), secret);
      const { stderr } = await fork.plan();
      expect(stderr).toMatch(/error\[(private-file|missing-file)\]/);
      expect(stderr).not.toContain(secret);
      rmSync(path.join(fork.folder, file));
    }
    // A link to such a file is a link to nothing.
    writeFileSync(path.join(fork.folder, "plain.txt"), secret);
    symlinkSync("../plain.txt", path.join(fork.folder, "prompts/link.md"));
    fork.git("add", "prompts/link.md");
    fork.git("commit", "--quiet", "--message", "link");
    await fork.write("avatarops.yaml", manifest.replace("desk.md", "link.md"));
    fork.git("commit", "--quiet", "--all", "--message", "named");
    expect(await fork.plan()).toMatchObject({ exit: 1, stderr: saying("error[missing-file]") });
  });

  test("a fork cannot have its changes to the working folder read: only its commit counts", async () => {
    const fork = await startFork();
    await fork.propose({ "prompts/desk.md": "Be brief.\n" });
    writeFileSync(path.join(fork.folder, "prompts/desk.md"), "SUBSTITUTED SECRET\n");
    const { stdout } = await fork.plan();
    expect(stdout).toContain("brief");
    expect(stdout).not.toContain("SUBSTITUTED");
  });

  test("a fork leaves nothing behind on the machine", async () => {
    const fork = await startFork();
    await fork.propose({ "prompts/desk.md": "Be brief.\n" });
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
