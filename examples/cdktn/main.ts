import { App } from "cdktn";
import { FrontDesk } from "./front-desk.js";

/*
 * Deploys the reception avatar of Seeufer, a bicycle maker on Lake Constance, once for trials and once for visitors.
 * Run `npx cdktn deploy '*'` in the folder of cdktf.json. AVATAROPS_BASE_URL and AVATAROPS_API_KEY select the account,
 * and TF_VAR_llm_api_key contains the API key of the model provider.
 */

const app = new App({ context: { targetVersions: { terraform: ">=1.11.0", opentofu: ">=1.11.0" } } });
new FrontDesk(app, "staging", {
  label: " (staging)",
  avatar: { id: "a06ef362-3c6e-4a1b-9c2d-5ee0fe120001", name: "Reception Lindau (staging)" },
  voice: { id: "406ef362-3c6e-4a1b-9c2d-5ee0fe120001", name: "Mara (staging)" },
});
new FrontDesk(app, "production", {
  label: "",
  avatar: { id: "a03779b1-9e37-4a1b-9c2d-5ee0fe120000", name: "Reception Lindau" },
  voice: { id: "403779b1-9e37-4a1b-9c2d-5ee0fe120000", name: "Mara" },
});
app.synth();
