import { describe, expect, test } from "vitest";
import { type Dataset, generateDataset } from "../../../src/emulator/index.js";
import { startAccount, startRun } from "./driving.js";

const dated = { created_at: "2026-01-01T00:00:00.123Z", updated_at: "2026-01-01T00:00:00.123Z" };
const secrets = ["a", "b"].map((digit) => ({
  id: `9${digit}000000-0000-4000-8000-000000000000`,
  secret_name: `llm-${digit}`,
  secret_type: "LLM_API_KEY",
  created_at: dated.created_at,
}));
const llmConfigurations = ["a", "b"].map((digit) => ({
  ...{ id: `5${digit}000000-0000-4000-8000-000000000000`, ...dated, base_url: null },
  ...{ display_name: `Model ${digit}`, model_name: "gpt-4o", secret_id: secrets[0]?.id ?? "" },
}));
const createWorld = (): Dataset => ({ ...generateDataset({ voices: 2 }), secrets, llmConfigurations });

const objects = {
  voice: createWorld().voices.map(({ id, name }) => ({ id, name })),
  secret: secrets.map(({ created_at: _, ...shown }) => shown),
  llm_configuration: llmConfigurations.map(({ id, display_name }) => ({ id, display_name })),
};

describe("profile data source", () => {
  test.each(Object.entries(objects))(
    "finds a single %s by id or name, and lists all objects",
    async (name, all) => {
      const emulator = await startAccount({ profile: "liveavatar", world: createWorld() });
      const run = await startRun(emulator, { profile: "liveavatar" });
      const [type, types] = [`avatarops_${name}`, `avatarops_${name}s`];
      const [{ id, ...first } = { id: "" }] = all;
      const [[label = "", value = ""] = []] = Object.entries(first);
      expect(await run.read(type, { id })).toMatchObject({ diagnostics: [], values: { id, ...first } });
      const upper = await run.read(type, { id: id.toUpperCase() });
      expect(upper).toMatchObject({ diagnostics: [], values: { id: id.toUpperCase(), ...first } });
      const named = await run.read(type, { [label]: value });
      expect(named).toMatchObject({ diagnostics: [], values: { id, ...first } });
      expect(JSON.stringify(named.values)).not.toContain("_wo");
      expect(await run.read(types, {})).toMatchObject({ diagnostics: [], values: { [`${name}s`]: all } });
      const missing = await run.read(type, { id: "00000000-0000-4000-8000-000000000000" });
      expect(missing.diagnostics).toMatchObject([{ severity: "error", path: ["id"] }]);

      const plain = await startRun(emulator);
      for (const result of [await plain.read(type, { id }), await plain.read(types, {})])
        expect(result).toMatchObject({
          values: null,
          diagnostics: [
            { severity: "error", summary: expect.stringMatching(/^The data source \w+ needs a profile$/) },
          ],
        });
    },
  );
});
