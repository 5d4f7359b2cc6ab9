/**
 * Checks that every outgoing connection uses the proxy from the environment. The proxy rejects all tunnels, so
 * the tests need no real servers.
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder, startProject } from "../cli/hosting.js";
import { git } from "../git/repositories.js";
import { startChange } from "../review/change.js";
import { setVariables } from "../secrets/environment.js";
import { startProxy } from "./proxy.js";

type Variables = Readonly<Record<string, string>>;

interface Connection {
  /** Manifest. Default: one context. */
  readonly yaml?: string;
  readonly variables?: Variables;
  /** Writes files into the home folder. Returns variables that libraries read from the process. */
  readonly prepare?: (home: string) => Promise<Variables> | Variables;
  readonly host: string;
}

const desk = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";
const inState = (state: string) => `state: ${state}\n${desk}`;
const withSecret = (value: string) =>
  `secrets: { llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: ${value} } }\n`;
const s3 = inState("s3://states/a.json?region=eu-central-1");
const keys = () => ({ AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" });

const connections: Readonly<Record<string, Connection>> = {
  "the service": {
    variables: { AVATAROPS_BASE_URL: "https://service.test" },
    host: "service.test",
  },
  S3: { yaml: s3, prepare: keys, host: "states.s3.eu-central-1.amazonaws.com" },
  "STS with an OIDC token": {
    yaml: s3,
    async prepare(home) {
      const token = path.join(home, "token");
      await writeFile(token, "token");
      return {
        AWS_WEB_IDENTITY_TOKEN_FILE: token,
        AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/deploy",
        AWS_REGION: "eu-central-1",
      };
    },
    host: "sts.eu-central-1.amazonaws.com",
  },
  "IAM Identity Center for a state in S3": {
    yaml: s3,
    prepare: (home) => logInWithSso(home, 3_600_000),
    host: "portal.sso.eu-central-1.amazonaws.com",
  },
  "IAM Identity Center for Secrets Manager": {
    yaml: withSecret("!aws-secrets-manager { id: llm, region: eu-central-1 }"),
    variables: { AWS_PROFILE: "office" },
    prepare: (home) => logInWithSso(home, 3_600_000),
    host: "portal.sso.eu-central-1.amazonaws.com",
  },
  "IAM Identity Center to renew a login": {
    yaml: s3,
    prepare: (home) => logInWithSso(home, 60_000),
    host: "oidc.eu-central-1.amazonaws.com",
  },
  "an HTTP state server": { yaml: inState("https://state.test/production"), host: "state.test" },
  "a git remote": {
    yaml: inState("git+refs://origin/avatarops/production"),
    host: "git.test",
  },
  "AWS Secrets Manager": {
    yaml: withSecret("!aws-secrets-manager { id: llm, region: eu-central-1 }"),
    prepare: keys,
    host: "secretsmanager.eu-central-1.amazonaws.com",
  },
  "Azure Key Vault": {
    yaml: withSecret("!azure-key-vault my-vault/llm"),
    host: "my-vault.vault.azure.net",
  },
  "Google's token exchange": {
    yaml: withSecret("!google-secret-manager projects/kiosk/secrets/llm"),
    async prepare(home) {
      const [token, credentials] = [path.join(home, "token"), path.join(home, "credentials.json")];
      await writeFile(token, "token");
      const federation = {
        type: "external_account",
        audience:
          "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/gitlab",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: "https://sts.googleapis.com/v1/token",
        credential_source: { file: token },
      };
      await writeFile(credentials, JSON.stringify(federation));
      return { GOOGLE_APPLICATION_CREDENTIALS: credentials, METADATA_SERVER_DETECTION: "none" };
    },
    host: "sts.googleapis.com",
  },
  Vault: {
    yaml: withSecret("!vault kv/llm#api_key"),
    variables: { VAULT_ADDR: "https://vault.test", VAULT_TOKEN: "token" },
    host: "vault.test",
  },
  "a server from a program of !exec": {
    yaml: withSecret('!exec [git, ls-remote, "https://program.test/a.git"]'),
    host: "program.test",
  },
  "a webhook": {
    yaml: `notify: [{ url: !env HOOK }]\n${desk}`,
    variables: { HOOK: "https://hooks.slack.com/services/T0/B0/kanarie" },
    host: "hooks.slack.com",
  },
};

/** Writes the AWS profile `office` with a cached token that expires after the given time. */
async function logInWithSso(home: string, lastsMs: number): Promise<Variables> {
  const config = path.join(home, "config");
  const cache = path.join(home, ".aws/sso/cache");
  await writeFile(
    config,
    `[profile office]
sso_session = office
sso_account_id = 123456789012
sso_role_name = deploy
[sso-session office]
sso_start_url = https://office.awsapps.com/start
sso_region = eu-central-1
`,
  );
  await mkdir(cache, { recursive: true });
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const login = {
    ...{ accessToken: "token", expiresAt: new Date(Date.now() + lastsMs).toISOString() },
    ...{ refreshToken: "token", clientId: "id", clientSecret: "secret", registrationExpiresAt: inAnHour },
  };
  const name = `${createHash("sha1").update("office").digest("hex")}.json`;
  await writeFile(path.join(cache, name), JSON.stringify(login));
  return { HOME: home, AWS_CONFIG_FILE: config, AWS_PROFILE: "office" };
}

/** Overrides the machine's environment variables that would select another login. */
const cleared = {
  ...{ AWS_PROFILE: undefined, AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined },
  ...{ AWS_REGION: undefined, AWS_ENDPOINT_URL: undefined, AWS_EC2_METADATA_DISABLED: "true" },
};

test.each(Object.entries(connections))("connects to %s through the proxy", async (_, connection) => {
  const { yaml = desk, variables, prepare, host } = connection;
  await using proxy = await startProxy({ tunnelPort: 1 });
  onTestFinished(setVariables({ ...cleared, ...(await prepare?.(await newFolder())) }));
  const project = await startProject({ files: { "avatarops.yaml": yaml } });
  git(project.folder, "init", "--quiet");
  git(project.folder, "remote", "add", "origin", "https://git.test/acme/avatars.git");
  const ran = await project.avataropsWith(
    { environment: { HTTPS_PROXY: proxy.url, ...variables } },
    "apply",
    "-y",
  );
  expect(proxy.received, ran.stderr).toContain(`CONNECT ${host}:443`);
});

test("connects to a code host through the proxy", async () => {
  await using proxy = await startProxy({ tunnelPort: 1 });
  const change = await startChange("github");
  await change.review({ GITHUB_API_URL: "https://api.github.test", HTTPS_PROXY: proxy.url });
  expect(proxy.received).toContain("CONNECT api.github.test:443");
});
