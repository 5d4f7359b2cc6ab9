/** Returns every encoding in which a string may appear inside another. */
export function listEncodings(value: string): Record<string, string> {
  const bytes = Buffer.from(value);
  const aligned = [0, 1, 2].flatMap((shift) =>
    (["base64", "base64url"] as const).map((encoding) => {
      // Omits the characters at both ends that also encode adjacent bytes.
      const whole = Buffer.concat([Buffer.alloc(shift), bytes, Buffer.alloc(2)]).toString(encoding);
      const start = Math.ceil((shift * 8) / 6);
      const end = Math.floor(((shift + bytes.length) * 8) / 6);
      return [`${encoding}, shifted by ${shift}`, whole.slice(start, end)] as const;
    }),
  );
  const json = JSON.stringify(value).slice(1, -1);
  return {
    raw: value,
    JSON: json,
    "JSON in JSON": JSON.stringify(json).slice(1, -1),
    "URL-encoded": encodeURIComponent(value),
    "of a form": new URLSearchParams({ value }).toString().slice("value=".length),
    hex: bytes.toString("hex"),
    "upper hex": bytes.toString("hex").toUpperCase(),
    "its beginning": value.slice(0, 10),
    "its end": value.slice(-10),
    "its middle": value.slice(8, 20),
    ...Object.fromEntries(aligned),
  };
}
