import path from "node:path";
import { type Diagnostics, Dynamic, Unknown, type Value } from "@avatarops/terraform-plugin";
import { readSourceRecord } from "../manifest/index.js";
import {
  type ResolvedValue,
  resolveWithVersion,
  SourceError,
  SourceRun,
  type ValueSource,
} from "../secrets/index.js";
import type { ProviderEnvironment } from "./settings.js";
import { toJson, type Values } from "./values.js";

/** The sources of one process: a login serves all values that are read with it. */
export class SecretSources {
  readonly #env: ProviderEnvironment;
  readonly #run = new SourceRun();

  constructor(env: ProviderEnvironment) {
    this.#env = env;
  }

  /** The source that is configured; undefined while it is not known, or if something is wrong with it, which is reported. */
  async find({ from, fields }: Values, { error, warning }: Diagnostics): Promise<ValueSource | undefined> {
    const given = fields instanceof Dynamic ? fields.value : fields;
    if (typeof from !== "string" || given === undefined || isUnknown(given)) return undefined;
    const { source, diagnostics } = await readSourceRecord(from, toJson(given) as object);
    for (const { severity, code, message, hint = "" } of diagnostics) {
      const report = severity === "error" ? error : warning;
      // What is a tag in a manifest is a name here.
      const [said = "", detail = ""] = [message, hint].map((text) => text.replaceAll(`!${from}`, from));
      report(capitalised(said), capitalised(detail), [code === "unknown-source" ? "from" : "fields"]);
    }
    return source;
  }

  /** The value; undefined if there is none, which is reported. */
  async read(
    source: ValueSource,
    signal: AbortSignal,
    diagnostics: Diagnostics,
  ): Promise<ResolvedValue | undefined> {
    const { cwd = "", environment, waits } = this.#env;
    try {
      return await resolveWithVersion(source, {
        ...{ root: path.resolve(cwd), environment, signal },
        ...{ run: this.#run, backoffMs: waits?.backoffMs },
      });
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

function isUnknown(value: Value): boolean {
  if (value === Unknown) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(isUnknown);
}

function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
