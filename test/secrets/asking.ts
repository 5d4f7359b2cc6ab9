import { inspect } from "node:util";
import { expect } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import {
  readCurrentVersion,
  resolveWithVersion,
  type SourceEnvironment,
  SourceError,
  type ValueSource,
} from "../../src/core/secrets/index.js";

type Variables = Readonly<Record<string, string | undefined>>;

/** The value and version of a source, or the error in its place. */
export async function read(
  source: ValueSource,
  environment: Variables,
  more: Partial<SourceEnvironment> = {},
) {
  const { value, version } = await resolveWithVersion(source, {
    allowCode: true,
    root: "/",
    system: nodeSystem,
    environment,
    backoffMs: 1,
    ...more,
  });
  return version === undefined ? { value: value.reveal() } : { value: value.reveal(), version };
}

/** The current version of a source. */
export function versionOf(
  source: ValueSource,
  environment: Variables,
  more: Partial<SourceEnvironment> = {},
) {
  return readCurrentVersion(source, {
    allowCode: true,
    root: "/",
    system: nodeSystem,
    environment,
    backoffMs: 1,
    ...more,
  });
}

/** The error that asking ends with. It shows nothing of a value: those of tests have one of these words in them. */
export async function errorOf(asking: Promise<unknown>): Promise<SourceError> {
  const error = await asking.then(
    (answer) => new Error(`No error but ${inspect(answer)}`),
    (thrown: unknown) => thrown,
  );
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/kanarie|canary/);
  if (error instanceof SourceError) return error;
  throw error;
}
