import { expect, onTestFinished } from "vitest";
import { findBuilt } from "../../built.js";
import { type Project, type Ran, startProject } from "../../cli/hosting.js";
import { Traces } from "../../failures/traces.js";
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
  /** A redirect to another server, which is to learn nothing of the login and the token. */
  | "redirecting"
  /** A page of HTML with status 200, the value within. */
  | "html"
  /** The beginning of the right answer, the value within. */
  | "cut"
  /** More than 10 MB, the value within. */
  | "huge"
  /** The right answer, but not within 200 ms. */
  | "slow"
  /** The right answer, and blanks after it without end. */
  | "endless"
  /** A value of white space only. */
  | "empty";

/** A vault that has been started for one test. */
export interface StartedSource {
  /** What the job has in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files of the project, such as a certificate. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that the manifest includes. */
  readonly include?: readonly string[];
  /** The secret with this name as it is written; see `written`. `timeoutSeconds` is to be among the fields. */
  written(name: string, timeoutSeconds?: number): Written;
  /** Puts a value, or replaces it. */
  put(name: string, value: string, project: Project): Promise<void> | void;
  /** How the value is answered from now on; those that the source cannot have are left out. */
  readonly failures: {
    readonly [Of in Failure]?: (name: string, project: Project, elsewhere: string) => Promise<void> | void;
  };
  /** How often values were read since the start. */
  reads(): number;
  readonly versions: {
    /** How often versions were asked since the start. */
    asked(): number;
    /** From now on, reading a value is refused, and asking for its version is not. */
    refuseValues(): Promise<void> | void;
    allowValues(): Promise<void> | void;
    /** Failures of which asking for a version knows nothing. */
    readonly unseen?: readonly Failure[];
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

/** The value that a harness is given first; what fails may answer it, too. */
export const first = 'kanarie-57/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel';
export const second = 'kanarie-58/Zx+9 "quoted" \\ %Qw~ümlaut-two-vogel';
/** A key of the service consists of fewer characters. */
const serviceKey = "api/kanarie+59~Qw-vogel";

/** How the project of a test is made. */
export interface ProjectSettings {
  /** The names of the values of its secrets. */
  readonly secrets?: readonly string[];
  /** The name of the value that is the key of the service. */
  readonly apiKey?: string;
  readonly fingerprintKey?: string;
  readonly timeoutSeconds?: number;
}

/** A project with the source, and everything that its runs leave behind. */
export class Tried {
  source: StartedSource;
  readonly project: Project;
  #settings: ProjectSettings;
  readonly #traces = new Traces();
  #runs = 0;

  constructor(source: StartedSource, project: Project, settings: ProjectSettings) {
    this.source = source;
    this.project = project;
    this.#settings = settings;
  }

  static async start(source: StartedSource, settings: ProjectSettings = {}): Promise<Tried> {
    const project = await startProject(
      settings.apiKey === undefined ? {} : { emulator: { apiKey: serviceKey } },
    );
    const on = new Tried(source, project, settings);
    await on.use(source, settings);
    return on;
  }

  /** Has the project take its values from this source, until the test is over. */
  async use(source: StartedSource, settings: ProjectSettings): Promise<void> {
    onTestFinished(async () => source.stop?.());
    this.source = source;
    this.#settings = settings;
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
    const files = { ...source.files, "avatarops.yaml": `${manifest.join("\n")}\n` };
    for (const [file, text] of Object.entries(files)) await this.project.write(file, text);
    await this.put("one", apiKey === undefined ? first : serviceKey);
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
    const { environment } = this.source;
    const ran = await this.project.avataropsWith({ environment }, ...argv);
    const line = `${++this.#runs}: avatarops ${argv.join(" ")}`;
    this.#traces.keep(line, ran.stdout + ran.stderr);
    await this.#traces.keepFiles(this.project.folder, `after ${line}`);
    return ran;
  }

  /** Applies, and finds the problem of its secret. */
  async apply(): Promise<{ readonly exit: number; readonly problem: { readonly code: string } | undefined }> {
    const { exit, stdout } = await this.run("apply", "--auto-approve", "--format", "json");
    const { results } = JSON.parse(stdout) as {
      results: { address: string; problem?: { code: string } }[];
    };
    return { exit, problem: results.find(({ address }) => address === "secret.s0")?.problem };
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
    const { exit, ...streams } = await execute(process.execPath, ["--import", hook, findBuilt(), ...argv], {
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
  expectClean(): void {
    this.#traces.expectClean({ first, second, serviceKey });
  }
}
