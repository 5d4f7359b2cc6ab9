/**
 * What holds for every kind of source, tried through the command against the emulator. A source enters it with a
 * harness: how its vault is started, how a value gets into it, and how it goes wrong. A canary is looked for in all that
 * a run leaves behind, also where the source fails.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { camelCase, snakeCase } from "../../../src/manifest/index.js";
import { type Project, type Ran, type Setting, startProject } from "../../cli/hosting.js";
import { encodingsOf } from "../../failures/encodings.js";
import { execute } from "../../installing.js";

/** How a source goes wrong; the name says what it answers from then on. */
export type Failure =
  /** 401, or what says that there is no login. */
  | "unauthorized"
  /** 403: a login without the right to read. */
  | "forbidden"
  /** There is no such secret. */
  | "missing"
  /** 500, twice, and then as it should. */
  | "recovering"
  /** 503 every time. */
  | "unavailable"
  /** A page of HTML with status 200, the value within. */
  | "html"
  /** The beginning of the right answer, the value within. */
  | "cut"
  /** More than 10 MB, the value within. */
  | "huge"
  /** The right answer, but not within 200 ms. */
  | "slow"
  /** A value of white space only. */
  | "empty";

/** A vault that has been started for one test. */
export interface StartedSource {
  /** What the job has in its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Files of the project, such as a certificate. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that the manifest includes. */
  readonly include?: readonly string[];
  /** The secret with this name as it is written; see `written`. `timeoutSeconds` is to be among the fields. */
  written(name: string, timeoutSeconds?: number): Written;
  /** Puts a value, or replaces it. */
  put(name: string, value: string, project: Project): Promise<void> | void;
  /** How the value is answered from now on; those that the source cannot have are left out. */
  readonly failures?: {
    readonly [Of in Failure]?: (name: string, project: Project) => Promise<void> | void;
  };
  /** How often values were read since the start, if the vault can tell. */
  reads?(): number;
  /** With the power `version`. */
  readonly versions?: {
    /** How often versions were asked since the start. */
    asked(): number;
    /** From now on, reading a value is refused, and asking for its version is not. */
    refuseValues(): Promise<void> | void;
    allowValues(): Promise<void> | void;
  };
  stop?(): Promise<void> | void;
}

/** A source in both languages. */
export interface Written {
  /** After `secret_value: `. */
  readonly yaml: string;
  /** An expression. */
  readonly typescript: string;
  /** The module that its function is from. Default: avatarops. */
  readonly from?: string;
}

/** What is particular about a source. */
export interface Expected {
  readonly codes?: Codes;
  /** The optional package that it needs. */
  readonly package?: string;
}

/** The code of the problem that a failure is told with, where a source has another than most. */
type Codes = { readonly [Of in Failure]?: string };

const usualCodes: Required<Codes> = {
  unauthorized: "refused",
  forbidden: "refused",
  missing: "not-found",
  recovering: "",
  unavailable: "unreachable",
  html: "malformed",
  cut: "malformed",
  huge: "too-long",
  slow: "timed-out",
  empty: "empty",
};

/** The value that a harness is given first; what fails may answer it, too. */
export const canary = 'kanarie-57/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel';
const first = canary;
const second = 'kanarie-58/Zx+9 "quoted" \\ %Qw~ümlaut-two-vogel';
/** A key of the service consists of fewer characters. */
const serviceKey = "api/kanarie+59~Qw-vogel";

/** A source as the mapping of its fields in YAML and as the call of its function in TypeScript. */
export function written(
  kind: string,
  fields: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): Written {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const yaml = given.map(([name, value]) => `${snakeCase(name)}: ${JSON.stringify(value)}`).join(", ");
  const code = given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
  return { yaml: `!${kind} { ${yaml} }`, typescript: `${functionNamed(kind)}({ ${code} })` };
}

function functionNamed(kind: string): string {
  return camelCase(kind.replaceAll("-", "_"));
}

