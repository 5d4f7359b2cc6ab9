import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

/** What `${{ … }}` sees: `github`, `inputs`, `env` and so on. */
export type Contexts = Readonly<Record<string, unknown>>;

const names = ["github", "inputs", "env", "vars", "secrets", "matrix", "steps", "runner", "needs"];

/** Evaluates an expression with the host's own implementation of its language. */
export function evaluate(expression: string, contexts: Contexts): unknown {
  const { tokens } = new Lexer(expression).lex();
  const known = Object.fromEntries(names.map((name) => [name, contexts[name] ?? {}]));
  const values = JSON.parse(JSON.stringify(known), data.reviver) as data.Dictionary;
  const result = new Evaluator(new Parser(tokens, names, []).parse(), values).evaluate();
  return JSON.parse(JSON.stringify(result, data.replacer));
}

/** A text with its expressions in it evaluated; one that is an expression and nothing else gives its value. */
export function interpolate(text: string, contexts: Contexts): unknown {
  const whole = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s.exec(text.trim());
  if (whole?.[1]) return evaluate(whole[1], contexts);
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => asText(evaluate(expression, contexts)));
}

/** As the host writes a value into a variable. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
