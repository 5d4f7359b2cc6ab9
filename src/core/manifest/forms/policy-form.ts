import * as z from "zod";
import { findNearest, suggest } from "../../../base/diagnostics/index.js";
import { documentKind, type Field, kinds, withEveryField } from "../../kinds/index.js";

/*
 * Form of `policies:` and the options of each rule, used by the loader and by editors. The module `policy` implements
 * the rules.
 */

export type PolicySeverity = "error" | "warning" | "off";

const text = z.string().min(1);

const texts = z.array(text).min(1);
const body = documentKind.body;
const kindNames = kinds.map(({ name }) => name);

/** Patterns that can match an address. Editors check the same form as the loader. */
const addressForm = `^(?:[^.]*\\*|(?:${kindNames.join("|")})\\.)`;

const address = text
  .superRefine((written, { addIssue }) => {
    if (written === "" || new RegExp(addressForm).test(written)) return;
    const [name = "", ...rest] = written.split(".");
    const meant = findNearest(name, kindNames);
    const hint = meant
      ? `did you mean "${[meant, ...(rest.length > 0 ? rest : ["*"])].join(".")}"?`
      : `start with a kind, such as ${documentKind.kind.name}.${rest.at(-1) ?? name}`;
    addIssue({
      ...{ code: "custom", message: `is ${JSON.stringify(written)}, which matches no address` },
      params: { hint },
    });
  })
  .meta({ pattern: addressForm });

const common = {
  severity: z
    .enum(["error", "warning", "off"])
    .optional()
    .describe(
      "With `error`, a violation fails validate, plan and apply. With `warning`, it is only shown. `off` disables the rule.",
    ),
  only: z
    .array(address)
    .min(1)
    .optional()
    .describe("Addresses to check. `*` matches any characters. Default: all."),
  except: z
    .array(
      z.strictObject({
        address: address.describe("An address. `*` matches any characters."),
        reason: text.describe("Reason for the exception."),
      }),
    )
    .optional()
    .describe("Objects that are exempt from the rule, each with the reason."),
};

export interface RuleForm<Options extends z.ZodRawShape> {
  /** The requirement in one sentence. */
  readonly description: string;
  /** The default severity. */
  readonly severity: Exclude<PolicySeverity, "off">;
  /** Whether the rule is on by default. */
  readonly isDefault?: true;
  readonly options: z.ZodObject<Options>;
}

function defineRule<Options extends z.ZodRawShape>(
  severity: RuleForm<Options>["severity"],
  description: string,
  options: Options,
): RuleForm<Options> {
  return { description, severity, options: z.strictObject(options) };
}

/** Defines a default rule against a common mistake. docs/policies.md describes each rule. */
function defineLint<Options extends z.ZodRawShape>(description: string, options: Options): RuleForm<Options> {
  return { ...defineRule("warning", description, options), isDefault: true };
}