/** Runs the suite for one kind of source. */
export function describeSource(
  kind: string,
  start: () => Promise<StartedSource> | StartedSource,
  { codes = {}, package: needed }: Expected = {},
): void {
  const tried = async (settings: ProjectSettings = {}) => Tried.start(await start(), settings);

  describe(`the source ${kind}`, () => {
    test("gives the right value, and a second apply writes nothing", async () => {
      const on = await tried();
      await on.expectExit(0, "apply", "--auto-approve");
      expect(on.stored()).toEqual([first]);
      await on.expectExit(0, "apply", "--auto-approve");
      await on.expectNothingToDo();
      expect(on.stored()).toEqual([first]);
      await on.expectClean();
    });

    test("is asked nothing by validate, and by a plan of something else", async () => {
      const on = await tried();
      const { failures, reads, versions } = on.source;
      await failures?.unavailable?.("one", on.project);
      await on.expectExit(0, "validate");
      const { stdout } = await on.expectExit(0, "plan", "--target", "context.desk");
      expect(stdout).toContain("context.desk");
      expect([reads?.() ?? 0, versions?.asked() ?? 0]).toEqual([0, 0]);
    });

    test("is read once in a run, however many secrets need it", async () => {
      const on = await tried({ secrets: ["one", "one", "one"], fingerprintKey: "one" });
      await on.expectExit(0, "apply", "--auto-approve");
      expect(on.stored()).toEqual([first, first, first]);
      if (on.source.reads) expect(on.source.reads()).toBe(1);
    });

    test("shows a new value as superseded, and never the value", async () => {
      const on = await tried();
      await on.expectExit(0, "apply", "--auto-approve");
      await on.put("one", second);
      const { stdout } = await on.expectExit(
        2,
        "plan",
        "--detailed-exitcode",
        "--format",
        "json",
        "--out",
        "plan.json",
      );
      expect(JSON.parse(stdout)).toMatchObject({
        changes: [{ address: "secret.s0", action: "supersede", reason: "rotated" }],
      });
      await on.expectExit(0, "plan");
      await on.expectExit(0, "apply", "plan.json");
      expect(on.stored()).toEqual([first, second]);
      await on.expectNothingToDo();
      await on.expectExit(0, "history");
      await on.expectExit(0, "state", "show", "secret.s0", "--format", "json");
      await on.expectClean();
    });

    test("serves the key of the service and the key of the fingerprints", async () => {
      const on = await tried({ secrets: [], apiKey: "one", fingerprintKey: "one" });
      await on.expectExit(0, "apply", "--auto-approve");
      await on.expectNothingToDo();
      await on.expectClean();
    });

    test("means the same in YAML and in TypeScript", async () => {
      const on = await tried();
      await on.expectExit(0, "apply", "--auto-approve");
      await on.writeTypeScript();
      await on.expectExit(0, "plan", "-f", "main.ts", "--detailed-exitcode");
      await on.expectClean();
    });

    test("is not used for an untrusted change", async () => {
      const on = await tried();
      const { stdout } = await on.run("plan", "--untrusted", "--format", "json");
      expect(stdout).not.toContain(first);
      expect(on.source.reads?.() ?? 0).toBe(0);
    });

    for (const failure of Object.keys(usualCodes) as Failure[]) {
      test(`that is ${failure} is told, and shows nothing of the value`, async (context) => {
        const source = await start();
        const fail = source.failures?.[failure];
        if (!fail) {
          await source.stop?.();
          return context.skip();
        }
        const timeoutSeconds = failure === "slow" ? 0.2 : undefined;
        const on = await Tried.start(source, timeoutSeconds === undefined ? {} : { timeoutSeconds });
        await fail("one", on.project);
        if (failure === "recovering") {
          await on.expectExit(0, "apply", "--auto-approve");
          expect(on.stored()).toEqual([first]);
        } else {
          await on.expectExit(0, "plan");
          const { stdout } = await on.expectExit(3, "apply", "--auto-approve", "--format", "json");
          const { results } = JSON.parse(stdout) as {
            results: { address: string; problem?: { code: string } }[];
          };
          const ofSecret = results.find(({ address }) => address === "secret.s0");
          expect(ofSecret).toMatchObject({ problem: { code: codes[failure] ?? usualCodes[failure] } });
          await on.expectExit(1, "apply", "--auto-approve");
          expect(on.stored()).toEqual([]);
        }
        await on.expectExit(0, "history");
        await on.expectClean();
      });
    }

    test.skipIf(needed === undefined)("says how to install the package that it needs", async () => {
      const on = await tried();
      const { exit, stdout, stderr } = await on.runWithout(needed ?? "", "apply", "--auto-approve");
      expect(exit).not.toBe(0);
      expect((stdout + stderr).replace(/\s+/g, " ")).toContain(`npm install ${needed}`);
    });

    test("whose version is unchanged is not read for a plan, and a plan needs no right to read values", async (context) => {
      const source = await start();
      if (!source.versions) {
        await source.stop?.();
        return context.skip();
      }
      const on = await Tried.start(source);
      await on.expectExit(0, "apply", "--auto-approve");
      const read = source.reads?.();
      await source.versions.refuseValues();
      await on.expectExit(0, "plan", "--detailed-exitcode");
      await on.put("one", second);
      const { stdout } = await on.expectExit(2, "plan", "--detailed-exitcode", "--out", "plan.json");
      expect(stdout).toMatch(/version \S+ →\s+\S+/);
      expect(source.reads?.()).toBe(read);
      await source.versions.allowValues();
      await on.expectExit(0, "apply", "plan.json");
      expect(on.stored()).toEqual([first, second]);
      await source.versions.refuseValues();
      await on.expectNothingToDo();
      await on.expectClean();
    });
  });
}

/** How the project of a test is made. */
interface ProjectSettings {
  /** The names of the values of its secrets. */
  readonly secrets?: readonly string[];
  /** The name of the value that is the key of the service. */
  readonly apiKey?: string;
  readonly fingerprintKey?: string;
  readonly timeoutSeconds?: number;
}

