// @module-tag ci
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import ownPackage from "../../package.json" with { type: "json" };
import { documentsOf, pipelineFiles } from "../../scripts/pipelines/files.js";

/* What anybody may rely on in the files that pipelines are made of. `npm run lint:pipelines` checks their syntax. */

const examples = pipelineFiles["github-workflows"].filter((file) => file.startsWith("examples/"));
const all = [...pipelineFiles["github-actions"], ...examples];

interface Job {
  readonly concurrency?: { readonly group: string; readonly queue?: "max" };
  readonly strategy?: object;
  readonly if?: string;
  readonly steps?: readonly { readonly run?: string; readonly with?: object }[];
}
interface GitlabJob {
  readonly script?: string | readonly string[];
  readonly rules?: readonly { readonly if?: string }[];
}
/** What a job runs, and what it tells actions to do. */
const stepsOf = ({ steps = [] }: Job) =>
  steps.map((step) => `${step.run ?? ""} ${Object.values(step.with ?? {})}`).join("\n");
const jobsOf = (file: string) => Object.entries((documentsOf(file)[0] as { jobs: Record<string, Job> }).jobs);

describe("what runs on code hosts", () => {
  test.each(all)("%s puts no expression into a script: untrusted text arrives in variables", (file) => {
    expect(valuesOf("run", documentsOf(file)).filter((script) => script.includes("${{"))).toEqual([]);
  });

  test("the search for scripts finds them at any depth", () => {
    expect(valuesOf("run", documentsOf("action.yml"))).toHaveLength(2);
    const { jobs } = documentsOf("examples/ci/forgejo/avatarops.yml")[0] as { jobs: unknown };
    expect(valuesOf("run", jobs)).toHaveLength(4);
  });

  test.each(["action.yml", "examples/ci/forgejo/avatarops.yml", "templates/avatarops.yml"])(
    "%s runs git only on the checkout, and installs only avatarops",
    (file) => {
      const text = readFileSync(file, "utf8").replaceAll(/\\\n\s*/g, "");
      const calls = Array.from(text.matchAll(/(?<![\w.#] |[\w-])\bgit (?!http)[^\n;]*/g), ([call]) => call);
      expect(calls).not.toEqual([]);
      const named =
        /^git --git-dir="\$(?:root|GITHUB_WORKSPACE|CI_PROJECT_DIR)\/\.git" -c safe\.bareRepository=explicit /;
      expect(calls.filter((call) => !named.test(call))).toEqual([]);
      const installs = Array.from(text.matchAll(/npm (?:install|ci) [^\n]*/g), ([line]) => line);
      expect(installs).not.toEqual([]);
      expect(installs.filter((line) => !/^npm install .*--ignore-scripts/.test(line))).toEqual([]);
    },
  );

  test.each(all)("%s pins other people's actions to a commit, and ours to this version", (file) => {
    const text = readFileSync(file, "utf8");
    const uses = Array.from(text.matchAll(/^ *(?:- )?uses: (.*)$/gm), ([, action]) => action ?? "");
    expect(uses).not.toEqual([]);
    const pinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    const ours = `avatarops/avatarops@v${ownPackage.version}`;
    expect(uses.filter((one) => !pinned.test(one) && one !== ours)).toEqual([]);
  });

  test.each(examples)("%s has read permission only, but for jobs that declare what they write", (file) => {
    expect(documentsOf(file)[0]).toMatchObject({ permissions: { contents: "read" } });
    const text = readFileSync(file, "utf8");
    const written = Array.from(text.matchAll(/^ +[\w-]+: write(.*)$/gm), ([, reason]) => reason);
    expect(written.filter((reason) => !reason?.startsWith(" # "))).toEqual([]);
  });

  // On Gitea and Forgejo, which know no `queue`, the lock of the state orders the applies.
  test.each(examples.filter((file) => !file.endsWith("team.yml") && !file.endsWith("cdktn.yml")))(
    "%s replaces no apply that waits",
    (file) => {
      const jobs = jobsOf(file);
      const applying = jobs.filter(([name]) => /apply|deploy/.test(name));
      expect(applying).toHaveLength(1);
      const expected = file.includes("forgejo") ? undefined : expect.objectContaining({ queue: "max" });
      expect(applying[0]?.[1].concurrency).toEqual(expected);
      const groups = jobs.flatMap(([, { concurrency }]) => concurrency?.group ?? []);
      expect(groups.filter((group) => !group.startsWith("avatars-"))).toEqual([]);
      expect(new Set(groups).size).toBe(groups.length);
    },
  );

  // Gitea starts every job of a run that was approved, whatever it needs.
  test.each(examples)("names the event in every job of %s that applies", (file) => {
    const applying = jobsOf(file).filter(([, job]) => /\bapply\b|\bdeploy\b|rotations/.test(stepsOf(job)));
    expect(applying.length).toBeGreaterThan(0);
    for (const [name, job] of applying) {
      const events = String(job.if ?? "").split("||");
      for (const event of events)
        expect(event, `${name} of ${file}`).toMatch(
          /github\.event_name == '(?:push|schedule|workflow_dispatch)'/,
        );
    }
  });

  test.each(pipelineFiles["gitlab-ci"])("names the event in every job of %s that applies", (file) => {
    const jobs = Object.entries(documentsOf(file).at(-1) as Record<string, GitlabJob>);
    const applying = jobs.filter(([, { script }]) =>
      /avatarops apply|deploy/.test([script].flat().join("\n")),
    );
    for (const [name, { rules = [] }] of applying) {
      expect(rules, `${name} of ${file}`).not.toEqual([]);
      for (const rule of rules)
        expect(rule.if, `${name} of ${file}`).toMatch(
          /^\$CI_PIPELINE_SOURCE == "(?:schedule"|(?:push|web|parent_pipeline)" && \$CI_COMMIT_BRANCH == \$CI_DEFAULT_BRANCH)/,
        );
    }
  });

  test("what fails in staging does not come to production", () => {
    const { apply } = Object.fromEntries(jobsOf("examples/ci/github/avatarops.yml"));
    expect(apply?.strategy).toMatchObject({ "fail-fast": true, "max-parallel": 1 });
  });

  test("the versions in GitLab's files and Forgejo's workflow are that of the package", () => {
    const { spec } = documentsOf("templates/avatarops.yml")[0] as { spec: { inputs: { version: unknown } } };
    expect(spec.inputs.version).toMatchObject({ default: ownPackage.version });
    const { include } = parse(readFileSync("examples/ci/gitlab/.gitlab-ci.yml", "utf8"));
    for (const { component } of include) expect(component).toMatch(new RegExp(`@${ownPackage.version}$`));
    expect(documentsOf("examples/ci/forgejo/avatarops.yml")[0]).toMatchObject({
      env: { AVATAROPS_VERSION: ownPackage.version },
    });
  });
});

/** The texts under a key, anywhere in a document. */
function valuesOf(key: string, node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === key && typeof value === "string" ? [value] : valuesOf(key, value),
  );
}
