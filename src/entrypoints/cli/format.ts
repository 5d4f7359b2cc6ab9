export type Format = "text" | "json" | "markdown" | "html" | "env" | "csv";
