import { createLocationError, decodeUrlPart, readUrlSettings } from "./errors.js";

/** State location in S3. */
export type S3Address = ReturnType<typeof parseS3Address>;

const settings = {
  // The region is part of the signature and of the host name.
  region: [(value: string) => /^[a-z0-9-]+$/.test(value), "eu-central-1"],
  endpoint: [
    (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
    "https://s3.example.com",
  ],
  path_style: [(value: string) => /^(true|false)$/.test(value), "true"],
} as const;

/**
 * Parses an S3 state URL.
 *
 * @throws StateError `unknown-store`
 */
export function parseS3Address(url: URL) {
  const location = `s3://${url.host}${url.pathname}`;
  const { region, endpoint, path_style: pathStyle } = readUrlSettings(url, location, settings);
  const key = decodeUrlPart(url.pathname.slice(1), location);
  if (url.host === "" || key === "" || key.endsWith("/")) {
    throw createLocationError(
      location,
      "has no bucket or file name. Example: s3://BUCKET/PATH/production.json.",
    );
  }
  return { location, bucket: url.host, key, region, endpoint, pathStyle: pathStyle === "true" };
}
