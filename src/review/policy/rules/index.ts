import type { RuleName } from "../../../core/manifest/index.js";
import type { Rule } from "../rule.js";
import { allowedLinkHosts } from "./allowed-link-hosts.js";
import { forbiddenPhrases } from "./forbidden-phrases.js";
import { invisibleCharacters } from "./invisible-characters.js";
import { mergeConflict } from "./merge-conflict.js";
import { namePatterns } from "./name-patterns.js";
import { placeholders, unclosedPlaceholder } from "./placeholders.js";
import { longPrompt, promptLength } from "./prompt-length.js";
import { requiredSections } from "./required-sections.js";
import { unfilledPlaceholder } from "./unfilled-placeholder.js";

/** Implementation of each rule. The manifest's form declares the options. */
export const rules: { readonly [Name in RuleName]: Rule<Name> } = {
  "forbidden-phrases": forbiddenPhrases,
  "required-sections": requiredSections,
  "prompt-length": promptLength,
  "allowed-link-hosts": allowedLinkHosts,
  "name-patterns": namePatterns,
  placeholders,
  "unclosed-placeholder": unclosedPlaceholder,
  "unfilled-placeholder": unfilledPlaceholder,
  "merge-conflict": mergeConflict,
  "invisible-characters": invisibleCharacters,
  "long-prompt": longPrompt,
};
