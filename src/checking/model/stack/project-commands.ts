import { splitShellCommands } from "./script-calls.ts";

/** A recipe line may begin with `@`, `+` and `-`. */
const stripRecipeMarks = (line: string): string => line.replace(/^[@+-]+/, "");

export interface ProjectCommand {
  readonly from: string;
  readonly words: readonly string[];
}

export const CI_FILE = /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml)$/;

const MOST_LINES = 5_000;
/** Targets, recipes and scripts that run tests or all checks. */
const CHECKING_TARGET = /^(?:test|tests|check|ci|unit|spec|lint|default|all|test-.*|test:.*)$/;

/** Shell lines of a CI file, tox.ini, noxfile.py or justfile, by its name. */
export function listProjectLines(name: string, text: string): string[] {
  const lines = text.split(/\r?\n/, MOST_LINES);
  if (/\.ya?ml$/.test(name)) return listCiLines(lines);
  if (name === "tox.ini") return listToxLines(lines);
  if (name === "noxfile.py") return listNoxLines(text);
  return /^\.?justfile$/i.test(name) ? listJustLines(lines) : [];
}

/** Values of `run`, and items of `script` lists. Does not need all of YAML: a command that it misses is not followed. */
function listCiLines(lines: readonly string[]): string[] {
  const found: string[] = [];
  let block: { indent: number; isList: boolean } | undefined;
  for (const line of lines) {
    const indent = line.search(/\S/);
    if (indent < 0) continue;
    const item = line.trim();
    if (block && (indent > block.indent || (block.isList && indent === block.indent && item.startsWith("- ")))) {
      found.push(block.isList ? unquoteScalar(item.replace(/^- /, "")) : item);
      continue;
    }
    block = undefined;
    const [, start = "", key, value = ""] = /^(\s*(?:- )?)(run|script|before_script):\s*(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    const isList = key !== "run" && value === "";
    if (isList || /^[|>][+-]?$/.test(value)) block = { indent: start.length, isList };
    else found.push(unquoteScalar(value));
  }
  return found;
}

const unquoteScalar = (value: string): string => value.replace(/^(["'])(.*)\1$/, "$2");

function listToxLines(lines: readonly string[]): string[] {
  const found: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const first = /^commands\s*=\s*(.*)$/.exec(line)?.[1];
    isOpen = first !== undefined || (isOpen && /^\s+\S/.test(line));
    if (isOpen) found.push((first ?? line).trim().replace(/\{posargs(?::[^}]*)?\}/g, ""));
  }
  return found.filter((line) => line !== "");
}

/** `session.run("pytest", "-q")`. Arguments that are not plain strings are left out. */
const listNoxLines = (text: string): string[] =>
  [...text.slice(0, 200_000).matchAll(/\bsession\.run(?:_always)?\(([^()]{1,1000})\)/g)].map(([, given = ""]) =>
    [...given.matchAll(/(?:^|[,\s])["']([^"']+)["']/g)].map(([, word = ""]) => word).join(" "),
  );

function listJustLines(lines: readonly string[]): string[] {
  let isChecking = false;
  return lines.flatMap((line) => {
    const recipe = /^@?([\w-]+)[^:=]*:(?!=)/.exec(line)?.[1];
    if (recipe !== undefined) isChecking = CHECKING_TARGET.test(recipe);
    return recipe === undefined && isChecking && /^\s+\S/.test(line) ? [stripRecipeMarks(line.trim())] : [];
  });
}

export const listCheckingScripts = (scripts: ReadonlyMap<string, string | readonly string[]>): string[] =>
  [...scripts].flatMap(([name, lines]) =>
    CHECKING_TARGET.test(name) ? (typeof lines === "string" ? [lines] : lines).map(stripRecipeMarks) : [],
  );

export const parseProjectCommands = (from: string, lines: readonly string[]): ProjectCommand[] =>
  lines.flatMap((line) =>
    splitShellCommands(line.replace(/\$\{\{.*?\}\}/g, "$CI")).flatMap((words) => {
      const own = stripLaunchers(words);
      return own.length > 0 ? [{ from, words: own }] : [];
    }),
  );

const LAUNCHERS: readonly RegExp[] = [
  /^\w+=\S*$/,
  /^(?:npx|sudo|time|env|exec|command|xvfb-run|cross-env|c8|nyc)$/,
  /^(?:bundle|pnpm|yarn|npm) exec(?: --)?$/,
  /^(?:uv|poetry|pipenv|pdm|hatch|rye|pixi) run$/,
  /^(?:python[\d.]*|py) -m$/,
  /^coverage run$/,
  /^-m$/,
];

/** Drops the words before the program itself: `bundle exec`, `uv run`, `CI=1`, `coverage run -m`. */
function stripLaunchers(words: readonly string[]): readonly string[] {
  for (const length of [3, 2, 1]) {
    const start = words.slice(0, length).join(" ");
    if (words.length > length && LAUNCHERS.some((launcher) => launcher.test(start)))
      return stripLaunchers(words.slice(length));
  }
  const [program = "", ...rest] = words;
  return program === "" ? [] : [program.replace(/^(?:\.\/)?(?:vendor\/bin|node_modules\/\.bin|bin|\.)\//, ""), ...rest];
}

/** Which words of a project's own command a check takes over. */
export interface FollowedCommand {
  readonly commands: readonly string[];
  /** Options by name; one that ends in `=` has a value, one that ends in `*` any ending. */
  readonly options: readonly string[];
  /** Whether paths are taken over too. */
  readonly paths: boolean;
}

export const runsCommand = ({ words }: ProjectCommand, command: string): boolean =>
  words.slice(0, command.split(" ").length).join(" ") === command;

/** The project's command with the fewest special options, and the words of it to take over. */
export function followProjectCommand(
  commands: readonly ProjectCommand[],
  { commands: names, options, paths }: FollowedCommand,
): { readonly from: string; readonly args: readonly string[] } | undefined {
  const found = commands.flatMap((command) => {
    const name = names.find((each) => runsCommand(command, each));
    if (name === undefined || command.words.some((word) => /skip.?tests?\b|test\.skip/i.test(word))) return [];
    const rest = command.words.slice(name.split(" ").length);
    const end = rest.indexOf("--");
    const args = keepKnownWords(end < 0 ? rest : rest.slice(0, end), options, paths);
    return [{ from: `${command.from}: ${command.words.join(" ")}`, args }];
  });
  return found.toSorted((one, other) => one.args.length - other.args.length)[0];
}

const PLAIN_WORD = /^[\w./:@%+,=-]+$/;

function keepKnownWords(words: readonly string[], options: readonly string[], paths: boolean): string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [name = "", value] = word.split("=", 2);
    const isPlain = PLAIN_WORD.test(word);
    const next = words[at + 1] ?? "";
    if (isPlain && options.some((option) => option.endsWith("*") && word.startsWith(option.slice(0, -1))))
      kept.push(word);
    else if (isPlain && options.includes(word)) kept.push(word);
    else if (options.includes(`${name}=`)) {
      if (value !== undefined && isPlain) kept.push(word);
      // A value with spaces stays one argument: -m "not slow".
      else if (value === undefined && next !== "" && !/[${}`]/.test(next)) kept.push(word, next);
      if (value === undefined) at++;
    } else if (paths && isPlain && !word.startsWith("-") && /[/.]|^tests?$|^spec$/.test(word)) kept.push(word);
  }
  return kept;
}
