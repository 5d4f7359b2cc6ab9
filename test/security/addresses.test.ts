// @module-tag ci
/** Tests YAML files that name their author's server, which would receive the runner's credentials. */
import { describe, expect, test, vi } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";
import { keyringSource } from "../secrets/sources/keyring.js";
import { followFor, startTeam } from "../sync/team.js";
import { startAcceptance } from "../terraform/acceptance.js";
import { base, startFork } from "./fork.js";
import { canary, formatManifest, joinStreams, startThief } from "./thief.js";

/** Project files that name the author's server, with the environment variables of the runner. */
interface Try {
  readonly files: (url: string) => Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  /** Credential that the server would receive without protection. */
  readonly learns: string;
  /** Whether no credentials are available, so that the server receives nothing even if it is allowed. */
  readonly hasNoLogin?: true;
}

const pinned = { AVATAROPS_PIN: "1" };

/**
 * Runs the files with default settings, with pinned credentials, with the host also allowed, as an untrusted
 * change, and in sync.
 */
async function tryEverywhere({ files, environment, learns, hasNoLogin }: Try): Promise<void> {
  const refusal = matchText("to AVATAROPS_ALLOW_HOSTS");
  const runner = { PATH: process.env.PATH ?? "", HOME: "/nowhere", ...environment };
  const plan = async (more: Readonly<Record<string, string>>) => {
    const thief = await startThief();
    const project = await startProject({ files: files(thief.url), environment: runner });
    const hosts = more.AVATAROPS_ALLOW_HOSTS === "" ? { AVATAROPS_ALLOW_HOSTS: thief.host } : {};
    const planned = await project.avataropsWith({ environment: { ...more, ...hosts } }, "plan");
    return { heard: thief.heard(), output: joinStreams(planned) };
  };

  if (!hasNoLogin) {
    expect((await plan({})).heard).toContain(learns);
    expect((await plan({ ...pinned, AVATAROPS_ALLOW_HOSTS: "" })).heard).toContain(learns);
  }
  expect(await plan(pinned)).toEqual({ heard: "", output: refusal });
  expect(await plan({ ...pinned, AVATAROPS_ALLOW_HOSTS: "vault.example.com *.example.org" })).toEqual({
    heard: "",
    output: refusal,
  });

  const thief = await startThief();
  const fork = await startFork(base, { environment: runner });
  await fork.propose(files(thief.url));
  expect(joinStreams(await fork.plan())).toMatch(/untrusted/);
  expect(thief.heard()).toBe("");

  const team = await startTeam(base["avatarops.yaml"].replace("!file prompts/desk.md", "Be kind."), {
    state: "git+refs://origin/avatarops/production",
    environment: { ...runner, ...pinned },
  });
  const state = "state: git+refs://origin/avatarops/production\n";
  const proposed = files(thief.url);
  const main = proposed["avatarops.yaml"] ?? "";
  await team.commit({ ...proposed, "avatarops.yaml": main.includes("state:") ? main : state + main });
  // Passes --allow-code so that TypeScript secret sources are also tried.
  const { log } = await followFor(team, 1, () => {}, "--allow-code");
  expect(JSON.stringify(log)).toContain("to AVATAROPS_ALLOW_HOSTS");
  expect(thief.heard()).toBe("");
}

const formatSource = (text: (url: string) => string) => (url: string) => ({
  "avatarops.yaml": formatManifest(text(url)),
});

