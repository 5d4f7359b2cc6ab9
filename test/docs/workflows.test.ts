import { readdirSync, readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

/* Checks the content of GitHub workflows. GitHub checks the syntax. */

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
const readWorkflowText = (name: string) => readFileSync(`.github/workflows/${name}`, "utf8");
const readWorkflow = (name: string) => parse(readWorkflowText(name)) as Workflow;

describe("GitHub workflows", () => {
  test.each(names)("pin every action to a commit and name its version in %s", (name) => {
    const uses = Array.from(readWorkflowText(name).matchAll(/uses: (.*)$/gm), ([, action]) => action);
    expect(uses).not.toEqual([]);
    expect(
      uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? "")),
    ).toEqual([]);
  });

  test.each(names)("pin every image to a digest in %s", (name) => {
    const images = Object.values(readWorkflow(name).jobs).flatMap(({ container }) => container ?? []);
    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
  });

  test.each(names)("grant only read access by default in %s", (name) => {
    expect(readWorkflow(name).permissions).toEqual({ contents: "read" });
  });

  test("give no secrets to pull request jobs", () => {
    const { jobs } = readWorkflow("ci.yml");
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(commands).toEqual([".ci/run", "npm ci", "npm test", "npm ci", "npm run lint:pipelines"]);
    expect(readWorkflowText("ci.yml")).not.toMatch(/secrets|_target/);
  });

  test("grant a release's OIDC identity and write permissions only to the jobs that need them", () => {
    const { jobs } = readWorkflow("release.yml");
    expect(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]))).toEqual({
      check: undefined,
      npm: { contents: "read", "id-token": "write" },
      // Commits the new version in the examples.
      pin: { contents: "write" },
      image: { contents: "read", packages: "write" },
      terraform: { contents: "write", "id-token": "write", attestations: "write" },
    });
    const npm = jobs.npm?.steps.map(({ run }) => run).join("\n");
    expect(npm).toContain("npm publish --provenance");
  });
});

const examples = globSync("examples/ci/{github,forgejo}/{projects,single,team}/*.yml").toSorted();

test.each(examples)("passes NOTIFY_URL to each job that sends notices in %s", (file) => {
  interface Step {
    readonly env?: Readonly<Record<string, string>>;
    readonly with?: { readonly mode?: string };
    readonly run?: string;
  }
  const { jobs } = parse(readFileSync(file, "utf8")) as {
    jobs: Record<string, { readonly steps: readonly Step[] }>;
  };
  const notifyingCommands = /\bavatarops"? (?:apply|drift|rollback)\b/;
  const notifying = Object.entries(jobs).flatMap(([name, { steps }]) =>
    steps.flatMap(({ env = {}, with: { mode = "" } = {}, run = "" }) =>
      /^(?:apply|drift|rotations|comment)$/.test(mode) || notifyingCommands.test(run)
        ? [[name, env.NOTIFY_URL]]
        : [],
    ),
  );
  expect(notifying).toEqual(notifying.map(([name]) => [name, "${{ secrets.NOTIFY_URL }}"]));
});
