import * as z from "zod";
import type { SessionRow } from "../reports/index.js";

const values = z.array(z.string());

/** The values of labels that come from the service, in the order in which they came. */
export const labelValues = z.object({ mode: values, source: values, reason: values });
type LabelValues = z.infer<typeof labelValues>;

/** The labels of a session. */
export const sessionLabels = z.object({
  mode: z.string(),
  source: z.string(),
  sandbox: z.enum(["true", "false"]),
});

export const noLabelValues: LabelValues = { mode: [], source: [], reason: [] };

/** Each combination is a series that Prometheus keeps: a service that sends ever new values must not make ever more of them. */
const most: Readonly<Record<keyof LabelValues, number>> = { mode: 10, source: 10, reason: 30 };

/** Values beyond the limit, and those that are no names. */
const other = "other";
/** The service states none. */
const none = "none";

/** Gives sessions their labels, and keeps the values that have one. */
export class SessionLabeler {
  readonly #values: Record<keyof LabelValues, Set<string>>;

  constructor({ mode, source, reason }: LabelValues) {
    this.#values = { mode: new Set(mode), source: new Set(source), reason: new Set(reason) };
  }

  of({ mode, source, is_sandbox }: SessionRow): z.infer<typeof sessionLabels> {
    return {
      mode: this.#label("mode", mode),
      source: this.#label("source", source),
      sandbox: is_sandbox ? "true" : "false",
    };
  }

  reason({ end_reason }: SessionRow): string {
    return this.#label("reason", end_reason);
  }

  values(): LabelValues {
    const { mode, source, reason } = this.#values;
    return { mode: [...mode], source: [...source], reason: [...reason] };
  }

  #label(name: keyof LabelValues, value: string | undefined): string {
    if (value === undefined) return none;
    const known = this.#values[name];
    if (known.has(value)) return value;
    if (known.size >= most[name] || !/^[\w.:-]{1,64}$/.test(value)) return other;
    known.add(value);
    return value;
  }
}