describe("avatarops on a runner", () => {
  test("sends no Vault token or login to a server named in a file", async () => {
    await tryEverywhere({
      files: formatSource((url) => `!vault { path: kv/llm, field: key, address: "${url}" }`),
      environment: { VAULT_TOKEN: canary },
      learns: canary,
    });
    await tryEverywhere({
      files: formatSource((url) => `!vault { path: kv/llm, field: key, address: "${url}" }`),
      environment: { VAULT_AUTH_METHOD: "approle", VAULT_ROLE_ID: "x", VAULT_SECRET_ID: canary },
      learns: canary,
    });
  });

  test("requests no job JWT for an audience named in a file", async () => {
    const github = await startThief();
    const vault = "!vault { path: kv/llm, field: key }";
    const project = await startProject({
      files: { "avatarops.yaml": formatManifest(vault.replace(" }", ", audience: sts.amazonaws.com }")) },
      environment: {
        ...{ VAULT_ADDR: github.url, VAULT_AUTH_METHOD: "jwt" },
        ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: "x",
      },
    });
    expect(joinStreams(await project.avatarops("plan"))).toEqual(matchText("audience"));
    expect(github.heard()).toBe("");
    await project.write("avatarops.yaml", formatManifest(vault));
    await project.avataropsWith({ environment: pinned }, "plan");
    expect(github.heard()).toContain(`audience=${encodeURIComponent(github.url)}`);
    await project.avataropsWith({ environment: { ...pinned, VAULT_AUTH_AUDIENCE: "ours" } }, "plan");
    expect(github.heard()).toContain("audience=ours");
  });

  test("ignores a Terraform provider's base_url and api_key if the key is pinned", {
    tags: "terraform",
  }, async () => {
    const thief = await startThief();
    const desk = 'resource "avatarops_context" "desk" {\n  name = "Desk"\n  prompt = "Be kind."\n}\n';
    const block = (fields: string) => `provider "avatarops" {\n${fields}\n}\n${desk}`;
    const start = (main: string, providerEnvironment: Readonly<Record<string, string>>) =>
      startAcceptance({ main, providerEnvironment });
    const hostile = block(`  base_url = "${thief.url}"\n  api_key = "another"`);
    const { emulator, ...terraform } = await start(hostile, pinned);
    expect(await terraform.succeed("apply", "-auto-approve")).toContain(
      "base_url in the provider block is ignored",
    );
    expect(emulator.world.contexts.map(({ name }) => name)).toEqual(["Desk"]);
    expect(thief.heard()).toBe("");

    const byList = { AVATAROPS_API_KEY: canary, AVATAROPS_ALLOW_HOSTS: "api.example.com" };
    const listed = await start(block(`  base_url = "${thief.url}"`), byList);
    const output = await listed.fail("plan");
    expect(output.replace(/[\s│]+/g, " ")).toContain(`add ${thief.host} to AVATAROPS_ALLOW_HOSTS`);
    expect(thief.heard()).toBe("");
    await (await start(block(`  base_url = "${thief.url}"`), { AVATAROPS_API_KEY: canary })).fail(
      "apply",
      "-auto-approve",
    );
    expect(thief.heard()).toContain(canary);

    const plain = await start(desk, { ...pinned, AVATAROPS_BASE_URL: "http://service.invalid" });
    expect((await plain.fail("plan")).replace(/[\s│]+/g, " ")).toContain(
      "would receive credentials without TLS",
    );
  });

  test("sends no Google login to an endpoint named in a file", () =>
    tryEverywhere({
      files: formatSource(
        (url) => `!google-secret-manager { secret: projects/p/secrets/llm, endpoint: "${url}" }`,
      ),
      environment: {},
      learns: canary,
      hasNoLogin: true,
    }));

  test("sends no Azure login to a vault outside the public cloud", () =>
    tryEverywhere({
      files: formatSource((url) => `!azure-key-vault { url: "${url}", secret: llm }`),
      environment: {},
      learns: canary,
      hasNoLogin: true,
    }));

  test("sends no AWS credentials to a host hidden in a region name", async () => {
    const source = '!aws-secrets-manager { id: llm, region: "x.evil.example/#" }';
    const hostile = await startProject({ files: { "avatarops.yaml": formatManifest(source) } });
    const planned = await hostile.avatarops("plan");
    expect(planned).toMatchObject({ exit: 1, stderr: matchText("is not valid. Expected: ") });
    const state = "state: s3://bucket/state.json?region=x.evil.example/%23\ncontexts: {}\n";
    const project = await startProject({ files: { "avatarops.yaml": state } });
    expect(joinStreams(await project.avatarops("plan"))).toEqual(matchText("has an invalid region"));
  });

  test("sends no TF_HTTP_PASSWORD to a state server named in a file", async () => {
    const files = (url: string) => ({ "avatarops.yaml": `state: ${url}/state\ncontexts: {}\n` });
    const environment = { TF_HTTP_USERNAME: "ci", TF_HTTP_PASSWORD: canary };
    const learns = Buffer.from(`ci:${canary}`).toString("base64");
    await tryEverywhere({ files, environment, learns });
    const thief = await startThief();
    const project = await startProject({
      files: files(thief.url),
      environment: { ...environment, ...pinned },
    });
    const moved = await project.avatarops("state", "migrate", "--to", "state.json");
    expect(joinStreams(moved)).toEqual(matchText("to AVATAROPS_ALLOW_HOSTS"));
    expect(thief.heard()).toBe("");
  });

  test("sends no AWS credentials to a state endpoint named in a file", async () => {
    const state = (url: string) => `state: s3://bucket/state.json?endpoint=${url}\ncontexts: {}\n`;
    const thief = await startThief();
    const project = await startProject({ files: { "avatarops.yaml": state(thief.url) } });
    const refused = await project.avataropsWith({ environment: pinned }, "plan");
    expect(joinStreams(refused)).toEqual(matchText("to AVATAROPS_ALLOW_HOSTS"));
    expect(thief.heard()).toBe("");
  });

  test("sends PGPASSWORD only over verified TLS, and never to a state server named in a file", async () => {
    const files = (query: string, at = "db.evil.example") => ({
      "avatarops.yaml": `state: postgres://${at}/ops${query}\ncontexts: {}\n`,
    });
    const plan = async (query: string, environment: Readonly<Record<string, string>>, at?: string) =>
      joinStreams(
        await (
          await startProject({ files: files(query, at), environment: { PGPASSWORD: canary, ...environment } })
        ).avatarops("plan"),
      );
    const refusal = matchText("add db.evil.example to AVATAROPS_ALLOW_HOSTS");
    expect(await plan("", pinned)).toEqual(refusal);
    expect(await plan("?host=127.0.0.1&host=db.evil.example", pinned, "127.0.0.1")).toEqual(refusal);
    const allowed = { ...pinned, AVATAROPS_ALLOW_HOSTS: "db.evil.example" };
    for (const mode of ["disable", "no-verify"]) {
      const weak = await plan(`?sslmode=${mode}`, allowed);
      expect(weak).toEqual(matchText(`sslmode=${mode} would send the password to an unverified server`));
    }
  });

  test("accepts a state in git only at a remote of the repository", async () => {
    const state = "state: git+refs://evil.example/avatarops/production\n";
    const fork = await startFork();
    await fork.propose({ "avatarops.yaml": `${state}${base["avatarops.yaml"]}` });
    expect(joinStreams(await fork.avatarops("plan"))).toEqual(matchText("evil.example"));
    expect(joinStreams(await fork.plan())).toMatch(/untrusted/);
  });

  test("hides the sync token from secret sources", async () => {
    const settings = formatManifest("!env GIT_CONFIG_VALUE_0");
    const team = await startTeam(settings, {
      state: "git+refs://origin/avatarops/production",
      // Imitates how sync passes its own token to git.
      environment: { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.note", GIT_CONFIG_VALUE_0: canary },
    });
    const { log } = await followFor(team, 1);
    expect(JSON.stringify(log)).toContain("secret.llm.secret_value reads GIT_CONFIG_VALUE_0");
    expect(team.emulator.world.secrets).toEqual([]);
  });

  test("sends the code host's token only to a host that CI or the command line names", async () => {
    const thief = await startThief();
    const fork = await startFork(base, { environment: { GITHUB_TOKEN: canary, GITLAB_TOKEN: canary } });
    fork.git("remote", "add", "origin", `${thief.url}/team/avatars.git`);
    expect(await fork.avatarops("review")).toMatchObject({ exit: 1 });
    expect(thief.heard()).toBe("");
  });

  test("never sends a custom source's credentials to a URL set in a file", () =>
    tryEverywhere({
      files: (url) => ({
        "keyring.ts": keyringSource,
        "avatarops.yaml": formatManifest(
          `!keyring { name: llm, address: "${url}" }`,
          "include: [keyring.ts]",
        ),
      }),
      environment: { KEYRING_TOKEN: canary },
      learns: canary,
    }));

  test("ignores URLs from a --dotenv file if they would receive credentials", async () => {
    const thief = await startThief();
    const files = {
      "avatarops.yaml": formatManifest("!vault kv/llm#key"),
      ".env": `VAULT_ADDR=${thief.url}\nAVATAROPS_ALLOW_HOSTS=${thief.host}\nAVATAROPS_PIN=0\n`,
    };
    const project = await startProject({ files, environment: { VAULT_TOKEN: canary, ...pinned } });
    expect(joinStreams(await project.avatarops("plan", "--dotenv", ".env"))).toEqual(
      matchText("Set VAULT_ADDR"),
    );
    expect(thief.heard()).toBe("");
  });

  test("sends credentials without TLS only to this machine or an allowed host", async () => {
    const plain = (host: string) => `!vault { path: kv/llm, field: key, address: "http://${host}" }`;
    const project = await startProject({
      files: { "avatarops.yaml": formatManifest(plain("vault.invalid")) },
    });
    const environment = { VAULT_TOKEN: canary };
    const plan = async (more = {}) =>
      joinStreams(await project.avataropsWith({ environment: { ...environment, ...more } }, "plan"));
    const refusal = matchText("credentials without TLS");
    expect(await plan()).toEqual(refusal);
    expect(await plan({ ...pinned, AVATAROPS_ALLOW_HOSTS: "vault.invalid" })).toEqual(refusal);
    expect(await plan({ ...pinned, AVATAROPS_ALLOW_HOSTS: "http://vault.invalid" })).toEqual(
      matchText("no response from Vault"),
    );
    await project.write("avatarops.yaml", formatManifest("!vault kv/llm#key"));
    expect(await plan({ ...pinned, VAULT_ADDR: "http://vault.invalid" })).toEqual(refusal);
    expect(await plan({ ...pinned, AVATAROPS_BASE_URL: "http://service.invalid" })).toEqual(refusal);

    // The AWS SDK reads the process environment.
    const keys = { AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: canary, AWS_REGION: "eu-central-1" };
    const aws = [formatManifest("!aws-secrets-manager llm"), "state: s3://bucket/state.json\ncontexts: {}\n"];
    for (const file of aws) {
      await project.write("avatarops.yaml", file);
      for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
      vi.stubEnv("AWS_ENDPOINT_URL", "http://aws.invalid");
      expect(await plan(pinned)).toEqual(refusal);
      const allowed = { AVATAROPS_ALLOW_HOSTS: "http://aws.invalid http://*.aws.invalid" };
      for (const more of [{ ...pinned, ...allowed }, {}]) expect(await plan(more)).not.toEqual(refusal);
      vi.unstubAllEnvs();
    }
  });
});
