import { expect, onTestFinished } from "vitest";
import { findBuilt } from "../../built.js";
import { type CommandResult, type Project, startProject } from "../../cli/hosting.js";
import { Traces } from "../../failures/traces.js";
import { execute } from "../../installing.js";

/** Ways in which a source can fail. */
export type Failure =
  /** Status 401, or no login. */
  | "unauthorized"
  /** Status 403 for a login without permission to read. */
  | "forbidden"
  /** The secret does not exist. */
  | "missing"
  /** Status 500 twice, then the correct response. */
  | "recovering"
  /** Status 503 every time. */
  | "unavailable"
  /** Redirect to another server, which must not receive the login or the token. */
  | "redirecting"
  /** HTML page with status 200 that contains the value. */
  | "html"
  /** Beginning of the correct response, including the value. */
  | "cut"
  /** Response of more than 10 MB, with the value. */
  | "huge"
  /** Correct response after more than 200 ms. */
  | "slow"
  /** Correct response, followed by endless spaces. */
  | "endless"
  /** Value that is only white space. */
  | "empty";

/** Vault for one test. */
export interface StartedSource {
  /** Job environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Project files, such as a certificate. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that the manifest includes. */
  readonly include?: readonly string[];
  /** Formats the source of the secret with this name. `timeoutSeconds` becomes a field of the source. */
  written(name: string, timeoutSeconds?: number): Written;
  /** Stores or replaces a value. */
  put(name: string, value: string, project: Project): Promise<void> | void;
  /** Functions that make all later reads of the value fail. Omits failures that the source cannot have. */
  readonly failures: {
    readonly [Of in Failure]?: (name: string, project: Project, elsewhere: string) => Promise<void> | void;
  };
  /** Number of value reads since the start. */
  reads(): number;
  readonly versions: {
    /** Number of version reads since the start. */
    asked(): number;
    /** Makes later reads of a value fail, while reads of its version work. */
    refuseValues(): Promise<void> | void;
    allowValues(): Promise<void> | void;
    /** Failures that do not affect version reads. */
    readonly unseen?: readonly Failure[];
  };
  stop?(): Promise<void> | void;
}

/** A source, formatted for each manifest language. */
export interface Written {
  /** Text after `secret_value: `. */
  readonly yaml: string;
  /** TypeScript expression. */
  readonly typescript: string;
  /** Module that exports the source function. Default: avatarops. */
  readonly from?: string;
}

/** First value stored in each harness. Faulty responses may also contain it. */
export const first = 'kanarie-57/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel';
export const second = 'kanarie-58/Zx+9 "quoted" \\ %Qw~ümlaut-two-vogel';
/** Contains only characters that are valid in a service key. */
const serviceKey = "api/kanarie+59~Qw-vogel";

export interface ProjectSettings {
  /** Names of the values that the project's secrets use. */
  readonly secrets?: readonly string[];
  /** Name of the value that serves as the API key. */
  readonly apiKey?: string;
  readonly fingerprintKey?: string;
  readonly timeoutSeconds?: number;
}

/** Project that uses the source. Keeps the output and files of each run, to search them for values. */
export class SourceHarness {
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

  static async start(source: StartedSource, settings: ProjectSettings = {}): Promise<SourceHarness> {
    const project = await startProject(
      settings.apiKey === undefined ? {} : { emulator: { apiKey: serviceKey } },
    );
    const on = new SourceHarness(source, project, settings);
    await on.use(source, settings);
    return on;
  }

  /** Makes the project read its values from this source until the end of the test. */
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

  /** Runs a command and records its output and all files afterward. */
  async run(...argv: string[]): Promise<CommandResult> {
    const { environment } = this.source;
    const ran = await this.project.avataropsWith({ environment }, ...argv);
    const line = `${++this.#runs}: avatarops ${argv.join(" ")}`;
    this.#traces.keep(line, ran.stdout + ran.stderr);
    await this.#traces.keepFiles(this.project.folder, `after ${line}`);
    return ran;
  }

  /** Applies the project and returns the problem of its secret. */
  async apply(): Promise<{ readonly exit: number; readonly problem: { readonly code: string } | undefined }> {
    const { exit, stdout } = await this.run("apply", "--auto-approve", "--format", "json");
    const { results } = JSON.parse(stdout) as {
      results: { address: string; problem?: { code: string } }[];
    };
    return { exit, problem: results.find(({ address }) => address === "secret.s0")?.problem };
  }

  /** Runs the built command as if a package were not installed. */
  async runWithout(missing: string, ...argv: string[]): Promise<CommandResult> {
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
    return { exit: exit as CommandResult["exit"], ...streams };
  }

  async expectExit(exit: number, ...argv: string[]): Promise<CommandResult> {
    const ran = await this.run(...argv);
    expect(ran, `${argv.join(" ")}\n${ran.stdout}\n${ran.stderr}`).toMatchObject({ exit });
    return ran;
  }

  /** Asserts that the plan is empty because the values are known to be unchanged. */
  async expectNothingToDo(): Promise<void> {
    const { stdout, stderr } = await this.expectExit(0, "plan", "--detailed-exitcode");
    expect(stdout + stderr).not.toContain("unknown");
  }

  /** Values in the account, in order of creation. */
  stored(): (string | undefined)[] {
    const { world, secretValue } = this.project.emulator;
    return world.secrets.map(({ id }) => secretValue(id));
  }

  /** Asserts that the recorded traces contain no value in any encoding. */
  expectClean(): void {
    this.#traces.expectClean({ first, second, serviceKey });
  }
}
