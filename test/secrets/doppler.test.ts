import { afterEach, beforeEach, expect, test } from "vitest";
import { errorOf, read, versionOf } from "./asking.js";
import { type DopplerStandIn, startDoppler } from "./stand-ins/doppler.js";

let doppler: DopplerStandIn;
beforeEach(async () => {
  doppler = await startDoppler();
  doppler.secrets.set("LLM_API_KEY", "sk-1");
});
afterEach(() => doppler.close());

const source = (more: Record<string, string> = {}) => ({ from: "doppler", name: "LLM_API_KEY", ...more });
const environment = (token = doppler.serviceToken) => ({
  DOPPLER_TOKEN: token,
  DOPPLER_API_HOST: doppler.url,
});

test("a service token needs neither project nor config", async () => {
  expect(await read(source(), environment())).toEqual({ value: "sk-1" });
});

test("another token takes them from the source, or from the variables of the command doppler", async () => {
  const named = source({ project: "kiosk", config: "prd" });
  expect(await read(named, environment(doppler.personalToken))).toEqual({ value: "sk-1" });
  const variables = {
    ...environment(doppler.personalToken),
    DOPPLER_PROJECT: "kiosk",
    DOPPLER_CONFIG: "prd",
  };
  expect(await read(source(), variables)).toEqual({ value: "sk-1" });
});

test("Doppler tells no version, so nothing is asked for one", async () => {
  expect(await versionOf(source(), environment())).toBeUndefined();
  expect(doppler.requests).toEqual([]);
});

test.each([
  ["a secret that does not exist", source({ name: "TTS_KEY" }), {}, "not-found", "does not exist"],
  [
    "another project",
    source({ project: "other", config: "prd" }),
    {},
    "refused",
    "needs read access to the config",
  ],
  ["a project without a config", source({ project: "kiosk" }), {}, "not-set", "name both project and config"],
  [
    "a wrong token",
    source(),
    { DOPPLER_TOKEN: "dp.st.canary" },
    "refused",
    "does not accept the token in DOPPLER_TOKEN",
  ],
  ["no token", source(), { DOPPLER_TOKEN: "" }, "not-set", "Set DOPPLER_TOKEN"],
  [
    "a token with a space in it",
    source(),
    { DOPPLER_TOKEN: "dp canary" },
    "failed",
    "has spaces or line ends",
  ],
])("%s is told", async (_, asked, variables, code, message) => {
  const error = await errorOf(read(asked, { ...environment(), ...variables }));
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(error.message).not.toContain("canary");
});

test("a token of a person needs a project", async () => {
  expect(await errorOf(read(source(), environment(doppler.personalToken)))).toMatchObject({
    code: "refused",
    message: expect.stringContaining("Name the project and the config unless the token is a service token."),
  });
});

test("a value of restricted visibility is told as what it is", async () => {
  doppler.secrets.set("LLM_API_KEY", null);
  expect(await errorOf(read(source(), environment()))).toMatchObject({
    code: "refused",
    message: expect.stringContaining("its visibility is restricted"),
  });
});
