/*
 * Strings that are mistaken for keys: the output of an empty lookup, a mask, an unreplaced variable, ciphertext, and
 * terminal output. A service would store any of them as a key.
 */

const forms: readonly (readonly [RegExp, problem: string])[] = [
  [
    /^\s*[<(]?(?:null|nil|none|undefined|nan|no value|\[object \w+\])[)>]?\s*$/i,
    "is a word such as `null`, which a lookup prints if it finds nothing. Correct the lookup.",
  ],
  [
    /^\s*(?:[*•]{2,}|[[<(](?:masked|redacted|secure|sensitive(?: value)?)[\])>])\s*$/i,
    "is a masked value such as `***`. Copy the key from where it was created, not from a log.",
  ],
  [
    /\$\{\{(?:(?!\$\{\{).)*?\}\}|\$[({][A-Za-z_][\w.-]*[)}]|^\s*(?:\$[A-Za-z_]\w*|%[A-Za-z_]\w*%|\{\{[^{}]*\}\})\s*$/,
    "contains a variable that was not replaced, such as `${LLM_KEY}`. Correct its source.",
  ],
  [
    /ENC\[AES256_GCM,|^\s*(?:\$ANSIBLE_VAULT;|age-encryption\.org\/|-----BEGIN (?:AGE ENCRYPTED FILE|PGP MESSAGE)-----)/,
    "is encrypted. Decrypt it, for example with `!sops FILE#FIELD`.",
  ],
  [
    /^version https:\/\/git-lfs\.github\.com\//,
    "is a Git LFS pointer, not the file. Fetch the file with `git lfs pull`.",
  ],
  [
    /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\x9b]/,
    "contains control characters, such as terminal colors. Print it without them, for example with `NO_COLOR=1`.",
  ],
];

/** Explains why a string cannot be a key, without quoting the string. Returns undefined if it can be a key. */
export function findReasonNotAValue(text: string): string | undefined {
  return forms.find(([form]) => form.test(text))?.[1];
}
