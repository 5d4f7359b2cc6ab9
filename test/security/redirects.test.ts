// @module-tag night
/** Servers that lead elsewhere: what was sent to the first one is not sent to the next. */
import { expect, onTestFinished, test } from "vitest";
import { startProject } from "../cli/hosting.js";
import { serve } from "../listening.js";
import { whileSet } from "../secrets/environment.js";
import { startAzure } from "../secrets/stand-ins/azure.js";
import { startGoogle } from "../secrets/stand-ins/google.js";
import { canary, shown, startThief, withSource } from "./thief.js";

interface Redirecting {
  readonly source: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What it was asked, as JSON. */
  heard(): string;
}

type Start = (status: number, to: string) => Promise<Redirecting>;

/** A server at the address that `source` or `environment` names. */
const at =
  (source: (url: string) => string, environment: (url: string) => Readonly<Record<string, string>>): Start =>
  async (status, to) => {
    const heard: string[] = [];
    const { url, close } = await serve((request, response) => {
      heard.push(JSON.stringify([request.url, request.headers]));
      response.writeHead(status, { location: `${to}${request.url}` }).end("{}");
    });
    onTestFinished(close);
    return { source: source(url), environment: environment(url), heard: () => heard.join("\n") };
  };

const aws = (url: string) => ({
  AWS_ENDPOINT_URL: url,
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: canary,
  AWS_SECRET_ACCESS_KEY: "secret",
});

const sources: readonly (readonly [name: string, start: Start])[] = [
  [
    "vault",
    at(
      (url) => `!vault { path: kv/llm, field: key, address: "${url}" }`,
      () => ({ VAULT_TOKEN: canary }),
    ),
  ],
  [
    "vault, by a login",
    at(
      (url) => `!vault { path: kv/llm, field: key, address: "${url}", auth: approle, role_id: x }`,
      () => ({ VAULT_SECRET_ID: canary }),
    ),
  ],
  ["aws-ssm", at(() => "!aws-ssm /llm", aws)],
  ["aws-secrets-manager", at(() => "!aws-secrets-manager llm", aws)],
  [
    "azure-key-vault",
    async (status, to) => {
      const azure = await startAzure();
      onTestFinished(() => azure.close());
      azure.fault = { status, headers: { location: `${to}/secrets/llm` } };
      const source = `!azure-key-vault { url: "${azure.url}", secret: llm }`;
      return { source, environment: azure.environment, heard: () => azure.requests.join("\n") };
    },
  ],
  [
    "google-secret-manager",
    async (status, to) => {
      const google = await startGoogle();
      onTestFinished(() => google.close());
      google.fault = { status, headers: { location: `${to}/v1/projects/p` } };
      const source = `!google-secret-manager { secret: projects/p/secrets/llm, endpoint: "${google.url}" }`;
      return { source, environment: google.environment, heard: () => google.requests.join("\n") };
    },
  ],
];

test.each(sources)(
  "a server that a login or token is for cannot lead it to another one: %s",
  async (_, start) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const thief = await startThief();
      const { source, environment, heard } = await start(status, thief.url);
      const restore = whileSet(environment);
      try {
        const project = await startProject({
          files: { "avatarops.yaml": withSource(source) },
          environment: { PATH: process.env.PATH ?? "", HOME: "/nowhere", ...environment },
        });
        const applied = await project.avatarops("apply", "-y");
        expect(applied.exit, shown(applied)).not.toBe(0);
        expect(heard()).not.toBe("");
        expect(thief.heard()).toBe("");
        expect(shown(applied)).not.toContain(canary);
      } finally {
        restore();
      }
    }
  },
);
