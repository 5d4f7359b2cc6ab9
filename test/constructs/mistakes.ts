/** A mistake in a project of TypeScript. */
interface Mistake {
  readonly what: string;
  /** `avatarops.config.ts` */
  readonly main: string;
  readonly files?: Readonly<Record<string, string>>;
}

const imports =
  'import { Avatar, Context, env, file, Preset, Project, promptFile, Secret, Voice } from "avatarops";\nimport { Construct } from "constructs";\n';

const file = (statements: string, props = "") =>
  `${imports}const project = new Project(${props});\n${statements}\nexport default project;\n`;

/** What is said of each stands in mistakes.txt. */
export const mistakes: readonly Mistake[] = [
  {
    what: "a misspelt property",
    main: file('new Context(project, "desk", {\n  name: "Desk",\n  prompt: "",\n  openingTxt: "Hi",\n});'),
  },
  {
    what: "a property spelled as in YAML",
    main: file('new Context(project, "desk", { name: "Desk", prompt: "p", opening_text: "Hi" });'),
  },
  {
    what: "a value of the wrong type, behind another statement",
    main: file(
      'const a = `ä\n`; new Context(project, "desk", { name: "Desk", prompt: "p", links: [{ url: 1 }] });',
    ),
  },
  {
    what: "a missing property",
    main: file('  new Secret(project, "llm", { secretName: "llm", secretType: "LLMPROVIDER_API_KEY" });'),
  },
  {
    what: "no properties at all",
    main: file(
      'new Voice(project, "mara");\nnew Voice(project, "vera", null);\nnew Voice(project, "nora", 7);',
    ),
  },
  {
    what: "a type of secret that is not known",
    main: file(
      'new Secret(project, "llm", { secretName: "llm", secretType: "TTSPROVIDER_KEY", secretValue: env("KEY") });',
    ),
  },
  {
    what: "two of one name",
    main: file(
      'new Context(project, "desk", { name: "A", prompt: "a" });\nnew Context(project, "desk", { name: "B", prompt: "b" });',
    ),
  },
  {
    what: "two whose paths come to one name",
    main: file(
      'new Context(new Construct(project, "de"), "desk", { name: "A", prompt: "a" });\nnew Context(project, "de-desk", { name: "B", prompt: "b" });',
    ),
  },
  {
    what: "ids that are no names",
    main: file(
      'new Context(project, "my desk", { name: "A", prompt: "a" });\nnew Context(project, undefined, { name: "B", prompt: "b" });\nnew Context(project, "a/b", { name: "C", prompt: "c" });',
    ),
  },
  {
    what: "constructs that belong nowhere",
    main: file(
      'new Context(undefined, "desk", { name: "A", prompt: "a" });\nnew Context({}, "desk", { name: "A", prompt: "a" });\nproject.node.lock();\nnew Context(project, "late", { name: "A", prompt: "a" });',
    ),
  },
  {
    what: "a reference to a construct of another kind",
    main: file(
      'const desk = new Context(project, "desk", { name: "A", prompt: "a" });\nnew Preset(project, "kiosk", { avatar: desk, persona: { voice: project } });\nnew Context(project, "b", { name: "B", prompt: desk });',
    ),
  },
  {
    what: "a reference to nothing",
    main: file(
      'new Preset(project, "kiosk", { persona: { context: "dsk" } });\nnew Context(project, "desk", { name: "A", prompt: "a" });',
    ),
  },
  {
    what: "values that no file could hold",
    main: file(
      'const own = { name: "A", prompt: "a", links: [] };\nown.links.push(own);\nnew Context(project, "round", own);\nnew Context(project, "date", { name: new Date(0), prompt: () => "p", openingText: 1n });\nnew Preset(project, "none", { maxSessionDuration: Number.NaN });',
    ),
  },
  {
    what: "a property that throws when it is read",
    main: file(
      'new Context(project, "desk", { name: "A", get prompt() { throw new RangeError("not now"); } });',
    ),
  },
  {
    what: "a setting that does not exist, and one written out that must not be",
    main: file(
      "",
      '{ servce: {}, contexts: {}, fingerprintKey: "sk-live-4711", service: { apiKy: env("KEY"), baseUrl: "nowhere" } }',
    ),
  },
  {
    what: "a secret written out",
    main: file(
      'new Secret(project, "llm", { secretName: "llm", secretType: "LLMPROVIDER_API_KEY", secretValue: "sk-live-4711" });',
    ),
  },
  {
    what: "a secret written out elsewhere, and a misspelt name beside it",
    main: file(
      'const key = "sk-live-4711"; new Context(project, "desk", { prompt: "" });\nnew Secret(project, "llm", { secretName: "llm", secretType: "LLMPROVIDER_API_KEY", secretValu: key });',
    ),
  },
  {
    what: "a key in the place of a variable's name",
    main: file(
      'new Secret(project, "llm", { secretName: "llm", secretType: "LLMPROVIDER_API_KEY", secretValue: env("sk-live-4711") });',
    ),
  },
  {
    what: "a prompt that is not there, and one outside of the project",
    main: file(
      'new Context(project, "a", { name: "A", prompt: promptFile("prompts/a.md") });\nnew Context(project, "b", { name: "B", prompt: promptFile("../b.md") });',
    ),
  },
  { what: "a mistake of syntax", main: file("const x: string = ;") },
  {
    what: "a merge that git could not end",
    main: file("<<<<<<< HEAD\nconst x = 1;\n=======\nconst x = 2;\n>>>>>>> b"),
  },
  {
    what: "a mistake of syntax beside a key",
    main: file('new Secret(project, "llm", { secretValue: "sk-live-4711, });'),
  },
  {
    what: "an error that is thrown",
    main: file(
      'function load(name: string): never {\n  throw new TypeError(`no ${name}`);\n}\nload("tone");',
    ),
  },
  { what: "something thrown that is no error", main: file('throw "stop";') },
  {
    what: "two constructs of the user's own with one id",
    main: file('new Construct(project, "desk");\n  new Construct(project, "desk");'),
  },
  { what: "a file that is not there", main: file('import { tone } from "./tone";\nconsole.error(tone);') },
  {
    what: "a package that is not installed",
    main: file('import { tone } from "@shop/tones/de";\nconsole.error(tone);'),
  },
  {
    what: "a mistake in a file that is imported",
    main: file('import "./lib/tone.js";'),
    files: { "lib/tone.ts": "export const tone: string = 1 +;\n" },
  },
  { what: "no default export", main: `${imports}export const project = new Project();\n` },
  { what: "a default export that is no project", main: `${imports}export default { contexts: {} };\n` },
  {
    what: "an included file with settings, and one that exports nothing",
    main: file("", '{ include: ["more.ts", "none.ts"] }'),
    files: { "more.ts": file("", '{ drift: "overwrite" }'), "none.ts": "export {};\n" },
  },
  {
    what: "files that include each other",
    main: file("", '{ include: ["more.ts"] }'),
    files: { "more.ts": file("", '{ include: ["avatarops.config.ts"] }') },
  },
  {
    what: "an environment of wrong words",
    main: file(
      'new Context(project, "desk", { name: "A", prompt: "a" });',
      '{ environments: { staging: { contxts: {}, contexts: { desk: { opningText: "b" } } } } }',
    ),
  },
  {
    what: "an empty prompt, and a session without one",
    main: file(
      'new Context(project, "desk", { name: "A", prompt: " " });\nnew Preset(project, "kiosk", { mode: "FULL" });',
    ),
  },
];
