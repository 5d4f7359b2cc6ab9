// @module-tag ci
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parser } from "keep-a-changelog";
import { describe, expect, test } from "vitest";
import { parseDocuments, pipelineFiles } from "../../scripts/pipelines/files.js";
import { findPins, listPinnedFiles, writePins } from "../../scripts/pipelines/pins.js";

/* Checks the guarantees of pipeline files. `npm run lint:pipelines` checks their syntax. */

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
/** Returns a job's scripts and action inputs. */
const listSteps = ({ steps = [] }: Job) =>
  steps.map((step) => `${step.run ?? ""} ${Object.values(step.with ?? {})}`).join("\n");
const listJobs = (file: string) =>
  Object.entries((parseDocuments(file)[0] as { jobs: Record<string, Job> }).jobs);

describe("pipeline files", () => {
  test.each(all)("pass untrusted text to scripts in variables, never in expressions: %s", (file) => {
    expect(listValues("run", parseDocuments(file)).filter((script) => script.includes("${{"))).toEqual([]);
  });

  test("are searched for scripts at any depth", () => {
    expect(listValues("run", parseDocuments("action.yml"))).toHaveLength(3);
    const { jobs } = parseDocuments("examples/ci/forgejo/single/avatars-scheduled.yml")[0] as {
      jobs: unknown;
    };
    expect(listValues("run", jobs)).toHaveLength(2);
  });

  const installing = [...examples, ...pipelineFiles["gitlab-ci"]].filter((file) =>
    readFileSync(file, "utf8").includes("AVATAROPS_VERSION: "),
  );

  test.each(["action.yml", ...installing])(
    "name the repository in every git command, and disable scripts when installing packages: %s",
    (file) => {
      const text = readFileSync(file, "utf8").replaceAll(/\\\n\s*/g, "");
      const [before, after] = text.split(fetchOfCommit);
      const calls = Array.from(
        `${before}${after ?? ""}`.matchAll(/(?<![\w.#] |[\w-])\bgit (?!http)[^\n;]*/g),
        ([call]) => call,
      );
      expect(calls.length > 0).toBe(text.includes("--untrusted"));
      const named =
        /^git --git-dir="\$(?:root|GITHUB_WORKSPACE|CI_PROJECT_DIR)\/\.git" -c safe\.bareRepository=explicit /;
      expect(calls.filter((call) => !named.test(call))).toEqual([]);
      const installs = Array.from(text.matchAll(/npm (?:install|ci) [^\n]*/g), ([line]) => line);
      expect(installs).not.toEqual([]);
      expect(installs.filter((line) => !/^npm (?:install|ci) --ignore-scripts /.test(line))).toEqual([]);
    },
  );

  test("build a commit with the same commands on every host", () => {
    const builds = installing.map((file) => {
      const [, build = ""] =
        /^( *package=avatarops@[\s\S]*?\n *fi\n)/m.exec(readFileSync(file, "utf8")) ?? [];
      return build.replaceAll(/^ +/gm, "");
    });
    expect(builds).toHaveLength(11);
    expect(builds[0]).toMatch(fetchOfCommit);
    expect(builds).toEqual(builds.map(() => builds[0]));
  });

  test.each(all)("pin every action to a commit: %s", (file) => {
    const text = readFileSync(file, "utf8");
    const uses = Array.from(text.matchAll(/^ *(?:- )?uses: (.*)$/gm), ([, action]) => action ?? "");
    expect(uses).not.toEqual([]);
    const pinned = /^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    const ours = /^avatarops\/avatarops@[0-9a-f]{40}( # v\d+\.\d+\.\d+)?$/;
    expect(uses.filter((one) => !pinned.test(one) && !ours.test(one))).toEqual([]);
  });

  test.each(examples)("grant read access by default and give a reason for write access: %s", (file) => {
    expect(parseDocuments(file)[0]).toMatchObject({ permissions: { contents: "read" } });
    const text = readFileSync(file, "utf8");
    const written = Array.from(text.matchAll(/^ +[\w-]+: write(.*)$/gm), ([, reason]) => reason);
    expect(written.filter((reason) => !reason?.startsWith(" # "))).toEqual([]);
  });

  // Gitea and Forgejo do not support `queue`. There, the state lock orders the applies.
  test.each(["github/team", "github/projects", "forgejo/single", "forgejo/team", "forgejo/projects"])(
    "queue waiting applies instead of canceling them in %s",
    (folder) => {
      const jobs = examples.filter((file) => file.includes(`/${folder}/`)).flatMap(listJobs);
      const applying = jobs.filter(([name]) => name.startsWith("apply"));
      expect(applying).not.toEqual([]);
      const expected = folder.startsWith("forgejo") ? undefined : expect.objectContaining({ queue: "max" });
      for (const [name, { concurrency }] of applying) expect(concurrency, name).toEqual(expected);
      const groups = jobs.flatMap(([, { concurrency }]) => concurrency?.group ?? []);
      expect(groups.filter((group) => !group.startsWith("avatars-"))).toEqual([]);
      expect(new Set(groups).size).toBe(groups.length);
    },
  );

  // Gitea enters a job's concurrency group before evaluating its `if`, and shows each omitted job as a skipped check.
  test.each(examples)("run every job of %s on every trigger", (file) => {
    const { on } = parseDocuments(file)[0] as { on: Readonly<Record<string, unknown>> };
    for (const [name, job] of listJobs(file))
      for (const event of Object.keys(on)) expect(canRunOn(event, job.if), `${name} on ${event}`).toBe(true);
  });

  test("are checked by evaluating each job's condition for every event", () => {
    const condition =
      "${{ !cancelled() && (github.event_name == 'push' || (github.event_name == 'workflow_dispatch' && inputs.digest != '')) }}";
    expect(["push", "workflow_dispatch", "pull_request"].map((event) => canRunOn(event, condition))).toEqual([
      ...[true, true, false],
    ]);
  });

  // Gitea starts every job of an approved run, regardless of `needs`.
  test.each(examples)("restrict every apply job of %s to named events", (file) => {
    const applying = listJobs(file).filter(([, job]) =>
      /\bapply\b|\bdeploy\b|rotations/.test(listSteps(job)),
    );
    for (const [name, job] of applying) {
      const events = String(job.if ?? "").split("||");
      for (const event of events)
        expect(event, `${name} of ${file}`).toMatch(
          /github\.event_name == '(?:push|schedule|workflow_dispatch)'/,
        );
    }
  });

  test.each(pipelineFiles["gitlab-ci"])(
    "restrict every GitLab apply job of %s to named pipeline sources",
    (file) => {
      const jobs = Object.entries(parseDocuments(file).at(-1) as Record<string, GitlabJob>);
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
    },
  );

  test("apply to production only after staging", () => {
    const { apply } = Object.fromEntries(listJobs("examples/ci/github/team/avatars-apply.yml"));
    expect(apply?.strategy).toMatchObject({ "fail-fast": true, "max-parallel": 1 });
  });

  const pins = listPinnedFiles().flatMap((file) => findPins(readFileSync(file, "utf8")));
  const git = (...argv: string[]) => spawnSync("git", argv, { encoding: "utf8" });

  const isCommit = (pin: string) => /^[0-9a-f]{40}$/.test(pin);

  test("install the same commit or version everywhere", () => {
    const files = listPinnedFiles().filter((file) => findPins(readFileSync(file, "utf8")).length > 0);
    const expected = ["docs/commands.md", "examples/ci/gitlab/.gitlab-ci.yml", "templates/avatarops.yml"];
    expect(files).toEqual(expect.arrayContaining([...expected, ...installing]));
    const commits = new Set(pins.map(({ pin }) => pin).filter(isCommit));
    const versions = new Set(pins.flatMap(({ pin, version = pin }) => (isCommit(version) ? [] : [version])));
    expect([...commits]).toHaveLength(1);
    expect(versions.size).toBeLessThanOrEqual(1);
  });

  test("install a released version or a commit from this repository", ({ skip }) => {
    const released = parser(readFileSync("CHANGELOG.md", "utf8")).releases.map(({ version }) => version);
    for (const { pin, version = pin } of pins) {
      if (!isCommit(version)) expect(released).toContain(version);
      if (!isCommit(pin) || git("merge-base", "--is-ancestor", pin, "HEAD").status === 0) continue;
      const isShallow = git("rev-parse", "--is-shallow-repository").stdout.trim() !== "false";
      skip(isShallow, "This clone lacks the history: `git fetch --unshallow`.");
      expect.fail(`${pin} is not a commit of this branch.`);
    }
  });

  test("are pinned to a release's commit and version", () => {
    const commit = "a".repeat(40);
    const uses = `uses: avatarops/avatarops@${"b".repeat(40)}\n`;
    const released = writePins(`${uses}AVATAROPS_VERSION: 1.2.2 # a version\n`, commit, "1.2.3");
    expect(released).toBe(
      `uses: avatarops/avatarops@${commit} # v1.2.3\nAVATAROPS_VERSION: 1.2.3 # a version\n`,
    );
    expect(writePins(released, "c".repeat(40))).toBe(
      `uses: avatarops/avatarops@${"c".repeat(40)}\nAVATAROPS_VERSION: ${"c".repeat(40)} # a version\n`,
    );
  });
});

/** Matches a script that fetches an avatarops commit into a separate folder. */
const fetchOfCommit =
  /git init --quiet source\n *cd source\n *git fetch --quiet --depth=1 https:\/\/github\.com\/avatarops\/avatarops\.git "\$AVATAROPS_VERSION"\n *git checkout --quiet FETCH_HEAD\n/;

/** Whether a job's `if` allows an event, assuming its other conditions are true. */
function canRunOn(event: string, condition = "true"): boolean {
  const operand = String.raw`(?:[\w.-]+(?:\([^()]*\))?|'[^']*')`;
  const logic = condition
    .replaceAll(/^\$\{\{|\}\}$/g, "")
    .replaceAll("!cancelled()", "true")
    .replaceAll(/github\.event_name == '(\w+)'/g, (_, named) => String(named === event))
    .replaceAll(new RegExp(`${operand} [!=]= ${operand}`, "g"), "true");
  if (!/^(?:true|false|[\s()&|])+$/.test(logic)) throw new Error(`Unknown condition: ${logic}`);
  return new Function(`return ${logic}`)() as boolean;
}

/** Returns all strings under a key, at any depth in a document. */
function listValues(key: string, node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === key && typeof value === "string" ? [value] : listValues(key, value),
  );
}
