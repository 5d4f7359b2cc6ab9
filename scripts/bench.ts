/**
 * Measures requests, memory and time of avatarops, and how close it gets to a service's rate limit, as tables. Results
 * never fail the run. `npm run bench -- requests start-up` runs only these sections.
 */
import { measureFirstApply } from "./bench/first-apply.js";
import { measureGrowth } from "./bench/growth.js";
import { measureLayouts } from "./bench/layouts.js";
import { measurePlanning } from "./bench/planning.js";
import { measureProviderStart } from "./bench/provider-start.js";
import { measureApplyRate } from "./bench/rate.js";
import { measureRecovery } from "./bench/recovery.js";
import { measureRequests } from "./bench/requests.js";
import { measureSessions } from "./bench/sessions.js";
import { measureStartUp } from "./bench/start-up.js";
import { measureSynthesis } from "./bench/synth.js";
import { measureTerraform } from "./bench/terraform.js";
import { measureTypeScript } from "./bench/typescript.js";
import { measureWeek } from "./bench/week.js";

const sections: Readonly<Record<string, () => Promise<void>>> = {
  requests: measureRequests,
  planning: measurePlanning,
  growth: measureGrowth,
  layouts: measureLayouts,
  "start-up": measureStartUp,
  rate: measureApplyRate,
  typescript: measureTypeScript,
  synth: measureSynthesis,
  "terraform-start": measureProviderStart,
  terraform: measureTerraform,
  week: measureWeek,
  "first-apply": measureFirstApply,
  recovery: measureRecovery,
  sessions: measureSessions,
};

const wanted = process.argv.slice(2);
for (const name of wanted)
  if (!sections[name])
    throw new Error(`Unknown section ${name}. Use one of: ${Object.keys(sections).join(", ")}.`);
for (const [name, run] of Object.entries(sections)) {
  if (wanted.length === 0 || wanted.includes(name)) await run();
}
