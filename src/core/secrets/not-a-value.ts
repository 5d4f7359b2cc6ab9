/*
 * Strings that are mistaken for keys: the output of an empty lookup, a mask, a placeholder, a reference or variable that
 * was not resolved, ciphertext, and terminal output. A service would store any of them as a key. Real keys contain
 * letters, digits and `-_.+/=`. PEM files and JSON key files are also accepted.
 */

const mask = "is a masked value such as `***`. Copy the key from where it was created, not from a log.";
const placeholder = "is a placeholder such as `<YOUR_API_KEY>`. Replace it with the key.";
const encrypted = "is encrypted. Decrypt it, for example with `!sops FILE#FIELD`.";
const reference =
  "is a reference to a secret, such as `op://vault/item/field`, not its value. Start avatarops through the tool that resolves it (such as `op run -- avatarops apply`), or read the secret with `!exec` or its store's tag.";

/** Describes a variable in `text` that was not replaced. `found` is the part that matched. */
type DescribeVariable = (found: string, text: string) => string;

const forms: readonly (readonly [RegExp, problem: string | DescribeVariable])[] = [
  [
    /^\s*[<(]?(?:null|nil|none|undefined|nan|no value|\[object \w+\])[)>]?\s*$/i,
    "is `null` or similar, probably because a lookup found nothing. Correct the lookup.",
  ],
  [/\*{3}|[•●]{2}|x{8}|X{8}/, mask],
  [/^\s*(?:\*\*|[[<(](?:masked|redacted|secure|sensitive(?: value)?)[\])>])\s*$/i, mask],
  // A shortened key, such as `sk-...abcd`.
  [/^\s*[\w-]*(?:\.{3}|…)[\w-]*\s*$/, mask],
  // A key file in JSON never contains `{{`.
  [/\$\{\{(?:(?!\$\{\{).)*?\}\}/, describeVariable("${{ … }}", "GitHub Actions, Azure Pipelines")],
  [/\{\{[^{}]*\}\}/, describeVariable("{{ … }}", "Helm, Jinja, Mustache")],
  [/\$\{[A-Za-z_][^{}]*\}/, describeVariable("${…}", "shells, Terraform, Serverless")],
  [/\$\([A-Za-z_][^()]*\)/, describeVariable("$(…)", "Azure Pipelines, shells")],
  [/\$\[ ?[A-Za-z_][^[\]]*\]/, describeVariable("$[…]", "Azure Pipelines")],
  [/#\{ ?[A-Za-z_][^{}#]*\}#?/, describeVariable("#{…}", "Octopus Deploy, replace-tokens")],
  [/^\s*\$(?:env:)?[A-Za-z_]\w*\s*$/, describeVariable("$…", "shells")],
  [/^\s*%[A-Za-z_]\w*%\s*$/, describeVariable("%…%", "the Windows command prompt")],
  [/^\s*@@?[A-Z][A-Z0-9_.]*@@?\s*$/, describeVariable("@…@", "CMake, Maven")],
  [/^\s*\(\([\w./-]+\)\)\s*$/, describeVariable("((…))", "Concourse")],
  [/^\s*\{[A-Za-z_][\w.-]*\}\s*$/, describeVariable("{…}", "templates")],
  [
    /^\s*(?:process\.env|import\.meta\.env|os\.environ|env|secrets|vars?)[.[][\w"'\]]+\s*$/,
    describeVariable("env.…", "program code"),
  ],
  [/^\s*(?:<[^<>]*>|\[[A-Za-z][\w -]*\]|__\w+__)\s*$/, placeholder],
  [
    /^\s*(?:[a-z]{2,4}[-_])?(?:(?:insert|enter|paste|put|add|replace[-_ ]with|use|set)[-_ ])?(?:the[-_ ]|my[-_ ])?your[-_ ]/i,
    placeholder,
  ],
  [
    /^\s*(?:[a-z]{2,4}[-_])?(?:change[-_ ]?(?:me|it)|replace[-_ ]?(?:me|this)|placeholder|todo|tbd|fixme)\s*$/i,
    placeholder,
  ],
  [
    /ENC\[[A-Z0-9_]{3,20},|^\s*(?:ENC\(|\{cipher\}|vault:v\d{1,9}:|U2FsdGVkX1|\$ANSIBLE_VAULT;|age-encryption\.org\/|-----BEGIN (?:AGE ENCRYPTED FILE|PGP MESSAGE)-----)/,
    encrypted,
  ],
  // 1Password and other stores with their own URL schemes. Excludes URLs with an `@`, such as database URLs with
  // credentials.
  [/^\s*["'`]?(?:op|dl|pass|bws|keeper|infisical|doppler|akeyless):\/\//i, reference],
  [/^\s*["'`]?(?!https?:)[a-z][a-z0-9+.-]{0,40}:\/\/[^@]*$/i, reference],
  [
    /^\s*["'`]?(?!https?:)[a-z0-9-]{0,40}(?:secret|vault|ref)[a-z0-9-]{0,40}(?:\+[\w-]{1,40})?:\/\//i,
    reference,
  ],
  [/(?:^|\W)(?:secret)?ref\+[a-z0-9-]{1,40}:\/\//i, reference],
  [/^\s*(?:>>)?(?:vault|bao):[\w./-]+#/, reference],
  [/^\s*(?:gcp:secretmanager:|azure:keyvault:|secretref:|sm@)/, reference],
  [/^\s*arn:aws[a-z-]{0,20}:(?:secretsmanager|ssm|kms):/, reference],
  [
    /^\s*(?:\/\/secretmanager\.googleapis\.com\/)?projects\/[\w.:-]+\/(?:locations\/[\w-]+\/)?secrets\/[\w-]+/,
    reference,
  ],
  [/^\s*@Microsoft\.(?:KeyVault|AppConfiguration)\(/i, reference],
  [/^\s*https:\/\/[\w-]+\.(?:vault\.(?:azure\.net|azure\.cn|usgovcloudapi\.net))\/secrets\//i, reference],
  [/^\s*\/(?:var\/)?run\/secrets\/\w/, reference],
  [/^\s*![a-z][\w-]*[ \t]+\S/i, reference],
  [
    /^version https:\/\/git-lfs\.github\.com\//,
    "is a Git LFS pointer, not the file. Fetch the file with `git lfs pull`.",
  ],
  [
    /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\x9b]/,
    "contains control characters, such as terminal colors. Print it without them, for example with `NO_COLOR=1`.",
  ],
];

/** Explains why a string cannot be a key. Quotes at most a variable's name. Returns undefined if it can be a key. */
export function findReasonNotAValue(text: string): string | undefined {
  for (const [form, problem] of forms) {
    const [found] = form.exec(text) ?? [];
    if (found !== undefined) return typeof problem === "string" ? problem : problem(found, text);
  }
  return undefined;
}

/**
 * Returns a function that describes a variable. It quotes the variable only if the name is made of letters, because a
 * key may have been pasted between the delimiters.
 */
function describeVariable(form: string, tools: string): DescribeVariable {
  return (found, text) => {
    const isName =
      found.trim() === text.trim() && /^[$#{([]+ ?[A-Za-z_.]{1,40} ?[})\]]+#?$/.test(found.trim());
    return `contains a variable that was not replaced: \`${isName ? found.trim() : form}\` (${tools}). Set it in the pipeline, and check the step that replaces it.`;
  };
}
