import { tokenizeShellLine } from "#kernel/model/shell-command.ts";

const createWordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const PACKAGE_MANAGERS = createWordSet("npm pnpm yarn bun");
const SCRIPT_GROUP_RUNNERS = createWordSet("npm-run-all npm-run-all2 run-s run-p");
/** Commands of the package manager itself, which do not run a script of that name. */
const MANAGER_COMMANDS = createWordSet("install ci i add exec dlx x init publish pack version");
/** Characters. A longer line is a program that cannot be judged. */
export const LONGEST_JUDGED_LINE = 4_000;
export const MOST_CHECK_SCRIPTS = 200;

export function splitShellCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const token of tokenizeShellLine(line.slice(0, LONGEST_JUDGED_LINE))) {
    if (token.kind === "mark") commands.push([]);
    else commands.at(-1)?.push(token.text);
  }
  return commands.filter((words) => words.length > 0);
}

/** All scripts that the commands run, directly or through other scripts, with their `pre` and `post` scripts. */
export function collectRunScripts(
  scripts: ReadonlyMap<string, string>,
  commands: readonly string[][],
): Map<string, string> {
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

/** Programs that run the command after them, with options of their own before it. */
const WRAPPER_PROGRAMS = createWordSet("env cross-env npx exec time c8 nyc node dotenv");

/** Options whose value is a package, not a program. */
const LOADING_OPTIONS = /^(?:-r|--require|--import|--loader|--experimental-loader)$/;

export interface ScriptCall {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Scripts and programs that make the files that tests run. */
const BUILD_SCRIPTS = /(?:^|[:-])(?:build|compile|transpile|bundle)/;
const BUILD_PROGRAMS = createWordSet("tsc tsup rollup webpack esbuild swc babel parcel ncc gulp grunt make");

const isBuildCommand = (words: readonly string[]): boolean => {
  const start = words.findIndex((word) => !/^\w+=/.test(word) && !WRAPPER_PROGRAMS.has(word));
  return BUILD_PROGRAMS.has(words[start] ?? "") && !words.includes("--noEmit");
};

/** `mocha`, or a program with an option. Undefined if there are several calls, or only a shell knows the words. */
export function findScriptCall(scripts: ReadonlyMap<string, string>, wanted: string): ScriptCall | undefined {
  const [call, ...others] = findScriptCalls(scripts, wanted);
  const isPlain = call && ![...call.args, ...Object.values(call.variables)].some((word) => /[$<>`]/.test(word));
  return isPlain && others.length === 0 ? call : undefined;
}

/** None if the script builds first: tests of an old build prove nothing. */
export function findScriptCalls(scripts: ReadonlyMap<string, string>, wanted: string): ScriptCall[] {
  const run = collectRunScripts(scripts, [["npm", "test"]]);
  if ([...run.keys()].some((name) => BUILD_SCRIPTS.test(name))) return [];
  const lines = [...run].map(([name, line]) => {
    const commands = splitShellCommands(line);
    const calls = commands.map((words) => findProgramCall(words, wanted));
    const first = calls.findIndex((call) => call !== undefined);
    // A compiler after the tests only checks types: ava && tsc.
    const before = first < 0 ? commands : commands.slice(0, first);
    return { calls: calls.flatMap((call) => call ?? []), isBuilt: name !== "posttest" && before.some(isBuildCommand) };
  });
  return lines.some(({ isBuilt }) => isBuilt) ? [] : lines.flatMap(({ calls }) => calls);
}

function findProgramCall(words: readonly string[], wanted: string): ScriptCall | undefined {
  const [program = "", ...needed] = wanted.split(" ");
  const start = words.findIndex(
    (word, i) => formatProgramName(word) === program && !LOADING_OPTIONS.test(words[i - 1] ?? ""),
  );
  const before = words.slice(0, Math.max(start, 0));
  const isVariable = (word: string): boolean => /^\w+=/.test(word);
  const first = before.find((word) => !isVariable(word));
  const args = words.slice(start + 1);
  if (start < 0 || (first !== undefined && !WRAPPER_PROGRAMS.has(first))) return undefined;
  if (!needed.every((word) => args.includes(word))) return undefined;
  const variables = Object.fromEntries(
    before.filter(isVariable).map((word) => [word.split("=", 1)[0] ?? "", word.slice(word.indexOf("=") + 1)]),
  );
  const options = first === "node" ? before.slice(before.indexOf(first) + 1).join(" ") : "";
  return { args, variables: options === "" ? variables : { ...variables, NODE_OPTIONS: options } };
}

/** `node_modules/mocha/bin/_mocha.js` is mocha. */
const formatProgramName = (word: string): string => word.replace(/^.*\//, "").replace(/^_|\.[cm]?js$/g, "");

export function selectScriptWords(
  { args }: ScriptCall,
  { drop, values }: { readonly drop: readonly string[]; readonly values: readonly string[] },
  isOptionsOnly: boolean,
): string[] {
  const kept: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    const name = word.split("=", 1)[0] ?? "";
    const hasOwnValue = word.includes("=");
    if (drop.includes(name)) continue;
    if (drop.includes(`${name}=`)) i += hasOwnValue ? 0 : 1;
    else if (!word.startsWith("-")) kept.push(...(isOptionsOnly ? [] : [word]));
    else if (values.includes(name) && !hasOwnValue) kept.push(word, ...args.slice(i + 1, ++i + 1));
    else kept.push(word);
  }
  return kept;
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
  if (SCRIPT_GROUP_RUNNERS.has(program))
    return named.flatMap((word) => {
      const star = word.indexOf("*");
      return star < 0 ? [word] : scripts.filter((script) => script.startsWith(word.slice(0, star)));
    });
  const [first = "", second] = named;
  if (first === "run" || first === "run-script") return second === undefined ? [] : [second];
  if (first === "t" || first === "tst") return ["test"];
  return MANAGER_COMMANDS.has(first) || first === "" ? [] : [first];
}
