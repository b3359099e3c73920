import { sanitizeText } from "../../quote.ts";
import type { StackCheck, CommandInvocation } from "../check.ts";
import type { ProjectFiles } from "../detect/site.ts";
import { joinFolderAndPath } from "../folder.ts";
import { tokenizeShellLine } from "./shell-line.ts";
import { readShellCommandLine, findHiddenFailure } from "./swallow.ts";

const PACKAGE_MANAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);
const SCRIPT_GROUP_RUNNERS = new Set(["npm-run-all", "npm-run-all2", "run-s", "run-p"]);
/** Commands of the package manager itself, which do not run a script of that name. */
const MANAGER_COMMANDS = new Set([
  "install",
  "ci",
  "i",
  "add",
  "exec",
  "dlx",
  "x",
  "init",
  "publish",
  "pack",
  "version",
]);

/** Longer lines are reported already. */
const LONGEST_SPLIT_LINE = 4_000;

const MOST_CHECK_SCRIPTS = 200;

/** Reasons why a check would pass even if its script fails, one sentence per script. */
export function findDishonestScripts(site: ProjectFiles, directory: string, { tool, kind, run }: StackCheck): string[] {
  const told: string[] = [];
  const says = (where: string, line: string): void => {
    const words = findHiddenFailure(line);
    if (words !== undefined)
      told.push(
        `${where} swallows its own failure with \`${sanitizeText(words, 60)}\`, so ${kind} by ${tool} proves nothing`,
      );
  };
  if ("shell" in run) says(`The line of ${tool}`, run.shell);
  else {
    const line = readShellCommandLine(run.argv.slice(1));
    if (/^(?:.*\/)?(?:sh|bash|dash|zsh|ksh)$/.test(run.argv[0] ?? "") && line !== undefined)
      says(`The line of ${tool}`, line);
  }
  const scripts = collectRunScripts(site, directory, splitInvocationWords(run));
  if (scripts.size > MOST_CHECK_SCRIPTS)
    told.push(`The check ${kind} by ${tool} runs more than ${MOST_CHECK_SCRIPTS} scripts, which nobody can follow`);
  for (const [name, line] of scripts) {
    says(`The script ${sanitizeText(name, 60)} of ${joinFolderAndPath(directory, "package.json")}`, line);
  }
  for (const [name, line] of listMakeRecipes(site, directory, splitInvocationWords(run))) {
    const where = `The target ${sanitizeText(name, 60)} of the Makefile in ${directory}`;
    if (/^[@+]*-/.test(line)) says(where, `${line.replace(/^[@+-]+/, "")} || true`);
    else says(where, line.replace(/^[@+]+/, ""));
  }
  return told;
}

export const splitInvocationWords = (run: CommandInvocation): string[][] =>
  "argv" in run ? [[...run.argv]] : splitShellCommands(run.shell);

export function splitShellCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const token of tokenizeShellLine(line.slice(0, LONGEST_SPLIT_LINE))) {
    if (token.kind === "mark") commands.push([]);
    else commands.at(-1)?.push(token.text);
  }
  return commands.filter((words) => words.length > 0);
}

/** All scripts that the commands run, directly or through other scripts, with their `pre` and `post` scripts. */
export function collectRunScripts(
  site: ProjectFiles,
  directory: string,
  commands: readonly string[][],
): Map<string, string> {
  const { scripts } = site.manifest(directory, "package.json");
  const names = [...scripts.keys()];
  const found = new Map<string, string>();
  const waiting = new Set(commands.flatMap((words) => listNamedScripts(words, names)));
  // The loop also visits names that it adds.
  for (const name of waiting) {
    for (const one of [`pre${name}`, name, `post${name}`]) {
      const line = scripts.get(one);
      if (line === undefined || found.has(one)) continue;
      found.set(one, line);
      for (const other of splitShellCommands(line).flatMap((words) => listNamedScripts(words, names)))
        waiting.add(other);
    }
    if (found.size > MOST_CHECK_SCRIPTS) break;
  }
  return found;
}

function listNamedScripts(command: readonly string[], scripts: readonly string[]): string[] {
  const words = command.filter((word) => !/^\w+=/.test(word));
  const start = words.findIndex(
    (word) => PACKAGE_MANAGERS.has(word) || SCRIPT_GROUP_RUNNERS.has(word) || word === "node",
  );
  if (start < 0) return [];
  const program = words[start] ?? "";
  const rest = words.slice(start + 1);
  if (program === "node")
    return rest.flatMap((word, i) => (word === "--run" ? (rest[i + 1] ?? []) : (/^--run=(.*)/.exec(word)?.[1] ?? [])));
  const named = rest.filter((word) => !word.startsWith("-"));
  if (SCRIPT_GROUP_RUNNERS.has(program)) return named.flatMap((word) => expandScriptPattern(word, scripts));
  const [first = "", second] = named;
  if (first === "run" || first === "run-script") return second === undefined ? [] : [second];
  if (first === "t" || first === "tst") return ["test"];
  return MANAGER_COMMANDS.has(first) || first === "" ? [] : [first];
}

function expandScriptPattern(word: string, scripts: readonly string[]): string[] {
  if (!word.includes("*")) return [word];
  const start = word.slice(0, word.indexOf("*"));
  return scripts.filter((script) => script.startsWith(start));
}

export function listMakeRecipes(
  site: ProjectFiles,
  directory: string,
  commands: readonly string[][],
): [string, string][] {
  return commands.flatMap(([program, ...words]) => {
    if (program !== "make") return [];
    const manifests = site.manifestsIn(directory);
    return words
      .filter((word) => /^\w/.test(word) && !word.includes("="))
      .flatMap((target) =>
        manifests.flatMap(({ targets }) => (targets.get(target) ?? []).map((line): [string, string] => [target, line])),
      );
  });
}
