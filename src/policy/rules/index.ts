import type { RuleName } from "../../manifest/index.js";
import type { Rule } from "../rule.js";
import { allowedLinkHosts } from "./allowed-link-hosts.js";
import { forbiddenPhrases } from "./forbidden-phrases.js";
import { namePatterns } from "./name-patterns.js";
import { openingLanguages } from "./opening-languages.js";
import { placeholders } from "./placeholders.js";
import { promptLength } from "./prompt-length.js";
import { requiredSections } from "./required-sections.js";

/** What each rule does; its options are in the manifest's form. */
export const rules: { readonly [Name in RuleName]: Rule<Name> } = {
  "forbidden-phrases": forbiddenPhrases,
  "required-sections": requiredSections,
  "prompt-length": promptLength,
  "allowed-link-hosts": allowedLinkHosts,
  "name-patterns": namePatterns,
  placeholders,
  "opening-languages": openingLanguages,
};
