import { readFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../../base/diagnostics/index.js";
import { executablePath } from "../../../base/optional-packages/index.js";
import { inFolder } from "../../../operations/index.js";
import type { RunCommand } from "../command.js";
import type { terraformInstallCommand } from "../facts/others.js";
import type { Host } from "../host.js";
import type { Output } from "../output.js";
import { placePackage, providerPackage } from "../provider-package.js";

/** The registry that Terraform and OpenTofu use for `avatarops/avatarops` by default. */
const registries = ["registry.terraform.io", "registry.opentofu.org"];

/** Terraform's platform names, by Node's. Windows cannot start the launcher that needs Node. */
const platforms: Readonly<Record<string, string>> = {
  linux_x64: "linux_amd64",
  linux_arm64: "linux_arm64",
  darwin_x64: "darwin_amd64",
  darwin_arm64: "darwin_arm64",
  ...(executablePath && { win32_x64: "windows_amd64" }),
};

export const command: RunCommand<typeof terraformInstallCommand> = async (call) => {
  const { host, output } = call;
  const platform = platforms[host.platform];
  if (!platform) {
    throw new UsageError(
      "unsupported-platform",
      `The Terraform provider runs on Linux and macOS (x64 and arm64), not on ${host.platform}. On Windows, run this and terraform in WSL, or take the executable of a release.`,
    );
  }
  const given = call.options.dir;
  const folder = given === undefined ? impliedMirror(host) : host.resolve(given);
  const provider = await providerPackage();
  await inFolder(folder, () =>
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
  output.info(`Installed Provider ${provider.version} for ${platform} in ${folder}, for terraform and tofu.`);
  await tellUnlessSearched(folder, host, output);
  output.result(requirement(provider.version));
  output.info("Next: add this block to your configuration and run `terraform init`.");
};

/** The folder that both search by default. */
function impliedMirror({ environment: { HOME } }: Host): string {
  if (HOME) return path.join(HOME, ".terraform.d/plugins");
  throw new UsageError(
    "no-home",
    "HOME is not set, so the plugin folder is unknown. Name a folder with --dir.",
  );
}

/**
 * Terraform searches only folders of this name by itself, and none once a CLI configuration says where to
 * look.
 */
async function tellUnlessSearched(folder: string, host: Host, output: Output): Promise<void> {
  const configuration = await installationConfigured(host);
  if (!configuration && /[/.]terraform\.d\/plugins$/.test(folder)) return;
  output.warn(
    configuration
      ? `${configuration} says where providers come from, so Terraform looks nowhere else. Add these lines to it:`
      : "Terraform does not search this folder by itself. Add these lines to its CLI configuration, ~/.terraformrc:",
  );
  output.problem(installation(folder));
}

/** The CLI configuration file, if it has a `provider_installation` block. */
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
