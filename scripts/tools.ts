/**
 * Lists the third-party programs and packages that tests and scripts use. They are installed on demand, so the npm
 * packages of each tool have their own folder in `tools`.
 */
import { defineDebianTool } from "./tools/debian.js";
import { defineGoTool, defineOwnGoTool, type GoModule } from "./tools/go.js";
import { defineNpmTool } from "./tools/npm.js";
import { definePythonTool } from "./tools/python.js";
import type { Tool } from "./tools/tool.js";

export const giteaModule: GoModule = {
  module: "code.gitea.io/gitea@v1.26.0",
  sum: "h1:fJP9dqLbzKrKWUVnCVTfVersZdVDuyJQLEDzCAOmKKA=",
  // Sets the version that clients request. A build from the Go module would not contain it.
  flags: ["-tags=sqlite sqlite_unlock_notify", "-ldflags=-X main.Version=1.26.0"],
};

/** Servers, programs and clients for the CI tests. */
export const ciTools = {
  moto: definePythonTool("moto", "moto, a simulated AWS, 110 MB"),
  postgresql: defineDebianTool("postgresql", ["initdb"], { folders: "/usr/lib/postgresql/*/bin" }),
  prometheus: defineDebianTool("prometheus", ["prometheus", "promtool"], { isUnpacked: true }),
  porcupine: defineOwnGoTool("porcupine", "Porcupine"),
  // Only nightly tests load google-auth-library 11, which does not support Node 20.
  libraries: defineNpmTool("libraries", "the service's browser client and google-auth-library 11, 40 MB", [
    "--engine-strict=false",
  ]),
  "hypersonic-heygen": definePythonTool("hypersonic-heygen", "a Python client of the service"),
  "terraform-1.15": onlyOnLinux(definePythonTool("terraform", "Terraform 1.15, 80 MB", "terraform.py")),
};

