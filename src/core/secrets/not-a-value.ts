/*
 * Texts that stand where a key should be: what a lookup prints that found nothing, a mask, a variable that nothing replaced,
 * ciphertext, and output for a terminal. A service stores any of them as a key.
 */

const forms: readonly (readonly [RegExp, problem: string])[] = [
  [
    /^\s*[<(]?(?:null|nil|none|undefined|nan|no value|\[object \w+\])[)>]?\s*$/i,
    "is a word for no value, such as `null`, as a lookup prints it that found nothing. Correct the lookup.",
  ],
  [
    /^\s*(?:[*•]{2,}|[[<(](?:masked|redacted|secure|sensitive(?: value)?)[\])>])\s*$/i,
    "is masked, such as `***`. Take the key from where it is stored, and not from a log.",
  ],
  [
    /\$\{\{.*?\}\}|\$[({][A-Za-z_][\w.-]*[)}]|^\s*(?:\$[A-Za-z_]\w*|%[A-Za-z_]\w*%|\{\{[^{}]*\}\})\s*$/,
    "has a variable in it that was not replaced, such as `${LLM_KEY}`. Correct where it is set.",
  ],
  [
    /ENC\[AES256_GCM,|^\s*(?:\$ANSIBLE_VAULT;|age-encryption\.org\/|-----BEGIN (?:AGE ENCRYPTED FILE|PGP MESSAGE)-----)/,
    "is encrypted. Decrypt it, for example with `!exec [sops, decrypt, …]`.",
  ],
  [
    /^version https:\/\/git-lfs\.github\.com\//,
    "is a pointer of Git LFS, and not the file. Fetch the file with `git lfs pull`.",
  ],
  [
    /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\x9b]/,
    "has control characters in it, such as colours of a terminal. Have it printed without them, as with `NO_COLOR=1`.",
  ],
];

/** Why a text cannot be a key, as a predicate for the source it comes from; undefined if it can. Contains nothing of it. */
export function whyNotAValue(text: string): string | undefined {
  return forms.find(([form]) => form.test(text))?.[1];
}