/** A project with the source, and everything that its runs leave behind. */
class Tried {
  readonly source: StartedSource;
  readonly project: Project;
  readonly #settings: ProjectSettings;
  readonly #texts = new Map<string, string>();

  constructor(source: StartedSource, project: Project, settings: ProjectSettings) {
    this.source = source;
    this.project = project;
    this.#settings = settings;
  }

  static async start(source: StartedSource, settings: ProjectSettings = {}): Promise<Tried> {
    onTestFinished(async () => source.stop?.());
    const { secrets = ["one"], apiKey, fingerprintKey, timeoutSeconds } = settings;
    const yaml = (name: string) => source.written(name, timeoutSeconds).yaml;
    const manifest = [
      ...(source.include ? [`include: ${JSON.stringify(source.include)}`] : []),
      ...(apiKey === undefined ? [] : [`service: { api_key: ${yaml(apiKey)} }`]),
      ...(fingerprintKey === undefined ? [] : [`fingerprint_key: ${yaml(fingerprintKey)}`]),
      "contexts: { desk: { name: Desk, prompt: Be kind. } }",
      ...secrets.map((name, i) => {
        const fields = `secret_name: s${i}, secret_type: LLMPROVIDER_API_KEY, secret_value: ${yaml(name)}`;
        return `${i === 0 ? "secrets:\n" : ""}  s${i}: { ${fields} }`;
      }),
    ];
    const project = await startProject({
      files: { ...source.files, "avatarops.yaml": `${manifest.join("\n")}\n` },
      ...(apiKey === undefined ? {} : { emulator: { apiKey: serviceKey } }),
      ...(source.environment ? { environment: source.environment } : {}),
    });
    const on = new Tried(source, project, settings);
    await on.put("one", apiKey === undefined ? first : serviceKey);
    return on;
  }

  async put(name: string, value: string): Promise<void> {
    await this.source.put(name, value, this.project);
  }

  async writeTypeScript(): Promise<void> {
    const { typescript, from = "avatarops" } = this.source.written("one", this.#settings.timeoutSeconds);
    const [call = ""] = /^\w+/.exec(typescript) ?? [];
    const code = `import { Context, Project, Secret } from "avatarops";
import { ${call} } from ${JSON.stringify(from)};
const project = new Project();
new Context(project, "desk", { name: "Desk", prompt: "Be kind." });
new Secret(project, "s0", { secretName: "s0", secretType: "LLMPROVIDER_API_KEY", secretValue: ${typescript} });
export default project;
`;
    await this.project.write("main.ts", code);
  }

  /** Runs a command, and keeps all it printed and every file there is after it. */
  async run(...argv: string[]): Promise<Ran> {
    const setting: Setting = this.source.environment ? { environment: this.source.environment } : {};
    const ran = await this.project.avataropsWith(setting, ...argv);
    const line = `${this.#texts.size}: avatarops ${argv.join(" ")}`;
    this.#texts.set(line, ran.stdout + ran.stderr);
    for (const entry of await readdir(this.project.folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (!entry.isFile() || entry.name.endsWith(".secret")) continue;
      this.#texts.set(`${file} after ${line}`, await readFile(file, "utf8"));
    }
    return ran;
  }

  /** Runs the built command as if a package were not installed. */
  async runWithout(missing: string, ...argv: string[]): Promise<Ran> {
    const environment = {
      AVATAROPS_BASE_URL: this.project.emulator.url,
      AVATAROPS_API_KEY: "test-key",
      ...this.source.environment,
      MISSING_PACKAGE: missing,
    };
    const hook = new URL("./without-package.mjs", import.meta.url).href;
    const main = path.resolve("dist/cli/main.js");
    const { exit, ...streams } = await execute(process.execPath, ["--import", hook, main, ...argv], {
      cwd: this.project.folder,
      env: environment,
    });
    return { exit: exit as Ran["exit"], ...streams };
  }

  async expectExit(exit: number, ...argv: string[]): Promise<Ran> {
    const ran = await this.run(...argv);
    expect(ran, `${argv.join(" ")}\n${ran.stdout}\n${ran.stderr}`).toMatchObject({ exit });
    return ran;
  }

  /** Fails unless a plan finds nothing to do, and knows that the values are the same. */
  async expectNothingToDo(): Promise<void> {
    const { stdout, stderr } = await this.expectExit(0, "plan", "--detailed-exitcode");
    expect(stdout + stderr).not.toContain("unknown");
  }

  /** The values that the account has, in the order of their making. */
  stored(): (string | undefined)[] {
    const { world, secretValue } = this.project.emulator;
    return world.secrets.map(({ id }) => secretValue(id));
  }

  /** Fails if any form of a value is in anything that was left behind. */
  async expectClean(): Promise<void> {
    const leaks = [...this.#texts].flatMap(([where, text]) =>
      [first, second, serviceKey].flatMap((value) =>
        Object.entries(encodingsOf(value)).flatMap(([encoding, form]) =>
          text.includes(form) ? [`${encoding} in ${where}`] : [],
        ),
      ),
    );
    expect(leaks).toEqual([]);
  }
}
