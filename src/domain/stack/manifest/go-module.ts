import type { ProjectManifest } from "./manifest.ts";

export function parseGoModule(text: string): ProjectManifest {
  const directives = new Map<string, string[]>();
  let block: string | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.replace(/\/\/.*$/, "").trim();
    if (line === "") continue;
    if (block !== undefined) {
      if (line === ")") block = undefined;
      else addDirectiveLine(directives, block, line);
      continue;
    }
    const [, name, rest = ""] = /^([a-z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    if (rest === "(") block = name;
    else addDirectiveLine(directives, name, rest);
  }
  const modules = [...(directives.get("require") ?? []), ...(directives.get("tool") ?? [])];
  return {
    dependencies: new Set(modules.map((line) => line.split(/\s/)[0] ?? "").map((path) => path.replace(/\/v\d+$/, ""))),
    scripts: new Map(),
    targets: new Map(),
    tree: Object.fromEntries(directives),
  };
}

function addDirectiveLine(directives: Map<string, string[]>, name: string, line: string): void {
  const lines = directives.get(name);
  if (lines) lines.push(line);
  else directives.set(name, [line]);
}
