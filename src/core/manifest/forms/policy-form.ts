import * as z from "zod";
import { suggest } from "../../../base/diagnostics/index.js";
import { documentKind, kinds } from "../../kinds/index.js";

/*
 * The form of `policies:`: for each rule its options, as the loader checks them and editors know them. What a rule does
 * is in the room `policy`.
 */

export type PolicySeverity = "error" | "warning" | "off";

const text = z.string().min(1);

const texts = z.array(text).min(1);
const body = documentKind.body;

const common = {
  severity: z
    .enum(["error", "warning", "off"])
    .optional()
    .describe("`error` refuses validate, plan and apply; `warning` is only shown; `off` is not judged."),
  only: texts.optional().describe("The addresses that are judged; `*` stands for any text. Default: all."),
  except: z
    .array(
      z.strictObject({
        address: text.describe("An address; `*` stands for any text."),
        reason: text.describe("Why the rule does not hold there."),
      }),
    )
    .optional()
    .describe("Objects that the rule does not hold for, each with the reason."),
};

/** A rule's place in the manifest. */
export interface RuleForm<Options extends z.ZodRawShape> {
  /** One sentence: what it demands. */
  readonly description: string;
  /** If the manifest does not say. */
  readonly severity: Exclude<PolicySeverity, "off">;
  /** It holds without being named in the manifest. */
  readonly isDefault?: true;
  readonly options: z.ZodObject<Options>;
}

function rule<Options extends z.ZodRawShape>(
  severity: RuleForm<Options>["severity"],
  description: string,
  options: Options,
): RuleForm<Options> {
  return { description, severity, options: z.strictObject(options) };
}

/** A rule for what hurts in practice, on unless the manifest says otherwise; docs/policies.md describes each. */
function lint<Options extends z.ZodRawShape>(description: string, options: Options): RuleForm<Options> {
  return { ...rule("warning", description, options), isDefault: true };
}

/** Every rule, by its name: the key under `policies:`, and the code of its diagnostics. */
export const ruleForms = {
  "forbidden-phrases": rule("error", "Words and phrases that no text may contain.", {
    phrases: texts.describe(
      "Whole words, in any case and spacing; `*` at an end stands for the rest of the word: `guarantee*`.",
    ),
    fields: texts.optional().describe("The fields to look at. Default: all texts."),
  }),
  "required-sections": rule("error", "Markdown headings that a prompt must have.", {
    sections: texts.describe("The texts of the headings, of any level and in any case."),
  }),
  "prompt-length": rule("error", "How long a prompt may be.", {
    min: z.int().min(1).optional().describe("The smallest number of characters (Unicode code points)."),
    max: z.int().min(1).optional().describe("The largest number of characters (Unicode code points)."),
  }),
  "allowed-link-hosts": rule("error", "The hosts that links may lead to.", {
    hosts: texts.describe(
      "`example.com` alone, or `*.example.com` for all hosts below it; with `:8443` for another port than that of the scheme, with `:*` for any.",
    ),
  }),
  "name-patterns": rule("error", "What the names of objects must look like.", {
    names: texts
      .optional()
      .describe(
        `Patterns of names, such as \`Support *\`: one must match the ${labels()}. \`*\` stands for any text.`,
      ),
    keys: texts.optional().describe("Patterns of logical names, such as `support-*`: one must match."),
  }),
  placeholders: rule("error", "The placeholders, such as `${name}`, that a text must or may have.", {
    required: texts.optional().describe(`Names that the ${body} must have, without \`\${}\`.`),
    allowed: z
      .array(text)
      .optional()
      .describe("Names that texts may have in addition to the required ones. Default: all."),
  }),
  "unclosed-placeholder": lint("A placeholder without its closing brace.", {}),
  "merge-conflict": { ...lint("The markers of an unfinished merge.", {}), severity: "error" },
  "invisible-characters": lint(
    "Characters that nobody sees: zero-width characters, direction marks, no-break spaces, and white space at either end.",
    {},
  ),
  "long-prompt": lint("A prompt near the length at which deployments cut it.", {
    above: z.int().min(1).optional().describe("The largest length in UTF-16 code units. Default: 60,000."),
  }),
} as const;

export type RuleName = keyof typeof ruleForms;

export type RuleOptions<Name extends RuleName> = z.infer<(typeof ruleForms)[Name]["options"]>;

export type CommonOptions = z.infer<z.ZodObject<typeof common>>;

/** `policies` of a project in TypeScript. */
export type PoliciesProps = {
  readonly [Name in RuleName]?: RuleProps<Name> | readonly RuleProps<Name>[] | undefined;
} & {
  /** TypeScript files, each with a function as its default export that judges a plan. */
  readonly functions?: readonly string[] | undefined;
};

type RuleProps<Name extends RuleName> = RuleOptions<Name> & CommonOptions;

const ruleNames = Object.keys(ruleForms) as readonly RuleName[];

/** Whether there is a rule of this name. */
export function isRule(name: string): name is RuleName {
  return Object.hasOwn(ruleForms, name);
}

/** How to spell the name of a rule that does not exist. */
export function ruleHint(name: string): string {
  return suggest(name, ruleNames, `the rules are ${ruleNames.join(", ")}`);
}

/** The rules that hold without being named in the manifest. */
export const defaultRules: readonly { readonly name: RuleName; readonly description: string }[] =
  ruleNames.flatMap((name) => {
    const { isDefault, description }: RuleForm<z.ZodRawShape> = ruleForms[name];
    return isDefault ? [{ name, description }] : [];
  });

export function ruleForm(name: RuleName): z.ZodObject {
  const { options }: RuleForm<z.ZodRawShape> = ruleForms[name];
  return z.strictObject({ ...options.shape, ...common });
}

/** `policies:`; a rule with several sets of options has a list of them. */
export const policiesForm = z.strictObject({
  ...Object.fromEntries(
    ruleNames.map((name) => {
      const form = ruleForm(name);
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
    .describe("TypeScript files, each with a function as its default export that judges a plan."),
});

function labels(): string {
  return [...new Set(kinds.map(({ label }) => `\`${label}\``))].join(" or ");
}
