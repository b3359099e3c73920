import type { StackCheck } from "../check.ts";
import type { ProjectFiles } from "../detect/site.ts";
import { splitShellCommands, listMakeRecipes, collectRunScripts, splitInvocationWords } from "./scripts-run.ts";

const SCRIPT_RUNNERS = /^(?:node|tsx|ts-node|bun|deno|python3?|ruby|perl|sh|bash|dash|zsh|ksh)$/;
const PREFIX_WORDS = /^(?:\w+=.*|env|exec|command|time|npx|cross-env|run)$/;
const CONFIG_FILE_OPTIONS = /^(?:-c|-p|-r|--config|--config-file|--project|--rcfile|--require|--import|--loader)$/;

/**
 * Workspace files that a check runs or reads because its script names them: editing `scripts/lint.js` changes the
 * result of `npm run lint`. Build checks are exempt: the files that they build may change.
 */
export function findCheckFiles(
  site: ProjectFiles,
  files: ProjectFiles,
  directory: string,
  { kind, run }: StackCheck,
): string[] {
  if (kind === "build") return [];
  const own = splitInvocationWords(run);
  const lines = [
    ...collectRunScripts(site, directory, own).values(),
    ...listMakeRecipes(site, directory, own).map(([, line]) => line.replace(/^[@+-]+/, "")),
  ];
  const named = [...own, ...lines.flatMap(splitShellCommands)].flatMap(listCommandFiles);
  return named.flatMap((word) => {
    const path = word.includes("*") ? undefined : resolveWorkspacePath(directory, word);
    return path === undefined ? [] : files.matching(".", path);
  });
}

function listCommandFiles(command: readonly string[]): string[] {
  const start = command.findIndex((word) => !PREFIX_WORDS.test(word));
  const [program = "", ...rest] = start < 0 ? [] : command.slice(start);
  const steering = rest.flatMap((word, i) => {
    const [name = "", value] = word.split("=", 2);
    return CONFIG_FILE_OPTIONS.test(name) ? [value ?? rest[i + 1] ?? ""] : [];
  });
  if (program.includes("/")) return [program, ...steering];
  const run = SCRIPT_RUNNERS.test(program)
    ? rest.find((word) => !word.startsWith("-") && !steering.includes(word))
    : undefined;
  return [...(run === undefined ? [] : [run]), ...steering];
}

/** Returns nothing for a path outside the workspace. */
export function resolveWorkspacePath(directory: string, path: string): string | undefined {
  if (path === "" || path.startsWith("/")) return undefined;
  const parts: string[] = [];
  for (const part of `${directory}/${path}`.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join("/");
}
