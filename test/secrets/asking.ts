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

/** Returns the value and version of a source, or throws the error. */
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

/** Returns the current version of a source. */
export function readVersion(
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

/**
 * Reads a source and returns the error. Asserts that the error contains no secret value. All values in these tests
 * contain "kanarie" or "canary".
 */
export async function catchSourceError(asking: Promise<unknown>): Promise<SourceError> {
  const error = await asking.then(
    (answer) => new Error(`No error but ${inspect(answer)}`),
    (thrown: unknown) => thrown,
  );
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/kanarie|canary/);
  if (error instanceof SourceError) return error;
  throw error;
}
