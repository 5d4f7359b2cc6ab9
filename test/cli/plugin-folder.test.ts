import path from "node:path";
import { expect, test } from "vitest";
import { findPluginFolder } from "../../src/entrypoints/cli/plugin-folder.js";

test("installs the Terraform provider in APPDATA on Windows and in the home folder elsewhere", () => {
  const environment = { APPDATA: "C:/Users/ana/AppData/Roaming", HOME: "/c/Users/ana" };
  expect(findPluginFolder({ environment, platform: "win32_x64" })).toBe(
    path.join("C:/Users/ana/AppData/Roaming", "terraform.d/plugins"),
  );
  expect(findPluginFolder({ environment, platform: "linux_x64" })).toBe(
    path.join("/c/Users/ana", ".terraform.d/plugins"),
  );
  expect(() => findPluginFolder({ environment: {}, platform: "win32_x64" })).toThrow("APPDATA is not set");
});
