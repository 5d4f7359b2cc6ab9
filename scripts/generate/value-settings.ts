import { valueSettings } from "../../src/core/kinds/index.js";
import { camelCase } from "../../src/core/manifest/index.js";
import { doc, header } from "./words.js";

/** The type of the settings that extend the values of fields. */
export function valueSettingsFile(): string {
  const lines = valueSettings.map(
    ({ name, description }) => `${doc(description, "  ")}  readonly ${camelCase(name)}: readonly string[];\n`,
  );
  return `${header}
/** The settings of \`service:\` that add to the values of a field. */
export interface ValueSettings {
${lines.join("")}}
`;
}
