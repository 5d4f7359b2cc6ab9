import { readFile } from "node:fs/promises";
import path from "node:path";
import { type RunCommand, textOption } from "../command.js";
import { exitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { inFolder } from "../folder.js";
import type { Host } from "../host.js";
import type { Output } from "../output.js";
import { placePackage, providerPackage } from "../provider-package.js";

/** Where `avatarops/avatarops` comes from by default, in Terraform and in OpenTofu. */
const registries = ["registry.terraform.io", "registry.opentofu.org"];

/** As Terraform names them, by Node's names. Windows cannot start the provider's launcher. */
const platforms: Readonly<Record<string, string>> = {
  linux_x64: "linux_amd64",
  linux_arm64: "linux_arm64",
  darwin_x64: "darwin_amd64",
  darwin_arm64: "darwin_arm64",
};

export const command: RunCommand = async (call) => {
  const { host, output } = call;
  const platform = platforms[host.platform];
  if (!platform) {
    throw new UsageError(
      "unsupported-platform",
      `The Terraform provider runs on Linux and macOS, on x64 and arm64, and not on ${host.platform}. On Windows, run this and terraform in WSL.`,
    );
  }
  const given = textOption(call, "dir");
  const folder = given === undefined ? impliedMirror(host) : host.resolve(given);
  const provider = await providerPackage();
  const placed = await inFolder(folder, () =>
    Promise.all(
      registries.map((registry) =>
        placePackage(
          provider,
          path.join(folder, registry, "avatarops/avatarops", provider.version, platform),
          host.newId,
        ),
      ),
    ),
  );
  const what = `Provider ${provider.version} for ${platform}`;
  if (placed.every((one) => one === "unchanged")) output.info(`${what} was in ${folder} already.`);
  else output.info(`${what} is now in ${folder}, for terraform and for tofu.`);
  if (placed.includes("replaced")) {
    output.warn(
      `Another build of ${provider.version} was there. A project that has used it refuses this one until the provider's entry is removed from its .terraform.lock.hcl.`,
    );
  }
  await tellUnlessSearched(folder, host, output);
  output.result(requirement(provider.version));
  output.info("Next: put this block into your configuration and run `terraform init`.");
  return exitCode.done;
};

/** The folder that both search when nothing is configured. */
function impliedMirror({ environment: { HOME } }: Host): string {
  if (HOME) return path.join(HOME, ".terraform.d/plugins");
  throw new UsageError(
    "no-home",
    "HOME is not set, where terraform looks for plugins. Name a folder with --dir.",
  );
}

/** Only folders of that name are searched without being asked for, and none once a configuration says where to look. */
async function tellUnlessSearched(folder: string, host: Host, output: Output): Promise<void> {
  const configuration = await installationConfigured(host);
  if (!configuration && /[/.]terraform\.d\/plugins$/.test(folder)) return;
  output.warn(
    configuration
      ? `${configuration} says where providers come from, and no other place is searched. It needs these lines:`
      : "No folder of that name is searched by itself. Terraform's CLI configuration, ~/.terraformrc, needs these lines:",
  );
  output.problem(installation(folder));
}

/** The CLI configuration file with a `provider_installation` block, where there is one. */
async function installationConfigured({ environment, resolve }: Host): Promise<string | undefined> {
  const { TF_CLI_CONFIG_FILE: named, HOME } = environment;
  const files = named
    ? [resolve(named)]
    : HOME
      ? [".terraformrc", ".tofurc"].map((file) => path.join(HOME, file))
      : [];
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.split("\n").some((line) => /^\s*provider_installation\b/.test(line))) return file;
  }
  return undefined;
}

function installation(folder: string): string {
  return `provider_installation {
  filesystem_mirror {
    path    = ${JSON.stringify(folder)}
    include = ["avatarops/avatarops"]
  }
  direct {
    exclude = ["avatarops/avatarops"]
  }
}
`;
}

function requirement(version: string): string {
  return `terraform {
  required_providers {
    avatarops = {
      source  = "avatarops/avatarops"
      version = "${version}"
    }
  }
}
`;
}
