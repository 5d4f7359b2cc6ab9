/** Command option. Commands read its value under its long name in camel case. */
export interface OptionFacts<Value = unknown> {
  /** Flags with a placeholder, such as `-o, --out <FILE>`. */
  readonly flags: string;
  readonly description: string;
  /** Description of `--no-…`. If undefined, the option has no negated form. */
  readonly negated?: string;
  readonly choices?: readonly string[];
  /** Default value, as shown in the help. */
  readonly defaultText?: string;
  readonly mandatory?: true;
  /** Whether the option may be repeated. Its value is then a list. */
  readonly repeatable?: true;
  /**
   * Parses the text. Throws an Error with a sentence that follows "… is invalid.", such as "It must be at least 1s.".
   */
  readonly parse?: (text: string) => unknown;
  /** Value if the option is not given. */
  readonly absent: Value;
}

/** Command options by key. */
export type DeclaredOptions = Readonly<Record<string, OptionFacts>>;

export type OptionValues<Declared> = {
  readonly [Key in keyof Declared]: Declared[Key] extends OptionFacts<infer Value> ? Value : never;
};

/** Lists options as users write them. A toggle becomes two options, with and without `no-`. */
export function expandNegated(declared: DeclaredOptions): OptionFacts[] {
  return Object.values(declared).flatMap((option) => {
    if (option.negated === undefined) return [option];
    const [name = ""] = (option.flags.split("--").at(-1) ?? "").split(" ");
    const flags = `--no-${name}`;
    return [option, { flags, description: option.negated, absent: option.absent }];
  });
}

/** Declares a switch that is off unless given. */
export function defineFlag(flags: string, description: string): OptionFacts<boolean> {
  return { flags, description, absent: false };
}

/** Declares a switch that is on unless its `--no-…` flag is given. */
export function defineOffSwitch(flags: string, description: string): OptionFacts<boolean> {
  return { flags, description, absent: true };
}

/** Declares a switch with a `--no-…` form. The value is undefined if neither is given. */
export function defineToggle(
  flags: string,
  description: string,
  negated: string,
): OptionFacts<boolean | undefined> {
  return { flags, description, negated, absent: undefined };
}

/** Declares a repeatable option whose value is any string or one of the choices. */
export function defineListOption<const Choice extends string = string>(
  flags: string,
  description: string,
  choices?: readonly Choice[],
): OptionFacts<readonly Choice[]> {
  return { flags, description, ...(choices && { choices }), repeatable: true, absent: [] };
}

/**
 * Declares an option whose value is any string, one of the choices, or the result of `parse`. `--no-…` sets it to
 * `false`.
 */
export function defineValueOption<const Settings extends ValueSettings = Record<never, never>>(
  flags: string,
  description: string,
  settings?: Settings,
): OptionFacts<ParsedValue<Settings>> {
  const { defaultText, parse }: ValueSettings = settings ?? {};
  const absent = defaultText !== undefined && parse ? parse(defaultText) : defaultText;
  return { flags, description, ...settings, absent: absent as ParsedValue<Settings> };
}

type ValueSettings = Pick<OptionFacts, "choices" | "defaultText" | "parse" | "negated" | "mandatory">;

type ParsedValue<Settings> =
  | (Settings extends { readonly parse: (text: string) => infer Parsed }
      ? Parsed
      : Settings extends { readonly choices: readonly (infer Choice)[] }
        ? Choice
        : string)
  | (Settings extends { readonly defaultText: string } | { readonly mandatory: true } ? never : undefined)
  | (Settings extends { readonly negated: string } ? false : never);
