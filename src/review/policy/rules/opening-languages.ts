import { importPackage, withPackage } from "../../../base/optional-packages/index.js";
import { listTexts, type Rule } from "../rule.js";

/** A greeting of one word is the same in several languages. */
const fewestLetters = 12;

/**
 * Says nothing of a text that is too short, or whose language is not sure: a false alarm about "Hi!" would have the rule
 * switched off.
 */
export const openingLanguages: Rule<"opening-languages"> = async (declaration, { languages }) => {
  const opening = listTexts(declaration).find(({ field }) => field === "opening_text");
  if (!opening || letters(opening.text) < fewestLetters) return [];
  const { eld } = await withPackage(
    "eld",
    "The rule opening-languages",
    () => importPackage<typeof import("eld/small")>("eld/small"),
    "eld/small",
  );
  // The names of placeholders are no words of the text.
  const found = eld.detect(opening.text.replace(/\$\{[^{}$\n]*\}/g, " "));
  if (!found.isReliable() || languages.some((language) => toCode(language) === found.language)) return [];
  const message = `seems to be in another language (${found.language})`;
  return [{ path: opening.path, message, hint: `write it in ${languages.join(" or ")}` }];
};

/** `pt-BR` is `pt`. */
function toCode(language: string): string {
  return language.toLowerCase().split("-")[0] ?? language;
}

function letters(text: string): number {
  return text.match(/\p{L}/gu)?.length ?? 0;
}
