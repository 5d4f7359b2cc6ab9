/**
 * One option of a command: what the help says of it, how its text is parsed, and the type of its value. Commands read
 * it under the key it is declared with, which is its long name in camel case.
 */
export interface OptionFacts<Value = unknown> {
  /** Such as `-o, --out <FILE>`. */
  readonly flags: string;
  readonly description: string;
  /** What `--no-…` does; without it, there is no such option. */
  readonly negated?: string;
  readonly choices?: readonly string[];
  /** The default as text, shown in the help. */
  readonly preset?: string;
  /** Must be given. */
  readonly mandatory?: true;
  /** May be repeated: the value is a list. */
  readonly repeatable?: true;
  /** Parses the text, or throws an Error whose message completes the sentence "… is invalid.". */
  readonly parse?: (text: string) => unknown;
  /** The value if the option is not given. */
  readonly absent: Value;
}

/** The options of a command by key. */
export type DeclaredOptions = Readonly<Record<string, OptionFacts>>;

/** The values of declared options. */
export type OptionValues<Declared> = {
  readonly [Key in keyof Declared]: Declared[Key] extends OptionFacts<infer Value> ? Value : never;
};

/** Each option as it is written, one with `--no-…` as two. */
export function writtenOptions(declared: DeclaredOptions): OptionFacts[] {
  return Object.values(declared).flatMap((option) => {
    if (option.negated === undefined) return [option];
    const [name = ""] = (option.flags.split("--").at(-1) ?? "").split(" ");
    const flags = `--no-${name}`;
    return [option, { flags, description: option.negated, absent: option.absent }];
  });
}

/** On or off. */
export function flag(flags: string, description: string): OptionFacts<boolean> {
  return { flags, description, absent: false };
}

/** On, unless `--no-…` is given, which are its flags. */
export function offSwitch(flags: string, description: string): OptionFacts<boolean> {
  return { flags, description, absent: true };
}

/** On, off with `--no-…`, or neither. */
export function toggle(
  flags: string,
  description: string,
  negated: string,
): OptionFacts<boolean | undefined> {
  return { flags, description, negated, absent: undefined };
}

/** Takes a text, and may be repeated. */
export function list(flags: string, description: string): OptionFacts<readonly string[]> {
  return { flags, description, repeatable: true, absent: [] };
}

/** Takes a text, one of the choices, or what `parse` makes of it; `false` with `--no-…`. */
export function value<const Settings extends ValueSettings = Record<never, never>>(
  flags: string,
  description: string,
  settings?: Settings,
): OptionFacts<ParsedValue<Settings>> {
  const { preset, parse }: ValueSettings = settings ?? {};
  const absent = preset !== undefined && parse ? parse(preset) : preset;
  return { flags, description, ...settings, absent: absent as ParsedValue<Settings> };
}

type ValueSettings = Pick<OptionFacts, "choices" | "preset" | "parse" | "negated" | "mandatory">;

type ParsedValue<Settings> =
  | (Settings extends { readonly parse: (text: string) => infer Parsed }
      ? Parsed
      : Settings extends { readonly choices: readonly (infer Choice)[] }
        ? Choice
        : string)
  | (Settings extends { readonly preset: string } | { readonly mandatory: true } ? never : undefined)
  | (Settings extends { readonly negated: string } ? false : never);
