import type { Check } from "../check.ts";
import type { Site } from "../detect/site.ts";
import { commandsIn, recipesOf, scriptsOf, wordsOf } from "./scripts-run.ts";

const RUNS = /^(?:node|tsx|ts-node|bun|deno|python3?|ruby|perl|sh|bash|dash|zsh|ksh)$/;
const BEFORE = /^(?:\w+=.*|env|exec|command|time|npx|cross-env|run)$/;
const NAMES = /^(?:-c|-p|-r|--config|--config-file|--project|--rcfile|--require|--import|--loader)$/;

/**
 * Workspace files that a check runs or reads because its script names them: editing `scripts/lint.js` changes the
 * result of `npm run lint`. Build checks are exempt: the files that they build may change.
 */
export function filesRun(site: Site, files: Site, directory: string, { kind, run }: Check): string[] {
  if (kind === "build") return [];
  const own = wordsOf(run);
  const lines = [
    ...scriptsOf(site, directory, own).values(),
    ...recipesOf(site, directory, own).map(([, line]) => line.replace(/^[@+-]+/, "")),
  ];
  const named = [...own, ...lines.flatMap(commandsIn)].flatMap(filesOf);
  return named.flatMap((word) => {
    const path = word.includes("*") ? undefined : resolved(directory, word);
    return path === undefined ? [] : files.matching(".", path);
  });
}

function filesOf(command: readonly string[]): string[] {
  const start = command.findIndex((word) => !BEFORE.test(word));
  const [program = "", ...rest] = start < 0 ? [] : command.slice(start);
  const steering = rest.flatMap((word, i) => {
    const [name = "", value] = word.split("=", 2);
    return NAMES.test(name) ? [value ?? rest[i + 1] ?? ""] : [];
  });
  if (program.includes("/")) return [program, ...steering];
  const run = RUNS.test(program) ? rest.find((word) => !word.startsWith("-") && !steering.includes(word)) : undefined;
  return [...(run === undefined ? [] : [run]), ...steering];
}

/** Returns nothing for a path outside the workspace. */
export function resolved(directory: string, path: string): string | undefined {
  if (path === "" || path.startsWith("/")) return undefined;
  const parts: string[] = [];
  for (const part of `${directory}/${path}`.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join("/");
}
