import { sanitizeText } from "../../quote.ts";
import type { Check, Invocation } from "../check.ts";
import type { Site } from "../detect/site.ts";
import { fromTop } from "../folder.ts";
import { tokensOf } from "./shell-line.ts";
import { shellLine, swallowsFailure } from "./swallow.ts";

const PACKAGE_MANAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);
const MANY = new Set(["npm-run-all", "npm-run-all2", "run-s", "run-p"]);
/** Commands of the package manager itself, which do not run a script of that name. */
const OWN_WORDS = new Set(["install", "ci", "i", "add", "exec", "dlx", "x", "init", "publish", "pack", "version"]);

/** Longer lines are reported already. */
const LONGEST = 4_000;

const MOST = 200;

/** Reasons why a check would pass even if its script fails, one sentence per script. */
export function dishonestScripts(site: Site, directory: string, { tool, kind, run }: Check): string[] {
  const told: string[] = [];
  const says = (where: string, line: string): void => {
    const words = swallowsFailure(line);
    if (words !== undefined)
      told.push(
        `${where} swallows its own failure with \`${sanitizeText(words, 60)}\`, so ${kind} by ${tool} proves nothing`,
      );
  };
  if ("shell" in run) says(`The line of ${tool}`, run.shell);
  else {
    const line = shellLine(run.argv.slice(1));
    if (/^(?:.*\/)?(?:sh|bash|dash|zsh|ksh)$/.test(run.argv[0] ?? "") && line !== undefined)
      says(`The line of ${tool}`, line);
  }
  const scripts = scriptsOf(site, directory, wordsOf(run));
  if (scripts.size > MOST)
    told.push(`The check ${kind} by ${tool} runs more than ${MOST} scripts, which nobody can follow`);
  for (const [name, line] of scripts) {
    says(`The script ${sanitizeText(name, 60)} of ${fromTop(directory, "package.json")}`, line);
  }
  for (const [name, line] of recipesOf(site, directory, wordsOf(run))) {
    const where = `The target ${sanitizeText(name, 60)} of the Makefile in ${directory}`;
    if (/^[@+]*-/.test(line)) says(where, `${line.replace(/^[@+-]+/, "")} || true`);
    else says(where, line.replace(/^[@+]+/, ""));
  }
  return told;
}

export const wordsOf = (run: Invocation): string[][] => ("argv" in run ? [[...run.argv]] : commandsIn(run.shell));

export function commandsIn(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const token of tokensOf(line.slice(0, LONGEST))) {
    if (token.kind === "mark") commands.push([]);
    else commands.at(-1)?.push(token.text);
  }
  return commands.filter((words) => words.length > 0);
}

/** All scripts that the commands run, directly or through other scripts, with their `pre` and `post` scripts. */
export function scriptsOf(site: Site, directory: string, commands: readonly string[][]): Map<string, string> {
  const { scripts } = site.manifest(directory, "package.json");
  const names = [...scripts.keys()];
  const found = new Map<string, string>();
  const waiting = new Set(commands.flatMap((words) => namedBy(words, names)));
  // The loop also visits names that it adds.
  for (const name of waiting) {
    for (const one of [`pre${name}`, name, `post${name}`]) {
      const line = scripts.get(one);
      if (line === undefined || found.has(one)) continue;
      found.set(one, line);
      for (const other of commandsIn(line).flatMap((words) => namedBy(words, names))) waiting.add(other);
    }
    if (found.size > MOST) break;
  }
  return found;
}

function namedBy(command: readonly string[], scripts: readonly string[]): string[] {
  const words = command.filter((word) => !/^\w+=/.test(word));
  const start = words.findIndex((word) => PACKAGE_MANAGERS.has(word) || MANY.has(word) || word === "node");
  if (start < 0) return [];
  const program = words[start] ?? "";
  const rest = words.slice(start + 1);
  if (program === "node")
    return rest.flatMap((word, i) => (word === "--run" ? (rest[i + 1] ?? []) : (/^--run=(.*)/.exec(word)?.[1] ?? [])));
  const named = rest.filter((word) => !word.startsWith("-"));
  if (MANY.has(program)) return named.flatMap((word) => matching(word, scripts));
  const [first = "", second] = named;
  if (first === "run" || first === "run-script") return second === undefined ? [] : [second];
  if (first === "t" || first === "tst") return ["test"];
  return OWN_WORDS.has(first) || first === "" ? [] : [first];
}

function matching(word: string, scripts: readonly string[]): string[] {
  if (!word.includes("*")) return [word];
  const start = word.slice(0, word.indexOf("*"));
  return scripts.filter((script) => script.startsWith(start));
}

export function recipesOf(site: Site, directory: string, commands: readonly string[][]): [string, string][] {
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
