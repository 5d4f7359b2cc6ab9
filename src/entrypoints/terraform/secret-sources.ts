import path from "node:path";
import type { Diagnostics } from "@avatarops/terraform-plugin";
import { allowedHosts } from "../../base/http/index.js";
import { capitalise } from "../../base/text/index.js";
import { readSourceRecord } from "../../core/manifest/index.js";
import { resolveWithVersion, SourceError, SourceRun, type ValueSource } from "../../core/secrets/index.js";
import type { ProviderEnvironment } from "./settings.js";

/**
 * The sources of one process: a login serves all values that are read with it. The package of the provider has this in a
 * file of its own, with copies of what it imports: only plain values go in and out.
 */
export class SecretSources {
  readonly #env: ProviderEnvironment;
  readonly #run = new SourceRun();

  constructor(env: ProviderEnvironment) {
    this.#env = env;
  }

  /** The source with these fields; undefined if something is wrong with them, which is reported. */
  async find(
    from: string,
    fields: object,
    { error, warning }: Diagnostics,
  ): Promise<ValueSource | undefined> {
    const { source, diagnostics } = await readSourceRecord(from, fields);
    for (const { severity, code, message, hint = "" } of diagnostics) {
      const report = severity === "error" ? error : warning;
      // What is a tag in a manifest is a name here; Terraform shows where it stands.
      const [said = "", detail = ""] = [message, hint].map((text) =>
        text.replace(/^fields: /, "").replaceAll(`!${from}`, from),
      );
      report(capitalise(said), capitalise(detail), [code === "unknown-source" ? "from" : "fields"]);
    }
    return source;
  }

  /** The value; undefined if there is none, which is reported. */
  async read(
    source: ValueSource,
    signal: AbortSignal,
    diagnostics: Diagnostics,
  ): Promise<{ readonly value: string; readonly version: string | null } | undefined> {
    const { cwd = "", environment, waits } = this.#env;
    const hosts = allowedHosts(environment);
    try {
      const { value, version = null } = await resolveWithVersion(source, {
        ...{ root: path.resolve(cwd), environment, signal },
        ...{ run: this.#run, backoffMs: waits?.backoffMs },
        ...(hosts ? { hosts } : {}),
      });
      return { value: value.reveal(), version };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      diagnostics.error("The secret value cannot be read", error.message, ["fields"]);
      return undefined;
    }
  }

  close(): Promise<void> {
    return this.#run.close();
  }
}
