// @module-tag ci
/** Tests every way to open a project with every way in which its files could run code. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { cacheHome, newFolder } from "../cli/hosting.js";
import { execute } from "../installing.js";
import { followFor, startTeam, type Team } from "../sync/team.js";
import { startFork } from "./fork.js";

const desk = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";
const key = "secret_name: llm, secret_type: LLMPROVIDER_API_KEY";

/** Project files whose commands or modules leave a trace when they run. */
interface Planted {
  /** Manifest settings. For a required environment, the settings of that environment. */
  readonly settings: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Name of a package that avatarops does not install. */
  readonly missing?: string;
}

type Plant = (trace: { readonly command: string; readonly module: string }) => Planted;

function createPackagePlant(name: string, settings: string): Plant {
  return ({ module }) => ({
    settings,
    files: {
      [`node_modules/${name}/package.json`]: `{ "name": "${name}", "version": "1.0.0", "type": "module", "main": "main.js" }`,
      [`node_modules/${name}/main.js`]: `${module}\nexport default {};\n`,
    },
    ...(name === "evil" ? {} : { missing: name }),
  });
}

const formatSecret = (source: string) => `secrets: { llm: { ${key}, secret_value: ${source} } }`;
const vault = '"https://llm.vault.azure.net/secrets/llm"';

/** Ways to run code from a single environment's settings. */
const ways: Readonly<Record<string, Plant>> = {
  "an !exec for the API key": ({ command }) => ({ settings: `service: { api_key: ${command} }` }),
  "an !exec for the address": ({ command }) => ({ settings: `service: { base_url: ${command} }` }),
  "an !exec for a secret": ({ command }) => ({ settings: formatSecret(command) }),
  "a policy function": ({ module }) => ({
    settings: "policies: { functions: [policy.ts] }",
    files: { "policy.ts": `${module}\nexport default () => [];\n` },
  }),
  "a store in a package": createPackagePlant("evil", "state: package:evil"),
  "a planted S3 client": createPackagePlant(
    "@aws-sdk/client-s3",
    "state: s3://states/production.json?region=eu-central-1",
  ),
  "a planted PostgreSQL client": createPackagePlant(
    "pg",
    "state: postgres://ops@127.0.0.1:9/ops?name=production",
  ),
};

/** Ways to run code from a whole project's settings. */
const ofProject: Readonly<Record<string, Plant>> = {
  ...ways,
  "a definition": ({ module }) => ({
    settings: "include: [more.ts]",
    files: {
      "more.ts": `${module}\nimport { Project } from "avatarops";\nexport default new Project();\n`,
    },
  }),
  "an !exec for the fingerprint key": ({ command }) => ({
    settings: `fingerprint_key: ${command}\n${formatSecret("!env LLM_API_KEY")}`,
  }),
  "an !exec for the notice address": ({ command }) => ({
    settings: `notify: [{ url: ${command} }]`,
  }),
  "a planted client of AWS Secrets Manager": createPackagePlant(
    "@aws-sdk/client-secrets-manager",
    formatSecret("!aws-secrets-manager llm"),
  ),
  "a planted client of Azure Key Vault": createPackagePlant(
    "@azure/keyvault-secrets",
    formatSecret(`!azure-key-vault ${vault}`),
  ),
  "a planted client of Google": createPackagePlant(
    "google-auth-library",
    formatSecret("!google-secret-manager projects/p/secrets/llm"),
  ),
};

async function newTrace() {
  const file = path.join(await newFolder(), "ran");
  const module = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(file)}, "");`;
  return { file, command: `!exec [touch, ${JSON.stringify(file)}]`, module };
}

/** Starts a repository with planted settings, either in the whole project or in `staging`, which `production` needs. */
async function startPlanted(plant: Plant, where: "project" | "needed") {
  const trace = await newTrace();
  const { settings, files = {}, missing } = plant(trace);
  const folder = await newFolder();
  const shared = `state: git+refs://origin/avatarops/production\n`;
  const isState = settings.startsWith("state:");
  const manifest =
    where === "project"
      ? `${isState ? "" : shared}${desk}${settings}\n`
      : `${shared}${desk}environments:\n  production: { needs: [staging] }\n  staging: { ${settings}${isState ? "" : ", state: git+refs://origin/avatarops/staging"} }\n`;
  const team = await startTeam("", {
    environment: { LLM_API_KEY: "the key of the model", AVATAROPS_ALLOW_HOSTS: "127.0.0.1:9" },
  });
  await team.commit({ "avatarops.yaml": manifest, ...files });
  return { team, trace, folder, missing };
}

