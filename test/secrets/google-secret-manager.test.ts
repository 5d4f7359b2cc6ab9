import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { catchSourceError, read, readVersion } from "./asking.js";
import { setVariables } from "./environment.js";
import { describeSource, formatSource, type StartedSource } from "./sources/compliance.js";
import { createFailures } from "./stand-ins/failures.js";
import { type GoogleStandIn, startGoogle } from "./stand-ins/google.js";

let google: GoogleStandIn;
let restore: () => void;
beforeAll(async () => {
  google = await startGoogle();
  // Google's library reads these variables from the process.
  restore = setVariables(google.environment);
});
afterAll(async () => {
  restore();
  await google.close();
});
beforeEach(() => {
  google.fault = undefined;
  for (const right of ["versions.access", "versions.get"] as const) google.rights.add(right);
  google.requests.splice(0);
});

let count = 0;
/** Creates a secret for a single test. */
function createSecret(...values: string[]): string {
  count += 1;
  const name = `projects/kiosk/secrets/llm-${count}`;
  for (const value of values) google.put(name, value);
  return name;
}
const createSource = (name: string, more: Record<string, string> = {}) => ({
  ...{ from: "google-secret-manager", secret: name, endpoint: google.url },
  ...more,
});

test("logs in to Google through workload identity federation with a single request", async () => {
  await read(createSource(createSecret("sk-1")), process.env);
  expect(google.requests).toEqual([
    "POST /sts/v1/token",
    `GET /v1/projects/kiosk/secrets/llm-${count}/versions/latest:access`,
  ]);
});

test("returns no Secret Manager version if the login may not read versions", async () => {
  google.rights.delete("versions.get");
  expect(await readVersion(createSource(createSecret("sk-1")), process.env)).toBeUndefined();
});

test("resolves a Secret Manager alias to its current version", async () => {
  const name = createSecret("old", "new");
  google.aliases.set(`${name} production`, 1);
  expect(await read(createSource(name, { version: "production" }), process.env)).toEqual({
    value: "old",
    version: "1",
  });
  expect(await readVersion(createSource(name, { version: "production" }), process.env)).toBe("1");
});

test("returns a numeric Secret Manager version without a request", async () => {
  expect(await readVersion(createSource(createSecret("sk-1"), { version: "1" }), process.env)).toBe("1");
  expect(google.requests).toEqual([]);
});

test("reads one field of a JSON secret from Secret Manager", async () => {
  const name = createSecret('{"api_key":"sk-1","port":8080,"more":{}}');
  expect(await read(createSource(name, { field: "api_key" }), process.env)).toEqual({
    value: "sk-1",
    version: "1",
  });
  expect(await read(createSource(name, { field: "port" }), process.env)).toMatchObject({ value: "8080" });
  const long = createSecret('{"a\\"b": "7", "pin": 12345678901234567890, "rate":-1.50E+3}');
  for (const [field, value] of [
    ["pin", "12345678901234567890"],
    ["rate", "-1.50E+3"],
    ['a"b', "7"],
  ] as const)
    expect(await read(createSource(long, { field }), process.env)).toMatchObject({ value });
  for (const [field, code] of [
    ["toString", "not-found"],
    ["more", "unreadable"],
  ] as const)
    expect(await catchSourceError(read(createSource(name, { field }), process.env))).toMatchObject({ code });
});

test("rejects a field reference to a secret that is not a JSON object, and does not show the value", async () => {
  const error = await catchSourceError(
    read(createSource(createSecret("canary"), { field: "api_key" }), process.env),
  );
  expect(error).toMatchObject({ code: "unreadable" });
  expect(error.message).toMatch(/, field api_key is not a JSON object/);
});

