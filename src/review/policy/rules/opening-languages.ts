import { importPackage, withPackage } from "../../../base/optional-packages/index.js";
import { preset } from "../../../core/kinds/index.js";
import { listTexts, type Rule } from "../rule.js";

/** A greeting of one word is the same in several languages. */
const fewestLetters = 12;

/**
 * Says nothing of a text that is too short, or whose language is not sure: a false alarm about "Hi!" would have the rule
 * switched off.
 */
export const openingLanguages: Rule<"opening-languages"> = async (declaration, { languages }) => {
  const opening = listTexts(declaration).find(({ field }) => field === "opening_text");
  if (!opening || (opening.text.match(/\p{L}/gu)?.length ?? 0) < fewestLetters) return [];
  const { eld } = await withPackage(
    "eld",
    "The rule opening-languages",
    () => importPackage<typeof import("eld/small")>("eld/small"),
    "eld/small",
  );
  // The names of placeholders are no words of the text.
  const found = eld.detect(opening.text.replace(/\$\{[^{}$\n]*\}/g, " "));
  // `pt-BR` is `pt`.
  const isAllowed = languages.some((language) => language.toLowerCase().split("-")[0] === found.language);
  if (!found.isReliable() || isAllowed) return [];
  const message = `seems to be in another language (${found.language})`;
  return [{ path: opening.path, message, hint: `write it in ${languages.join(" or ")}` }];
};

/*
 * In a FULL session the avatar speaks first: it says the opening text of its context. Without one it waits, and the
 * visitor looks at a face that does nothing. With push-to-talk the visitor begins.
 */
export const silentOpening: Rule<"silent-opening"> = ({ address, kind, spec }, _options, { presets }) => {
  const opening = spec[field];
  if (!(field in kind.fields) || (typeof opening === "string" && opening.trim() !== "")) return [];
  const { field: mode, value, reference } = preset.expects;
  const speaking = presets.find(
    ({ body, references }) =>
      body[mode] === value &&
      body.interactivity_type !== "PUSH_TO_TALK" &&
      references.some((one) => one.address === address && one.path.join() === reference.join()),
  );
  if (!speaking) return [];
  const path = opening === undefined ? [] : [field];
  const message = `${opening === undefined ? "has no opening text" : "is empty"}, and in sessions.${speaking.key} the avatar speaks first`;
  return [{ path, message, hint: `write what it says first in ${field}` }];
};

const field = "opening_text";
