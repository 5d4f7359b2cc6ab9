import type { RuleName } from "../../../core/manifest/index.js";
import type { Rule } from "../rule.js";
import { allowedLinkHosts, linkWithoutFaq } from "./allowed-link-hosts.js";
import { forbiddenPhrases } from "./forbidden-phrases.js";
import { invisibleCharacters } from "./invisible-characters.js";
import { mergeConflict, missingValue } from "./missing-value.js";
import { namePatterns } from "./name-patterns.js";
import {
  conflictingPlaceholders,
  foreignPlaceholder,
  placeholders,
  unclosedPlaceholder,
} from "./placeholders.js";
import { grownPrompt, longPrompt, promptLength } from "./prompt-length.js";
import { repeatedText } from "./repeated-text.js";
import { requiredSections } from "./required-sections.js";
import { silentOpening } from "./silent-opening.js";

/** What each rule does; its options are in the manifest's form. */
export const rules: { readonly [Name in RuleName]: Rule<Name> } = {
  "forbidden-phrases": forbiddenPhrases,
  "required-sections": requiredSections,
  "prompt-length": promptLength,
  "allowed-link-hosts": allowedLinkHosts,
  "name-patterns": namePatterns,
  placeholders,
  "repeated-text": repeatedText,
  "conflicting-placeholders": conflictingPlaceholders,
  "unclosed-placeholder": unclosedPlaceholder,
  "foreign-placeholder": foreignPlaceholder,
  "missing-value": missingValue,
  "merge-conflict": mergeConflict,
  "invisible-characters": invisibleCharacters,
  "long-prompt": longPrompt,
  "grown-prompt": grownPrompt,
  "link-without-faq": linkWithoutFaq,
  "silent-opening": silentOpening,
};
