export type Format = "text" | "json" | "markdown" | "env" | "csv";
