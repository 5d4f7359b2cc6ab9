import type { RuleName } from "../../../core/manifest/index.js";
import type { Rule } from "../rule.js";
import { findForbiddenLinks } from "./allowed-link-hosts.js";
import { findForbiddenPhrases } from "./forbidden-phrases.js";
import { findInvisibleCharacters } from "./invisible-characters.js";
import { findConflict } from "./merge-conflict.js";
import { checkNames } from "./name-patterns.js";
import { checkPlaceholders, checkUnclosedPlaceholders } from "./placeholders.js";
import { checkPromptLength, warnOfLongPrompt } from "./prompt-length.js";
import { findMissingSections } from "./required-sections.js";
import { findUnfilledPlaceholders } from "./unfilled-placeholder.js";

/** Rule implementations. The manifest schema declares their options. */
export const rules: { readonly [Name in RuleName]: Rule<Name> } = {
  "forbidden-phrases": findForbiddenPhrases,
  "required-sections": findMissingSections,
  "prompt-length": checkPromptLength,
  "allowed-link-hosts": findForbiddenLinks,
  "name-patterns": checkNames,
  placeholders: checkPlaceholders,
  "unclosed-placeholder": checkUnclosedPlaceholders,
  "unfilled-placeholder": findUnfilledPlaceholders,
  "merge-conflict": findConflict,
  "invisible-characters": findInvisibleCharacters,
  "long-prompt": warnOfLongPrompt,
};