/** All rules by their key under `policies:`. The key is also the diagnostic code. */
export const ruleForms = {
  "forbidden-phrases": defineRule("error", "Words and phrases that no text may contain.", {
    phrases: texts.describe(
      "Whole words. Case and spacing are ignored. A `*` at the start or end matches the rest of the word, such as `guarantee*`.",
    ),
    fields: z
      .array(z.enum(listTextFields()))
      .min(1)
      .optional()
      .describe("Fields to check. Default: all text fields."),
  }),
  "required-sections": defineRule("error", "Markdown headings that a prompt must have.", {
    sections: texts.describe("Heading texts. Level and case are ignored."),
  }),
  "prompt-length": defineRule("error", "Minimum and maximum length of a prompt.", {
    min: z.int().min(1).optional().describe("Minimum number of characters (Unicode code points)."),
    max: z.int().min(1).optional().describe("Maximum number of characters (Unicode code points)."),
  }),
  "allowed-link-hosts": defineRule("error", "Hosts that links may point to.", {
    hosts: texts.describe(
      "`example.com` for one host, `*.example.com` for its subdomains. Append `:8443` for a port other than the scheme's, or `:*` for any port.",
    ),
  }),
  "name-patterns": defineRule("error", "Patterns that object names must match.", {
    names: texts
      .optional()
      .describe(
        `Name patterns, such as \`Support *\`. One of them must match the ${listLabels()}. \`*\` matches any characters.`,
      ),
    keys: texts
      .optional()
      .describe("Patterns for logical names, such as `support-*`. One of them must match."),
  }),
  placeholders: defineRule("error", "Placeholders, such as `${name}`, that texts must or may contain.", {
    required: texts.optional().describe(`Names that the ${body} must contain, without \`\${}\`.`),
    allowed: z
      .array(text)
      .optional()
      .describe("Names that texts may contain in addition to the required ones. Default: all."),
  }),
  "unclosed-placeholder": defineLint("A placeholder without its closing brace.", {}),
  "unfilled-placeholder": defineLint(
    "Text that stands for a missing value: `{{name}}`, `{name}`, `${two words}`, `undefined`, `[object Object]`.",
    {},
  ),
  "merge-conflict": { ...defineLint("The markers of an unfinished merge.", {}), severity: "error" },
  "invisible-characters": defineLint(
    "Invisible characters: zero-width characters, direction marks, no-break spaces, and trailing white space.",
    {},
  ),
  "long-prompt": defineLint("A prompt so long that some deployments may truncate it.", {
    above: z.int().min(1).optional().describe("Maximum length in UTF-16 code units. Default: 60,000."),
  }),
} as const;

export type RuleName = keyof typeof ruleForms;

export type RuleOptions<Name extends RuleName> = z.infer<(typeof ruleForms)[Name]["options"]>;

export type CommonOptions = z.infer<z.ZodObject<typeof common>>;

/** Type of `policies` in TypeScript projects. */
export type PoliciesProps = {
  readonly [Name in RuleName]?: RuleProps<Name> | readonly RuleProps<Name>[] | undefined;
} & {
  /** TypeScript files whose default export is a function that checks a plan. */
  readonly functions?: readonly string[] | undefined;
};

type RuleProps<Name extends RuleName> = RuleOptions<Name> & CommonOptions;

const ruleNames = Object.keys(ruleForms) as readonly RuleName[];

export function isRule(name: string): name is RuleName {
  return Object.hasOwn(ruleForms, name);
}

/** Suggests the correct spelling of an unknown rule name, or lists all rule names. */
export function suggestRule(name: string): string {
  return suggest(name, ruleNames, `valid rules are ${ruleNames.join(", ")}`);
}

export const defaultRules: readonly { readonly name: RuleName; readonly description: string }[] =
  ruleNames.flatMap((name) => {
    const { isDefault, description }: RuleForm<z.ZodRawShape> = ruleForms[name];
    return isDefault ? [{ name, description }] : [];
  });

export function createRuleForm(name: RuleName): z.ZodObject {
  const { options }: RuleForm<z.ZodRawShape> = ruleForms[name];
  return z.strictObject({ ...options.shape, ...common });
}

/** Form of `policies:`, where a rule has one set of options or a list of such sets. */
export const policiesForm = z.strictObject({
  ...Object.fromEntries(
    ruleNames.map((name) => {
      const form = createRuleForm(name);
      return [
        name,
        z
          .union([form, z.array(form)])
          .optional()
          .describe(ruleForms[name].description),
      ];
    }),
  ),
  functions: z
    .array(text)
    .optional()
    .describe("TypeScript files whose default export is a function that checks a plan."),
});

function listLabels(): string {
  return [...new Set(kinds.map(({ label }) => `\`${label}\``))].join(" or ");
}

/** Lists the names that select texts: fields with text, and their parts with text. */
function listTextFields(): readonly string[] {
  const listTexts = (name: string, field: Field): string[] => {
    if (field.type === "string") return field.writeOnly ? [] : [name];
    if (field.type === "list") return listTexts(name, field.item);
    if (field.type !== "object") return [];
    return Object.entries(field.parts).flatMap(([key, part]) => listTexts(key, part));
  };
  const found = kinds.flatMap((kind) =>
    Object.entries(withEveryField(kind).fields).flatMap(([name, field]) => {
      const texts = listTexts(name, field);
      return texts.length > 0 ? [name, ...texts] : [];
    }),
  );
  return [...new Set(found)];
}
