import path from "node:path";
import { UsageError } from "../../../base/diagnostics/index.js";
import { executablePath } from "../../../base/optional-packages/index.js";
import { runInFolder } from "../../../operations/index.js";
import type { RunCommand } from "../command.js";
import type { terraformInstallCommand } from "../facts/others.js";
import { findPluginFolder } from "../plugin-folder.js";
import { installPackage, readProviderPackage } from "../provider-package.js";

/** Registries that Terraform and OpenTofu use for `avatarops/avatarops` by default. */
const registries = ["registry.terraform.io", "registry.opentofu.org"];

/**
 * Maps Node's platform names to Terraform's. Windows is included only in the executable, because it cannot start the
 * Node launcher.
 */
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
      `The Terraform provider supports Linux and macOS (x64 and arm64), not ${host.platform}. On Windows, use WSL or a release executable.`,
    );
  }
  const given = call.options.dir;
  const folder = given === undefined ? findPluginFolder(host) : host.resolve(given);
  const provider = await readProviderPackage();
  await runInFolder(folder, () =>
    Promise.all(
      registries.map((registry) =>
        installPackage(
          provider,
          path.join(folder, registry, "avatarops/avatarops", provider.version, platform),
          host.newId,
        ),
      ),
    ),
  );
  output.info(`Installed provider ${provider.version} for ${platform} in ${folder}, for terraform and tofu.`);
  output.writeResult(renderRequirement(provider.version));
  output.info("Next: add this block to your configuration and run `terraform init`.");
};

function renderRequirement(version: string): string {
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
