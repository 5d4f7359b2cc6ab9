import type { Diagnostic } from "../../src/base/diagnostics/index.js";

/** A project with a mistake, and all that is said about it. */
export interface Mistake {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly diagnostics: readonly Diagnostic[];
}

const regionsOfA =
  '  a: { name: A, prompt: "<!-- END x --> <!-- BEGIN Ö --><!-- END Ö -->", ignore_changes: [x, Ö, y] }';

export const mistakes: readonly Mistake[] = [
  {
    name: "an unknown field",
    files: { "avatarops.yaml": "contexts:\n  a:\n    name: A\n    promt: You answer politely.\n" },
    diagnostics: [
      {
        severity: "error",
        code: "unknown-field",
        message: 'context.a has no field "promt"',
        place: {
          file: "avatarops.yaml",
          line: 4,
          column: 5,
          length: 5,
          text: "    promt: You answer politely.",
        },
        hint: 'did you mean "prompt"?',
      },
    ],
  },
  {
    name: "an unknown key of the file",
    files: { "avatarops.yaml": "contxts:\n  a: 1\n" },
    diagnostics: [
      {
        severity: "error",
        code: "unknown-field",
        message: 'avatarops.yaml has no key "contxts"',
        place: { file: "avatarops.yaml", line: 1, column: 1, length: 7, text: "contxts:" },
        hint: 'did you mean "contexts"?',
      },
    ],
  },
  {
    name: "a value of another type",
    files: { "avatarops.yaml": "contexts:\n  a: { name: 5, prompt: P }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-type",
        message: "context.a.name must be text, not a number",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 14,
          length: 1,
          text: "  a: { name: 5, prompt: P }",
        },
        hint: "put it in quotes",
      },
    ],
  },
  {
    name: "nothing where text should be",
    files: { "avatarops.yaml": "contexts:\n  a:\n    name: A\n    prompt:\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-type",
        message: "context.a.prompt must be text, not nothing",
        place: { file: "avatarops.yaml", line: 4, column: 5, length: 6, text: "    prompt:" },
        hint: 'write "" for an empty text',
      },
    ],
  },
  {
    name: "a mapping where text should be",
    files: { "avatarops.yaml": "contexts:\n  a: { name: { x: 1 }, prompt: P }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-type",
        message: "context.a.name must be text, not a mapping",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 14,
          length: 8,
          text: "  a: { name: { x: 1 }, prompt: P }",
        },
      },
    ],
  },
  {
    name: "a text where a mapping should be",
    files: { "avatarops.yaml": "contexts:\n  a: hello\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-type",
        message: "context.a must be a mapping",
        place: { file: "avatarops.yaml", line: 2, column: 6, length: 5, text: "  a: hello" },
        hint: "write its fields under it, indented",
      },
    ],
  },
  {
    name: "a list where a mapping should be",
    files: { "avatarops.yaml": "contexts: [a]\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-type",
        message: "contexts must be a mapping",
        place: { file: "avatarops.yaml", line: 1, column: 11, length: 3, text: "contexts: [a]" },
        hint: "give each entry a name of your choice, with its fields under it",
      },
    ],
  },
  {
    name: "a missing field",
    files: { "avatarops.yaml": "contexts:\n  a: { name: A }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "missing-field",
        message: 'context.a has no "prompt", which is required',
        place: { file: "avatarops.yaml", line: 2, column: 3, length: 1, text: "  a: { name: A }" },
        hint: 'add "prompt: …"',
      },
    ],
  },
  {
    name: "a missing id",
    files: { "avatarops.yaml": "avatars:\n  host:\n" },
    diagnostics: [
      {
        severity: "error",
        code: "missing-field",
        message: 'avatar.host has no "id", which is required',
        place: { file: "avatarops.yaml", line: 2, column: 3, length: 4, text: "  host:" },
        hint: 'add "id: …"',
      },
    ],
  },
  {
    name: "an empty text",
    files: { "avatarops.yaml": 'avatars:\n  host: { id: 7d1f0c1e-0000-1000-8000-000000000001, name: "" }\n' },
    diagnostics: [
      {
        severity: "error",
        code: "too-short",
        message: "avatar.host.name is empty",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 59,
          length: 2,
          text: '  host: { id: 7d1f0c1e-0000-1000-8000-000000000001, name: "" }',
        },
      },
    ],
  },
  {
    name: "a text that is too long",
    files: {
      "avatarops.yaml":
        "voices:\n  v: { id: 7d1f0c1e-0000-1000-8000-000000000001, name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx }\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "too-long",
        message: "voice.v.name has 65 characters, at most 64 are allowed",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 56,
          length: 65,
          text: "  v: { id: 7d1f0c1e-0000-1000-8000-000000000001, name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx }",
        },
      },
    ],
  },
  {
    name: "an id that is none",
    files: { "avatarops.yaml": "avatars:\n  host: { id: 12-34 }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "not-a-uuid",
        message: "avatar.host.id is not a UUID",
        place: { file: "avatarops.yaml", line: 2, column: 15, length: 5, text: "  host: { id: 12-34 }" },
        hint: "8-4-4-4-12 hex digits",
      },
    ],
  },
  {
    name: "an address that is none",
    files: {
      "avatarops.yaml": "contexts:\n  a:\n    name: A\n    prompt: P\n    links:\n      - url: example.com\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "not-a-url",
        message: "context.a.links[0].url is not a web address",
        place: { file: "avatarops.yaml", line: 6, column: 14, length: 11, text: "      - url: example.com" },
        hint: "write https://…",
      },
    ],
  },
  {
    name: "a value that is not allowed",
    files: {
      "avatarops.yaml":
        "secrets:\n  s: { secret_name: s, secret_type: OPENAI_API_KEY, secret_value: !env KEY }\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "not-allowed-value",
        message:
          'secret.s.secret_type does not allow "OPENAI_API_KEY"; if the service knows it, add it to service.secret_types',
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 37,
          length: 14,
          text: "  s: { secret_name: s, secret_type: OPENAI_API_KEY, secret_value: !env KEY }",
        },
        hint: "allowed are LLMPROVIDER_API_KEY, VOICEPROVIDER_API_KEY",
      },
    ],
  },
  {
    name: "a logical name that cannot be used",
    files: { "avatarops.yaml": "contexts:\n  my desk: { name: A, prompt: P }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "invalid-name",
        message: "context.my desk has an invalid name",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 3,
          length: 7,
          text: "  my desk: { name: A, prompt: P }",
        },
        hint: "use letters, digits, - and _, and start with a letter or digit",
      },
    ],
  },
  {
    name: "one logical name twice in one file",
    files: { "avatarops.yaml": "contexts:\n  a: { name: A, prompt: P }\n  a: { name: B, prompt: P }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "duplicate-name",
        message: '"a" is used twice in one mapping',
        place: { file: "avatarops.yaml", line: 3, column: 3, length: 1, text: "  a: { name: B, prompt: P }" },
        hint: "the first is at avatarops.yaml:2; remove or rename one",
      },
    ],
  },
  {
    name: "one logical name in two files",
    files: {
      "avatarops.yaml": "include: [a.md]\ncontexts:\n  a: { name: A, prompt: P }\n",
      "a.md": "---\nname: B\n---\nP\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "duplicate-name",
        message: "contexts.a is declared twice",
        place: { file: "a.md", line: 1, column: 1, length: 3, text: "---" },
        hint: "the first is at avatarops.yaml:3; rename one",
      },
    ],
  },
  {
    name: "one id twice",
    files: {
      "avatarops.yaml":
        "avatars:\n  a: { id: 7d1f0c1e-0000-1000-8000-000000000001 }\n  b: { id: 7D1F0C1E-0000-1000-8000-000000000001 }\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "duplicate-id",
        message: "avatar.b has the same id as avatar.a",
        place: {
          file: "avatarops.yaml",
          line: 3,
          column: 3,
          length: 1,
          text: "  b: { id: 7D1F0C1E-0000-1000-8000-000000000001 }",
        },
        hint: "avatar.a is at avatarops.yaml:2; remove one",
      },
    ],
  },
  {
    name: "one label twice",
    files: { "avatarops.yaml": "contexts:\n  a: { name: A, prompt: P }\n  b: { name: A, prompt: Q }\n" },
    diagnostics: [
      {
        severity: "warning",
        code: "same-label",
        message: "context.b has the same name as context.a",
        place: { file: "avatarops.yaml", line: 3, column: 8, length: 4, text: "  b: { name: A, prompt: Q }" },
        hint: "context.a is at avatarops.yaml:2; the service may refuse the second",
      },
    ],
  },
  {
    name: "a reference to nothing",
    files: {
      "avatarops.yaml":
        "avatars:\n  host: { id: 7d1f0c1e-0000-1000-8000-000000000001 }\nsessions:\n  s: { avatar: hots, mode: LITE }\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "undeclared-reference",
        message: "sessions.s.avatar: there is no avatar.hots",
        place: {
          file: "avatarops.yaml",
          line: 4,
          column: 16,
          length: 4,
          text: "  s: { avatar: hots, mode: LITE }",
        },
        hint: "declare it under avatars:",
      },
    ],
  },
  {
    name: "a reference and an id",
    files: {
      "avatarops.yaml":
        "avatars:\n  host: { id: 7d1f0c1e-0000-1000-8000-000000000001 }\nsessions:\n  s: { avatar: host, avatar_id: 7d1f0c1e-0000-1000-8000-000000000001 }\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "conflicting-fields",
        message: "sessions.s has both avatar and avatar_id",
        place: {
          file: "avatarops.yaml",
          line: 4,
          column: 33,
          length: 36,
          text: "  s: { avatar: host, avatar_id: 7d1f0c1e-0000-1000-8000-000000000001 }",
        },
        hint: "keep one of them",
      },
    ],
  },
  {
    name: "a secret written out",
    files: { "avatarops.yaml": "service:\n  api_key: sk-live-1 # sk-live-1 is ours\n" },
    diagnostics: [
      {
        severity: "error",
        code: "literal-secret",
        message: "service.api_key must not be a literal: it would put a secret into git",
        place: { file: "avatarops.yaml", line: 2, column: 12, length: 1, text: "  api_key: …" },
        hint: "use a source: !env NAME, !file path or !exec [command, argument]",
      },
    ],
  },
  {
    name: "a secret written out between braces",
    files: {
      "avatarops.yaml":
        "secrets:\n  s: { secret_value: sk-live-1, secrt_name: sk-live-2, secret_type: LLMPROVIDER_API_KEY }\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "literal-secret",
        message: "secret.s.secret_value must not be a literal: it would put a secret into git",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 22,
          length: 1,
          text: "  s: { secret_value: …, secrt_name: …, secret_type: LLMPROVIDER_API_KEY }",
        },
        hint: "use a source: !env NAME, !file path or !exec [command, argument]",
      },
      {
        severity: "error",
        code: "unknown-field",
        message: 'secret.s has no field "secrt_name"',
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 25,
          length: 10,
          text: "  s: { secret_value: …, secrt_name: …, secret_type: LLMPROVIDER_API_KEY }",
        },
        hint: 'did you mean "secret_name"?',
      },
    ],
  },
  {
    name: "a secret written out over lines",
    files: {
      "avatarops.yaml":
        "secrets:\n  s:\n    secret_name: s\n    secret_type: LLMPROVIDER_API_KEY\n    secret_value: |\n      sk-live-1\n      sk-live-2\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "literal-secret",
        message: "secret.s.secret_value must not be a literal: it would put a secret into git",
        place: { file: "avatarops.yaml", line: 5, column: 19, length: 1, text: "    secret_value: …" },
        hint: "use a source: !env NAME, !file path or !exec [command, argument]",
      },
    ],
  },
  {
    name: "a secret behind an alias",
    files: { "avatarops.yaml": "x-key: &k sk-live-1\nfingerprint_key: *k\n" },
    diagnostics: [
      {
        severity: "error",
        code: "literal-secret",
        message: "fingerprint_key must not be a literal: it would put a secret into git",
        place: { file: "avatarops.yaml", line: 1, column: 11, length: 1, text: "x-key: &k …" },
        hint: "use a source: !env NAME, !file path or !exec [command, argument]",
      },
    ],
  },
  {
    name: "a key pasted behind !env",
    files: { "avatarops.yaml": "service:\n  api_key: !env sk-live-1\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-tag",
        message: "service.api_key: !env must be followed by the name of an environment variable",
        place: { file: "avatarops.yaml", line: 2, column: 17, length: 1, text: "  api_key: !env …" },
        hint: "write !env LLM_API_KEY, with the name of the variable and not its value",
      },
    ],
  },
  {
    name: "a key pasted behind !env that could be a name",
    files: { "avatarops.yaml": "service:\n  api_key: !env sk_51HqLyjWDarjtT1zdp7dcAbC\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-tag",
        message: "service.api_key: !env must be followed by the name of an environment variable",
        place: { file: "avatarops.yaml", line: 2, column: 17, length: 1, text: "  api_key: !env …" },
        hint: "write !env LLM_API_KEY, with the name of the variable and not its value",
      },
    ],
  },
  {
    name: "a mistake of syntax beside a secret",
    files: { "avatarops.yaml": 'service:\n  api_key: "sk-live-1\nstate: x\n' },
    diagnostics: [
      {
        severity: "error",
        code: "yaml-syntax",
        message: 'this is not valid YAML: missing closing "quote',
        place: { file: "avatarops.yaml", line: 4, column: 1, length: 1, text: "" },
      },
    ],
  },
  {
    name: "a missing file behind !file",
    files: {
      "avatarops.yaml": "contexts:\n  a: { name: A, prompt: !file prompts/suport.md }\n",
      "prompts/support.md": "x",
    },
    diagnostics: [
      {
        severity: "error",
        code: "missing-file",
        message: "there is no file prompts/suport.md",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 31,
          length: 17,
          text: "  a: { name: A, prompt: !file prompts/suport.md }",
        },
        hint: 'did you mean "prompts/support.md"?',
      },
    ],
  },
  {
    name: "a missing file to include",
    files: { "avatarops.yaml": "include: [suport.md]\n", "support.md": "x" },
    diagnostics: [
      {
        severity: "error",
        code: "missing-file",
        message: "there is no file suport.md",
        place: { file: "avatarops.yaml", line: 1, column: 11, length: 9, text: "include: [suport.md]" },
        hint: 'did you mean "support.md"?',
      },
    ],
  },
  {
    name: "a pattern that matches nothing",
    files: { "avatarops.yaml": "include: ['nothing/*.md']\n" },
    diagnostics: [
      {
        severity: "warning",
        code: "no-match",
        message: "nothing/*.md matches no file",
        place: { file: "avatarops.yaml", line: 1, column: 11, length: 14, text: "include: ['nothing/*.md']" },
        hint: "correct or remove it",
      },
    ],
  },
  {
    name: "a file outside of the project",
    files: { "avatarops.yaml": "contexts:\n  a: { name: A, prompt: !file ../p.md }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "outside-project",
        message: '"../p.md" leads outside the project folder',
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 31,
          length: 7,
          text: "  a: { name: A, prompt: !file ../p.md }",
        },
        hint: "name a file in the project folder, relative to the file this is written in",
      },
    ],
  },
  {
    name: "an absolute path",
    files: { "avatarops.yaml": "include: [/etc/hosts]\n" },
    diagnostics: [
      {
        severity: "error",
        code: "outside-project",
        message: '"/etc/hosts" leads outside the project folder',
        place: { file: "avatarops.yaml", line: 1, column: 11, length: 10, text: "include: [/etc/hosts]" },
        hint: "name a file in the project folder, relative to the file this is written in",
      },
    ],
  },
  {
    name: "states outside of the project",
    files: {
      "avatarops.yaml": `state: /var/lib/state.json
environments:
  a: { state: ../state.json }
  b: { state: states/../../state.json }
  c: { state: 'C:\\state.json' }
  d: { state: '..\\state.json' }
`,
    },
    diagnostics: (
      [
        [1, 8, "/var/lib/state.json", "state: /var/lib/state.json"],
        [3, 15, "../state.json", "  a: { state: ../state.json }"],
        [4, 15, "states/../../state.json", "  b: { state: states/../../state.json }"],
        [5, 15, "C:\\state.json", "  c: { state: 'C:\\state.json' }"],
        [6, 15, "..\\state.json", "  d: { state: '..\\state.json' }"],
      ] as const
    ).map(([line, column, state, text]) => ({
      severity: "error",
      code: "outside-project",
      message: `state ${JSON.stringify(state)} leads outside the project folder`,
      place: {
        file: "avatarops.yaml",
        line,
        column,
        length: text.includes("'") ? state.length + 2 : state.length,
        text,
      },
      hint: "name a file in the project folder, such as .avatarops/staging.json",
    })),
  },
  {
    name: "a file that is not YAML, Markdown or TypeScript",
    files: { "avatarops.yaml": "include: [a.txt]\n", "a.txt": "x" },
    diagnostics: [
      {
        severity: "error",
        code: "unknown-file-type",
        message: "a.txt is not YAML, Markdown or TypeScript",
        place: { file: "avatarops.yaml", line: 1, column: 11, length: 5, text: "include: [a.txt]" },
        hint: "include *.yaml, *.yml, *.md or *.ts",
      },
    ],
  },
  {
    name: "files that include each other",
    files: {
      "avatarops.yaml": "include: [a.yaml]\n",
      "a.yaml": "include: [b.yaml]\n",
      "b.yaml": "include: [a.yaml]\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "include-cycle",
        message: "files include each other: a.yaml → b.yaml → a.yaml",
        place: { file: "b.yaml", line: 1, column: 11, length: 6, text: "include: [a.yaml]" },
        hint: "remove one of these includes",
      },
    ],
  },
  {
    name: "settings in an included file",
    files: { "avatarops.yaml": "include: [a.yaml]\n", "a.yaml": "service: {}\n" },
    diagnostics: [
      {
        severity: "error",
        code: "unknown-field",
        message: 'a.yaml has no key "service"',
        place: { file: "a.yaml", line: 1, column: 1, length: 7, text: "service: {}" },
        hint: "move it to the main file",
      },
    ],
  },
  {
    name: "a mistake of syntax",
    files: { "avatarops.yaml": "contexts:\n  a: b: c\n" },
    diagnostics: [
      {
        severity: "error",
        code: "yaml-syntax",
        message: "this is not valid YAML: nested mappings are not allowed in compact mappings",
        place: { file: "avatarops.yaml", line: 2, column: 6, length: 1, text: "  a: b: c" },
        hint: 'quote a text that contains ": "; or start the next key in the column of this one',
      },
    ],
  },
  ...(
    [
      [
        "tabs",
        "contexts:\n\ta: 1\n",
        2,
        1,
        1,
        "\ta: 1",
        "tabs are not allowed as indentation",
        "indent with spaces",
      ],
      [
        "a key between two columns",
        "contexts:\n  a: { name: A, prompt: P }\n b: 1\n",
        3,
        1,
        1,
        " b: 1",
        "all mapping items must start at the same column",
        "start it in the same column as the other keys of its mapping",
      ],
    ] as const
  ).map(
    ([name, text, line, column, length, shown, said, hint]): Mistake => ({
      name,
      files: { "avatarops.yaml": text },
      diagnostics: [
        {
          severity: "error",
          code: "yaml-syntax",
          message: `this is not valid YAML: ${said}`,
          place: { file: "avatarops.yaml", line, column, length, text: shown },
          hint,
        },
      ],
    }),
  ),
  {
    name: "two documents",
    files: { "avatarops.yaml": "state: a\n---\nstate: b\n" },
    diagnostics: [
      {
        severity: "error",
        code: "yaml-syntax",
        message: "this is not valid YAML: source contains multiple documents",
        place: { file: "avatarops.yaml", line: 2, column: 1, length: 3, text: "---" },
        hint: "move it to a file of its own, and name that under include:",
      },
    ],
  },
  {
    name: "an alias without an anchor",
    files: { "avatarops.yaml": "contexts:\n  a: &base { name: A, prompt: P }\n  b: *bse\n" },
    diagnostics: [
      {
        severity: "error",
        code: "yaml-syntax",
        message: "there is no anchor &bse before this alias",
        place: { file: "avatarops.yaml", line: 3, column: 6, length: 4, text: "  b: *bse" },
        hint: "did you mean *base?",
      },
    ],
  },
  {
    name: "an alias within its own anchor",
    files: { "avatarops.yaml": "contexts: &c\n  a: *c\n" },
    diagnostics: [
      {
        severity: "error",
        code: "alias-expansion",
        message: "*c contains itself",
        place: { file: "avatarops.yaml", line: 2, column: 6, length: 2, text: "  a: *c" },
      },
    ],
  },
  {
    name: "a merge of no mapping",
    files: { "avatarops.yaml": "contexts:\n  a: { <<: x, name: A, prompt: P }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-type",
        message: '"<<" must merge a mapping',
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 12,
          length: 1,
          text: "  a: { <<: x, name: A, prompt: P }",
        },
        hint: "write <<: *anchor",
      },
    ],
  },
  {
    name: "an empty prompt",
    files: { "avatarops.yaml": "contexts:\n  a: { name: A, prompt: ' ' }\n" },
    diagnostics: [
      {
        severity: "warning",
        code: "empty-prompt",
        message: "context.a.prompt is empty",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 25,
          length: 3,
          text: "  a: { name: A, prompt: ' ' }",
        },
        hint: "write what the avatar should know",
      },
    ],
  },
  {
    name: "a session without a context",
    files: {
      "avatarops.yaml": "sessions:\n  s: { avatar_id: 7d1f0c1e-0000-1000-8000-000000000001, mode: FULL }\n",
    },
    diagnostics: [
      {
        severity: "warning",
        code: "preset-without-context",
        message: "sessions.s is a FULL session without a context: the avatar would stay silent",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 3,
          length: 1,
          text: "  s: { avatar_id: 7d1f0c1e-0000-1000-8000-000000000001, mode: FULL }",
        },
        hint: "add persona.context",
      },
    ],
  },
  {
    name: "a tag where none may stand",
    files: { "avatarops.yaml": "contexts:\n  a: { name: !env NAME, prompt: P }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-tag",
        message: "context.a.name cannot come from !env",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 19,
          length: 4,
          text: "  a: { name: !env NAME, prompt: P }",
        },
        hint: "only service settings, the fingerprint key and secret values can; write the value itself, or use !file",
      },
    ],
  },
  {
    name: "a tag that does not exist",
    files: { "avatarops.yaml": "contexts:\n  a: { name: A, prompt: !fil p.md }\n" },
    diagnostics: [
      {
        severity: "error",
        code: "unknown-tag",
        message: "there is no tag !fil",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 25,
          length: 4,
          text: "  a: { name: A, prompt: !fil p.md }",
        },
        hint: "did you mean !file?",
      },
    ],
  },
  {
    name: "!exec without a command",
    files: { "avatarops.yaml": "service:\n  api_key: !exec []\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-tag",
        message: "service.api_key: !exec must be followed by a command and its arguments",
        place: { file: "avatarops.yaml", line: 2, column: 18, length: 2, text: "  api_key: !exec []" },
        hint: "write !exec [command, argument] or !exec { command: [command, argument], timeout_seconds: 10 }",
      },
    ],
  },
  {
    name: "an environment that does not exist",
    files: { "avatarops.yaml": "contexts:\n  a: { name: A, prompt: P }\nenvironments:\n  staging: {}\n" },
    environment: "stagin",
    diagnostics: [
      {
        severity: "error",
        code: "unknown-environment",
        message: 'there is no environment "stagin"',
        hint: 'did you mean "staging"? (the environments are staging)',
      },
    ],
  },
  {
    name: "an unknown key of an environment",
    files: {
      "avatarops.yaml": "contexts:\n  a: { name: A, prompt: P }\nenvironments:\n  staging: { include: [] }\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "unknown-field",
        message: 'environments.staging has no key "include"',
        place: { file: "avatarops.yaml", line: 4, column: 14, length: 7, text: "  staging: { include: [] }" },
        hint: "its keys are needs, service, state, drift, thresholds, on_removal, fingerprint_key, variables, templates, partials, notify, policies, reviews, avatars, voices, contexts, secrets, llm_configurations, sessions",
      },
    ],
  },
  {
    name: "a mistake in an environment that is not chosen",
    files: {
      "avatarops.yaml":
        "contexts:\n  a: { name: A, prompt: P }\nenvironments:\n  staging:\n    contexts:\n      a: { promt: x }\n      b: { name: B }\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "unknown-field",
        message: 'context.a has no field "promt"',
        place: { file: "avatarops.yaml", line: 6, column: 12, length: 5, text: "      a: { promt: x }" },
        hint: 'did you mean "prompt"?',
      },
      {
        severity: "error",
        code: "missing-field",
        message: 'context.b has no "prompt", which is required',
        place: { file: "avatarops.yaml", line: 7, column: 7, length: 1, text: "      b: { name: B }" },
        hint: 'add "prompt: …"',
      },
    ],
  },
  {
    name: "an address that is not encrypted",
    files: { "avatarops.yaml": "service:\n  base_url: http://api.example.com\n" },
    diagnostics: [
      {
        severity: "warning",
        code: "insecure-url",
        message: "service.base_url would send the API key unencrypted",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 13,
          length: 22,
          text: "  base_url: http://api.example.com",
        },
        hint: "use https://…",
      },
    ],
  },
  {
    name: "a number out of bounds",
    files: {
      "avatarops.yaml": "service: { concurrency: 0, timeout_seconds: 1.5, requests_per_second: 0 }\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "too-small",
        message: "service.concurrency must be at least 1",
        place: {
          file: "avatarops.yaml",
          line: 1,
          column: 25,
          length: 1,
          text: "service: { concurrency: 0, timeout_seconds: 1.5, requests_per_second: 0 }",
        },
      },
      {
        severity: "error",
        code: "too-small",
        message: "service.requests_per_second must be more than 0",
        place: {
          file: "avatarops.yaml",
          line: 1,
          column: 71,
          length: 1,
          text: "service: { concurrency: 0, timeout_seconds: 1.5, requests_per_second: 0 }",
        },
      },
    ],
  },
  {
    name: "an empty file",
    files: { "avatarops.yaml": "# nothing yet\n" },
    diagnostics: [
      {
        severity: "error",
        code: "empty-document",
        message: "avatarops.yaml declares nothing",
        place: { file: "avatarops.yaml", line: 1, column: 1, length: 1, text: "# nothing yet" },
        hint: "declare something in it, or remove it",
      },
    ],
  },
  {
    name: "no mapping at all",
    files: { "avatarops.yaml": "- a\n" },
    diagnostics: [
      {
        severity: "error",
        code: "wrong-type",
        message: "avatarops.yaml must be a mapping",
        place: { file: "avatarops.yaml", line: 1, column: 1, length: 3, text: "- a" },
        hint: "start with contexts: or avatars:",
      },
    ],
  },
  {
    name: "front matter without a name",
    files: { "avatarops.yaml": "include: [a.md]\n", "a.md": "---\nopening_text: Hi\n---\nP\n" },
    diagnostics: [
      {
        severity: "error",
        code: "missing-field",
        message: 'context.a has no "name", which is required',
        place: { file: "a.md", line: 1, column: 1, length: 3, text: "---" },
        hint: 'add "name: …"',
      },
    ],
  },
  {
    name: "front matter of a file that is a text",
    files: {
      "avatarops.yaml": "contexts:\n  a: { name: A, prompt: !file a.md, opening_text: !file b.md }\n",
      "a.md": "---\nname: A\n---\nP\n",
      "b.md": "---\nBetween two rules.\n---\nHi\n",
    },
    diagnostics: [
      {
        severity: "warning",
        code: "sent-front-matter",
        message: "a.md begins with front matter, which is sent as part of the text",
        place: {
          file: "avatarops.yaml",
          line: 2,
          column: 31,
          length: 4,
          text: "  a: { name: A, prompt: !file a.md, opening_text: !file b.md }",
        },
        hint: 'remove it from the file; or, if the file is an object, write include: ["a.md"] instead',
      },
    ],
  },
  {
    name: "no front matter",
    files: { "avatarops.yaml": "include: [a.md]\n", "a.md": "P\n" },
    diagnostics: [
      {
        severity: "error",
        code: "missing-field",
        message: 'context.a has no "name", which is required',
        place: { file: "a.md", line: 1, column: 1, length: 1, text: "P" },
        hint: "start the file with these lines:\n---\nname: A\n---",
      },
    ],
  },
  {
    name: "front matter without an end",
    files: { "avatarops.yaml": "include: [a.md]\n", "a.md": "---\nname: A\n\nP\n" },
    diagnostics: [
      {
        severity: "error",
        code: "missing-field",
        message: 'context.a has no "name", which is required',
        place: { file: "a.md", line: 1, column: 1, length: 3, text: "---" },
        hint: "end the front matter with a line of three dashes: ---",
      },
    ],
  },
  {
    name: "placeholders that do not end",
    files: {
      "avatarops.yaml": `include: [c.md]
contexts:
  a: { name: A, prompt: "Hi \${name, \${order}" }
  b: { name: B, prompt: !file b.txt }
  d: { name: D, prompt: "\\x24{x" }
`,
      "b.txt": "one\n  ${two and ${three}\n",
      "c.md": "---\nname: C\n---\nHi ${name\n} ${a} $5 {b ${c ${d}\n",
    },
    diagnostics: (
      [
        ["a", "${name,", "avatarops.yaml", 3, 29, 7, '  a: { name: A, prompt: "Hi ${name, ${order}" }'],
        ["d", "${x", "avatarops.yaml", 5, 25, 8, '  d: { name: D, prompt: "\\x24{x" }'],
        ["b", "${two and", "b.txt", 2, 3, 9, "  ${two and ${three}"],
        ["c", "${name", "c.md", 4, 4, 6, "Hi ${name"],
        ["c", "${c", "c.md", 5, 14, 3, "} ${a} $5 {b ${c ${d}"],
      ] as const
    ).map(([key, found, file, line, column, length, text]) => ({
      severity: "warning",
      code: "unclosed-placeholder",
      message: `context.${key}.prompt has an unclosed placeholder: ${found}`,
      place: { file, line, column, length, text },
      hint: 'close it with "}" on the same line',
    })),
  },
  {
    name: "marks of regions that mark nothing",
    files: {
      "avatarops.yaml": [
        "templates: [c.md]",
        "include: [d.md]",
        "contexts:",
        regionsOfA,
        "  b: { name: B, prompt: !file b.md, ignore_changes: [x, z] }",
        "  c: { name: C, prompt: !file c.md, ignore_changes: [x] }",
        "",
      ].join("\n"),
      "b.md":
        "One.\r\n<!-- BEGIN x -->\r\n<!--BEGIN z--> <!-- END z -->\r\n<!-- END x -->\r\n<!-- BEGIN other -->\n",
      "c.md": "Hi\n\n{{> part}}\n",
      "partials/part.md": "<!-- BEGIN x --><!-- END x -->\n<!-- BEGIN x -->\n",
      "d.md": "---\nname: D\nignore_changes: [x]\n---\n\nHi <!-- BEGIN x -->\n",
    },
    diagnostics: (
      [
        ["a", "x", "ends where it has not begun", "avatarops.yaml", 4, 26, 14, regionsOfA],
        ["b", "x", "does not end before the next one begins", "b.md", 2, 1, 16, "<!-- BEGIN x -->"],
        ["b", "z", "begins within x", "b.md", 3, 1, 14, "<!--BEGIN z--> <!-- END z -->"],
        ["d", "x", "does not end", "d.md", 6, 4, 16, "Hi <!-- BEGIN x -->"],
        ["c", "x", "begins twice", "partials/part.md", 2, 1, 16, "<!-- BEGIN x -->"],
      ] as const
    )
      .map(
        ([key, region, why, file, line, column, length, text]): Diagnostic => ({
          severity: "error",
          code: "broken-region",
          message: `context.${key}: the region ${region} of prompt ${why}`,
          place: { file, line, column, length, text },
          hint: `write <!-- BEGIN ${region} --> once before the text and <!-- END ${region} --> once after it`,
        }),
      )
      .toSpliced(1, 0, {
        severity: "error",
        code: "missing-region",
        message: "context.a: the region y is in no text",
        place: { file: "avatarops.yaml", line: 4, column: 97, length: 1, text: regionsOfA },
        hint: "write <!-- BEGIN y --> once before the text and <!-- END y --> once after it",
      }),
  },
  ...(
    [
      ["of YAML", "avatarops.yaml", "# mine\n<<<<<<< HEAD\nstate: a\n=======\nstate: b\n>>>>>>> b\n"],
      [
        "of front matter",
        "c.md",
        "---\r\n<<<<<<< HEAD\r\nname: C\r\n=======\r\nname: D\r\n>>>>>>> b\r\n---\r\nHi\r\n",
      ],
    ] as const
  ).map(
    ([what, file, text]): Mistake => ({
      name: `a merge ${what} that git could not end`,
      files: { "avatarops.yaml": "include: [c.md]\n", [file]: text },
      diagnostics: [
        {
          severity: "error",
          code: "merge-conflict",
          message: `${file} has git's conflict markers`,
          place: { file, line: 2, column: 1, length: 12, text: "<<<<<<< HEAD" },
          hint: "finish the merge: keep one side or combine both, and remove the markers",
        },
      ],
    }),
  ),
  {
    name: "a merge of front matter that git could not end, and that goes on below it",
    files: {
      "avatarops.yaml": "include: [c.md]\n",
      "c.md":
        "---\nname: C\n<<<<<<< HEAD\nopening_text: a\n---\nHi\n=======\nopening_text: b\n---\nHo\n>>>>>>> b\n",
    },
    diagnostics: [
      {
        severity: "error",
        code: "merge-conflict",
        message: "c.md has git's conflict markers",
        place: { file: "c.md", line: 3, column: 1, length: 12, text: "<<<<<<< HEAD" },
        hint: "finish the merge: keep one side or combine both, and remove the markers",
      },
    ],
  },
  {
    name: "a merge of prose that git could not end, but no lines that only look like its markers",
    files: {
      "avatarops.yaml": "include: [c.md, d.md]\ncontexts:\n  b: { name: B, prompt: !file b.txt }\n",
      "b.txt": "one\n<<<<<<< HEAD\ntwo\n=======\n>>>>>>> b\n",
      "c.md": "---\nname: C\n---\nHi\n<<<<<<< HEAD\n=======\nyou\n>>>>>>> b\n",
      "d.md": "---\nname: D\n---\n>>>>>>> b\nTitle\n=======\n<<<<<<< HEAD\n",
    },
    diagnostics: (
      [
        ["b", "b.txt", 2],
        ["c", "c.md", 5],
      ] as const
    ).map(([key, file, line]) => ({
      severity: "warning",
      code: "merge-conflict",
      message: `context.${key}.prompt has git's conflict markers, which the avatar would read`,
      place: { file, line, column: 1, length: 12, text: "<<<<<<< HEAD" },
      hint: "finish the merge: keep one side or combine both, and remove the markers",
    })),
  },
  {
    name: "an id in the place of a logical name",
    files: {
      "avatarops.yaml":
        "sessions:\n  k: { avatar: 7d1f0c1e-0000-1000-8000-000000000001 }\n  l: { persona: { voice: 7D1F0C1E-0000-1000-8000-000000000001 } }\n",
    },
    diagnostics: (
      [
        [2, 16, "avatar", "avatar", "7d1f0c1e", "  k: { avatar: 7d1f0c1e-0000-1000-8000-000000000001 }"],
        [
          3,
          26,
          "persona.voice",
          "voice",
          "7D1F0C1E",
          "  l: { persona: { voice: 7D1F0C1E-0000-1000-8000-000000000001 } }",
        ],
      ] as const
    ).map(([line, column, field, kind, begin, text]) => ({
      severity: "error",
      code: "undeclared-reference",
      message: `sessions.${line === 2 ? "k" : "l"}.${field}: there is no ${kind}.${begin}-0000-1000-8000-000000000001`,
      place: { file: "avatarops.yaml", line, column, length: 36, text },
      hint: `this is an id: write ${kind}_id: instead of ${kind}:`,
    })),
  },
  {
    name: "files named from the project folder in a file of a sub-folder",
    files: {
      "avatarops.yaml": "include: [parts/*.yaml]\n",
      "parts/b.yaml":
        "contexts:\n  a: { name: A, prompt: !file prompts/a.md }\n  b: { name: B, prompt: !file nowhere }\n",
      "prompts/a.md": "P",
    },
    diagnostics: [
      {
        severity: "error",
        code: "missing-file",
        message: "there is no file parts/prompts/a.md",
        place: {
          file: "parts/b.yaml",
          line: 2,
          column: 31,
          length: 12,
          text: "  a: { name: A, prompt: !file prompts/a.md }",
        },
        hint: "paths are relative to the file they are written in; this one is in parts/: write ../prompts/a.md",
      },
      {
        severity: "error",
        code: "missing-file",
        message: "there is no file parts/nowhere",
        place: {
          file: "parts/b.yaml",
          line: 3,
          column: 31,
          length: 7,
          text: "  b: { name: B, prompt: !file nowhere }",
        },
        hint: "paths are relative to the file they are written in; this one is in parts/",
      },
    ],
  },
  {
    name: "a prompt in front matter and body",
    files: { "avatarops.yaml": "include: [a.md]\n", "a.md": "---\nname: A\nprompt: P\n---\nQ\n" },
    diagnostics: [
      {
        severity: "error",
        code: "duplicate-name",
        message: "prompt is declared twice",
        place: { file: "a.md", line: 5, column: 1, length: 1, text: "Q" },
        hint: "the first is at a.md:3; rename one",
      },
    ],
  },
];