/** Tools for the nightly tests. The stated build times are for one processor. */
export const nightTools = {
  act: defineGoTool("act", "act, half a minute", {
    module: "github.com/nektos/act@v0.2.89",
    sum: "h1:d9oFeJ6jUkaVExuG+XzAaMPDqoDrNHaGeiRb8IU+N5w=",
  }),
  conftest: defineGoTool("conftest", "Conftest, 4 minutes", {
    module: "github.com/open-policy-agent/conftest@v0.71.1",
    sum: "h1:M6MogKBsr76V7WVTgGgyGvKUsDtzFA3gaOrl7ciyqvQ=",
  }),
  gitea: defineGoTool("gitea", "Gitea, 7 minutes", giteaModule),
  kubeconform: defineGoTool("kubeconform", "kubeconform", {
    module: "github.com/yannh/kubeconform@v0.7.0",
    sum: "h1:ZFfniR8VChrWQxaxTUGnNrxw8RIDkjVBrjdhXSamwjw=",
    main: "./cmd/kubeconform",
  }),
  sops: defineGoTool("sops", "SOPS, 2 minutes", {
    module: "github.com/getsops/sops/v3@v3.13.3",
    sum: "h1:saYczbT88kD1saNChe1cAbFQe5mrRhTIfEw3TaEcmK0=",
    main: "./cmd/sops",
  }),
  "terraform-1.16": defineGoTool("terraform", "Terraform 1.16, 8 minutes", {
    module: "github.com/hashicorp/terraform@v1.16.4",
    sum: "h1:0yyJB6OufO0kqoNg95TGhf+41NsG77th1DPSnKBD878=",
    // Without this flag, Terraform reports a development version.
    flags: ["-ldflags=-X github.com/hashicorp/terraform/version.dev=no"],
    // Removes the state backends whose modules exist only in Terraform's repository.
    removedLines: {
      "go.mod": /^.*terraform\/internal\/(backend\/remote-state\/|legacy ).*\n/gm,
      "internal/backend/init/init.go": /^.*\bbackend(Azure|Consul|Cos|GCS|Kubernetes|OCI|OSS|Pg|S3)\b.*\n/gm,
    },
  }),
  tofu: defineGoTool("tofu", "OpenTofu 1.12, 8 minutes", {
    module: "github.com/opentofu/opentofu@v1.12.6",
    sum: "h1:0VT4P8pMmGcCUnQ9JDrJ+Qg2d35Vzm4FFd/9+H7oF98=",
    main: "./cmd/tofu",
    flags: ["-ldflags=-X github.com/opentofu/opentofu/version.dev=no"],
  }),
  vault: defineGoTool("vault", "Vault, 8 minutes", {
    module: "github.com/hashicorp/vault@v1.21.0",
    sum: "h1:Fip95/8GZy7kqddL26/42AXmBJPsvgaXil/M93Q1/N0=",
    // Omits plugins with large dependencies, such as the Kubernetes login.
    flags: ["-tags=minimal"],
    // Vault's go.mod replaces these modules with local folders. Uses the published versions instead.
    removedLines: { "go.mod": /^.*=> \.\/.*\n/gm },
    addedSums: [
      "github.com/hashicorp/vault/api v1.22.0 h1:+HYFquE35/B74fHoIeXlZIP2YADVboaPjaSicHEZiH0=",
      "github.com/hashicorp/vault/api v1.22.0/go.mod h1:IUZA2cDvr4Ok3+NtK2Oq/r+lJeXkeCrHRmqdyWfpmGM=",
      "github.com/hashicorp/vault/api/auth/kubernetes v0.10.0 h1:5rqWmUFxnu3S7XYq9dafURwBgabYDFzo2Wv+AMopPHs=",
      "github.com/hashicorp/vault/api/auth/kubernetes v0.10.0/go.mod h1:cZZmhF6xboMDmDbMY52oj2DKW6gS0cQ9g0pJ5XIXQ5U=",
      "github.com/hashicorp/vault/sdk v0.20.0 h1:a4ulj2gICzw/qH0A4+6o36qAHxkUdcmgpMaSSjqE3dc=",
      "github.com/hashicorp/vault/sdk v0.20.0/go.mod h1:xEjAt/n/2lHBAkYiRPRmvf1d5B6HlisPh2pELlRCosk=",
    ],
  }),
  versitygw: defineGoTool("versitygw", "versitygw, an S3 server, 2 minutes", {
    module: "github.com/versity/versitygw@v1.8.0",
    sum: "h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=",
    main: "./cmd/versitygw",
  }),
  cdktf: defineNpmTool("cdktf", "the CDKTF command and CDK Terrain's generator, 650 MB"),
  cdktn: defineNpmTool("cdktn", "the CDK Terrain command, 220 MB"),
  promptfoo: onlyOnLinux(defineNpmTool("promptfoo", "promptfoo, 280 MB")),
  "livekit-plugins-liveavatar": definePythonTool("livekit-plugins-liveavatar", "LiveKit's plugin"),
  "pipecat-ai": definePythonTool("pipecat-ai", "Pipecat"),
  "vision-agents-plugins-liveavatar": definePythonTool(
    "vision-agents-plugins-liveavatar",
    "Vision Agents' plugin",
  ),
};

/** Tools that only one script uses. */
const scriptTools = {
  actionlint: defineGoTool("actionlint", "actionlint", {
    module: "github.com/rhysd/actionlint@v1.7.12",
    sum: "h1:vQ4GeJN86C0QH+gTUQcs8McmK62OLT3kmakPMtEWYnY=",
    main: "./cmd/actionlint",
  }),
  tfplugindocs: defineGoTool("tfplugindocs", "tfplugindocs, 20 seconds", {
    module: "github.com/hashicorp/terraform-plugin-docs@v0.25.0",
    sum: "h1:qHs1V257NxVe8tv6HS4UQfNqjaPP5eUlLeDf7jYk85U=",
    main: "./cmd/tfplugindocs",
  }),
  atlantis: defineOwnGoTool("atlantis", "Atlantis's parser"),
  "macho-sign": defineOwnGoTool("macho-sign", "a signer for macOS, 20 seconds"),
  "terraform-control": defineOwnGoTool("terraform-control", "a minimal Terraform provider in Go"),
  linters: definePythonTool("linters", "ShellCheck and the hosts' schemas"),
  node: defineNpmTool("node", "the Node versions, 400 MB"),
  openapi: defineNpmTool("openapi", "GitHub's API description, 394 MB"),
};

export const tools = { ...ciTools, ...nightTools, ...scriptTools };

/** Makes `install` do nothing except on Linux x86-64, the only pinned platform. */
function onlyOnLinux(tool: Tool): Tool {
  const isSupported = process.platform === "linux" && process.arch === "x64";
  return isSupported ? tool : { ...tool, install() {} };
}