test("reports a disabled or destroyed Secret Manager version", async () => {
  for (const state of ["disabled", "destroyed"] as const) {
    const name = createSecret("old");
    google.put(name, "new", state);
    const expectAdvice = (error: unknown, advice: string) =>
      expect(error).toMatchObject({ code: "refused", message: expect.stringContaining(advice) });
    const source = createSource(name);
    expectAdvice(
      await catchSourceError(read(source, process.env)),
      "enable this one if it is only disabled.",
    );
    const known = state === "disabled" ? "Add a new version, or enable this one." : "Add a new version.";
    expectAdvice(await catchSourceError(readVersion(source, process.env)), `version is ${state}. ${known}`);
  }
});

test("names the missing Secret Manager permission, and the narrower permission that suffices for a plan", async () => {
  google.rights.clear();
  const error = await catchSourceError(read(createSource(createSecret("sk-1")), process.env));
  expect(error).toMatchObject({ code: "refused" });
  expect(error.message).toContain("secretmanager.versions.access");
  expect(error.message).toContain("Secret Manager Viewer is enough");
  expect(error.message).not.toContain(google.token);
});

test("reports a rejected Google login without showing the JWT", async () => {
  const { jwt } = google;
  google.jwt = "another";
  const error = await catchSourceError(read(createSource(createSecret("sk-1")), process.env));
  google.jwt = jwt;
  expect(error).toMatchObject({
    code: "refused",
    message: expect.stringContaining("rejected the login (status 400)"),
  });
  expect(error.message).not.toContain(jwt);
  expect(google.requests).toEqual(["POST /sts/v1/token"]);
});

test("suggests how to log in to Google if credentials are missing", async () => {
  const back = setVariables({ GOOGLE_APPLICATION_CREDENTIALS: undefined, HOME: "/nonexistent" });
  const error = await catchSourceError(read(createSource(createSecret("sk-1")), process.env)).finally(back);
  expect(error).toMatchObject({ code: "refused" });
  expect(error.message).toContain("gcloud auth application-default login");
});

test("reports an invalid Google credentials file without showing its content", async () => {
  const file = `${google.environment.GOOGLE_APPLICATION_CREDENTIALS}.wrong`;
  await writeFile(file, '{"type":"service_account","private_key":"canary"');
  const back = setVariables({ GOOGLE_APPLICATION_CREDENTIALS: file });
  const error = await catchSourceError(read(createSource(createSecret("sk-1")), process.env)).finally(back);
  expect(error.message).toContain("GOOGLE_APPLICATION_CREDENTIALS");
});

test("reads no secret if the Google library would log values", async () => {
  const environment = { ...process.env, GOOGLE_SDK_NODE_LOGGING: "all" };
  const error = await catchSourceError(read(createSource(createSecret("sk-1")), environment));
  expect(error).toMatchObject({
    code: "failed",
    message: expect.stringContaining("GOOGLE_SDK_NODE_LOGGING"),
  });
  expect(google.requests).toEqual([]);
});

describeSource(
  "google-secret-manager",
  async (): Promise<StartedSource> => {
    const own = await startGoogle();
    const restore = setVariables(own.environment);
    const asked = (pattern: RegExp) => own.requests.filter((request) => pattern.test(request)).length;
    const named = (name: string) => `projects/kiosk/secrets/${name}`;
    return {
      environment: own.environment,
      written: (name, timeoutSeconds) =>
        formatSource("google-secret-manager", { secret: named(name), endpoint: own.url, timeoutSeconds }),
      put: (name, value) => own.put(named(name), value),
      failures: {
        ...createFailures(own),
        forbidden: () => void own.rights.clear(),
        missing: (name) => own.remove(named(name)),
        empty: (name) => own.put(named(name), " \n"),
      },
      reads: () => asked(/:access/),
      versions: {
        asked: () => asked(/versions\/\w+$/),
        refuseValues: () => void own.rights.delete("versions.access"),
        allowValues: () => void own.rights.add("versions.access"),
      },
      async stop() {
        restore();
        await own.close();
      },
    };
  },
  { package: "google-auth-library" },
);
