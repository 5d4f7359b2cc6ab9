import { preset } from "../../../core/kinds/index.js";
import type { Rule } from "../rule.js";

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
