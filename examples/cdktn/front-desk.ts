import { readFileSync } from "node:fs";
import path from "node:path";
import {
  Avatar,
  AvataropsProvider,
  type AvatarProps,
  Context,
  Secret,
  Voice,
  type VoiceProps,
} from "avatarops/cdktn";
import { TerraformOutput, TerraformStack, TerraformVariable } from "cdktn";
import type { Construct } from "constructs";

/** Properties that differ between the trial desk and the visitors' desk. */
export interface FrontDeskProps {
  /** Appended to every name. */
  readonly label: string;
  readonly avatar: AvatarProps;
  readonly voice: VoiceProps;
}

/** A reception desk: its avatar, voice, prompt and API key. */
export class FrontDesk extends TerraformStack {
  constructor(scope: Construct, id: string, { label, avatar, voice }: FrontDeskProps) {
    super(scope, id);
    new AvataropsProvider(this, "account", { requestsPerSecond: 5 });

    // The value goes from the pipeline to the service. No file contains it, not even a saved plan.
    const key = new TerraformVariable(this, "llm_api_key", { type: "string", sensitive: true });
    key.addOverride("ephemeral", true);
    const secret = new Secret(this, "llm", {
      secretName: `llm${label}`,
      secretType: "LLMPROVIDER_API_KEY",
      secretValue: key.stringValue,
    });

    const desk = new Context(this, "support-desk", {
      name: `Support desk${label}`,
      prompt: readFileSync(path.join(import.meta.dirname, "prompts/support-desk.md"), "utf8").trimEnd(),
      openingText: "Hi ${customer_name}, what can I help with?",
      links: [
        { url: "https://seeufer.example.com/returns", faq: "Returns within 30 days" },
        { url: "https://seeufer.example.com/warranty", faq: "Warranty: frames five years, electrics two" },
      ],
    });
    const reception = new Avatar(this, "reception", avatar);
    new Voice(this, "mara", voice);

    this.output("context_id", desk.id);
    this.output("avatar_id", reception.id);
    this.output("secret_id", secret.id);
  }

  /** Adds an output for programs that start sessions. */
  private output(name: string, value: string): void {
    new TerraformOutput(this, name, { value, staticId: true });
  }
}
