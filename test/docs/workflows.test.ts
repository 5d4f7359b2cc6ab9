import { readdirSync, readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

/* Checks the workflows of the code host as text. The host checks their syntax. */

interface Job {
  readonly container?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
const names = readdirSync(".github/workflows");
const textOf = (name: string) => readFileSync(`.github/workflows/${name}`, "utf8");
const workflowOf = (name: string) => parse(textOf(name)) as Workflow;

describe("workflows", () => {
  test.each(names)("%s pins every action to a commit, and names its version", (name) => {
    const uses = Array.from(textOf(name).matchAll(/uses: (.*)$/gm), ([, action]) => action);
    expect(uses).not.toEqual([]);
    expect(
      uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? "")),
    ).toEqual([]);
  });

  test.each(names)("%s pins every image to a digest", (name) => {
    const images = Object.values(workflowOf(name).jobs).flatMap(({ container }) => container ?? []);
    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
  });

  test.each(names)("%s has only read permission except for jobs that declare what they write", (name) => {
    expect(workflowOf(name).permissions).toEqual({ contents: "read" });
  });

  test("run without secrets for a pull request", () => {
    const { jobs } = workflowOf("ci.yml");
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(commands).toEqual([".ci/run", "npm ci", "npm test", "npm ci", "npm run lint:pipelines"]);
    expect(textOf("ci.yml")).not.toMatch(/secrets|_target/);
  });

  test("give OIDC identity and write permission of a release only where needed", () => {
    const { jobs } = workflowOf("release.yml");
    expect(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]))).toEqual({
      check: undefined,
      npm: { contents: "read", "id-token": "write" },
      // Commits the new version to the examples.
      pin: { contents: "write" },
      image: { contents: "read", packages: "write" },
      terraform: { contents: "write", "id-token": "write", attestations: "write" },
    });
    const npm = jobs.npm?.steps.map(({ run }) => run).join("\n");
    expect(npm).toContain("npm publish --provenance");
  });
});

const examples = globSync("examples/ci/{github,forgejo}/{projects,single,team}/*.yml").toSorted();

test.each(examples)("%s gives NOTIFY_URL to each job that sends notices", (file) => {
  interface Step {
    readonly env?: Readonly<Record<string, string>>;
    readonly with?: { readonly mode?: string };
    readonly run?: string;
  }
  const { jobs } = parse(readFileSync(file, "utf8")) as {
    jobs: Record<string, { readonly steps: readonly Step[] }>;
  };
  const tells = /\bavatarops"? (?:apply|drift|rollback)\b/;
  const telling = Object.entries(jobs).flatMap(([name, { steps }]) =>
    steps.flatMap(({ env = {}, with: { mode = "" } = {}, run = "" }) =>
      /^(?:apply|drift|rotations|comment)$/.test(mode) || tells.test(run) ? [[name, env.NOTIFY_URL]] : [],
    ),
  );
  expect(telling).toEqual(telling.map(([name]) => [name, "${{ secrets.NOTIFY_URL }}"]));
});
