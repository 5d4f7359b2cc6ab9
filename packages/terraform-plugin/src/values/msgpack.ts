/*
 * Values on the wire: MessagePack, read and written along the type.
 *
 * The type leads, because the bytes alone are ambiguous: a number is an int, a double or a decimal text; a text may be a
 * number; an array is a list, a set, a tuple or a value with its type beside it; and an object must have exactly the
 * attributes of its type, or Terraform refuses the whole answer. A value of the wrong shape thus never travels: it is a
 * ValueError that names the place.
 *
 * The packing itself is our own too, some hundred lines. The libraries in use lose what matters here, as tried:
 * @msgpack/msgpack 3.1 writes 2n**70n as 0 and throws at a map key `__proto__`; msgpackr 2.1 cannot take over extension
 * type 0, writes a forgotten attribute (undefined) as "unknown", throws at Terraform's refined unknowns (extension type
 * 12) and renames `__proto__`. Neither knows numbers as decimal texts.
 *
 * Unknown values are extension type 0 with any body. Terraform also sends type 12, whose body says what is known already
 * ("begins with ctx-"), and may one day send others: all read as Unknown, which is always a right answer, only a less
 * precise one. Written is type 0.
 *
 * Text: Terraform keeps every text in NFC, so what was written in another form comes back changed; compare with
 * `sameText`. A lone surrogate, which UTF-8 cannot say, is written as U+FFFD.
 */
export { decodeValue } from "./msgpack-decode.js";
export { encodeValue } from "./msgpack-encode.js";