/** Returns the log from the first sync cycle. */
async function followOnce(team: Team, missing: string | undefined, ...argv: string[]): Promise<string> {
  if (missing === undefined) return (await followFor(team, 1, undefined, ...argv)).text();
  const hook = new URL("../secrets/sources/without-package.mjs", import.meta.url).href;
  const script = new URL("./first-cycle.mjs", import.meta.url).pathname;
  const { stdout, stderr } = await execute(
    process.execPath,
    [script, "--import", hook, findBuilt(), "sync", "--repo", team.repository, ...argv],
    { cwd: ".", env: { ...team.environment, MISSING_PACKAGE: missing, NODE_COMPILE_CACHE: cacheHome } },
  );
  return stdout + stderr;
}

const toTest = ([name, plant]: readonly [string, Plant]) => ({
  name,
  plant,
  // Tests with a planted package start a process. They take the same code path, so most run only at night.
  options: { timeout: 60_000, ...(/client of|PostgreSQL/.test(name) ? { tags: "night" } : {}) },
});

describe("sync without --allow-code", () => {
  for (const { name, plant, options } of Object.entries(ofProject).map(toTest))
    test(`does not run ${name}`, options, async () => {
      const { team, trace, missing } = await startPlanted(plant, "project");
      const log = await followOnce(team, missing, "--unpinned");
      expect(log).toContain('"outcome"');
      expect(existsSync(trace.file), log).toBe(false);
    });

  for (const { name, plant, options } of Object.entries(ways).map(toTest))
    test(`does not run ${name} from a required environment`, options, async () => {
      const { team, trace, missing } = await startPlanted(plant, "needed");
      const log = await followOnce(team, missing, "--unpinned", "--env", "production");
      expect(log).toContain('"outcome"');
      expect(existsSync(trace.file), log).toBe(false);
    });
});

describe("sync with --allow-code", () => {
  const allowed = Object.entries(ofProject).filter(([name]) => name !== "a store in a package");
  for (const { name, plant, options } of allowed.map(toTest))
    test(`runs ${name}`, options, async () => {
      const { team, trace, missing } = await startPlanted(plant, "project");
      const log = await followOnce(team, missing, "--unpinned", "--allow-code");
      expect(existsSync(trace.file), log).toBe(true);
    });
});

describe("command with --untrusted", () => {
  const commands = [
    ["plan"],
    ["plan", "--all"],
    ["validate"],
    ["validate", "--all"],
    ["review", "--dry-run"],
  ];
  const inProcess = Object.entries(ofProject).filter(([name]) => !name.includes("planted"));
  test.each(inProcess)("does not run %s from the change or its base", async (_, plant) => {
    for (const isBase of [false, true]) {
      const fork = await startFork();
      const trace = await newTrace();
      const { settings, files = {} } = plant(trace);
      const planted = { "avatarops.yaml": `${desk}${settings}\n`, ...files };
      await (isBase ? fork.proposeToBase(planted) : fork.propose(planted));
      await fork.propose({ "avatarops.yaml": planted["avatarops.yaml"].replace("kind", "brief") });
      for (const [command = "", ...more] of commands) {
        const ran = await fork.avatarops(command, ...more, "--untrusted", "--base", "main");
        expect(existsSync(trace.file), `${command} ${ran.stdout}${ran.stderr}`).toBe(false);
      }
    }
  });

  test("does not run an S3 client planted in the base", { timeout: 60_000 }, async () => {
    const trace = await newTrace();
    const { settings, files } = (ways["a planted S3 client"] as Plant)(trace);
    const fork = await startFork();
    await fork.proposeToBase({ "avatarops.yaml": `${desk}${settings}\n`, ...files });
    const hook = new URL("../secrets/sources/without-package.mjs", import.meta.url).href;
    const run = (...argv: string[]) =>
      execute(process.execPath, ["--import", hook, findBuilt(), ...argv], {
        cwd: fork.folder,
        env: {
          PATH: process.env.PATH,
          HOME: fork.folder,
          NODE_COMPILE_CACHE: cacheHome,
          MISSING_PACKAGE: "@aws-sdk/client-s3",
          AVATAROPS_BASE_URL: fork.emulator.url,
          AVATAROPS_API_KEY: "test-key",
        },
      });
    const planned = await run("plan", "--untrusted", "--base", "main");
    expect(planned.stderr).toContain("error[missing-package]");
    expect(existsSync(trace.file)).toBe(false);
    // The same files load the client if they are trusted.
    await run("plan");
    expect(existsSync(trace.file)).toBe(true);
  });
});
