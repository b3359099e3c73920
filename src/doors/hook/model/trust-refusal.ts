import type { HookRefusal } from "./edit-refusal.ts";
import {
  dropCommandPrefix,
  findStartedProgram,
  listExecutedCommands,
  listStartedWords,
  TERMINAL_EMULATOR_PATTERN,
  UNKNOWN_WORD,
} from "./executed-commands.ts";
import refusals from "./hook-refusals.json" with { type: "json" };

const TENON_PROGRAM_PATTERN =
  /(?:^|[/\\])tenon(?:@[\w.^~-]+)?(?:\.(?:[cm]?js|cmd|exe|ps1))?$|[/\\]tenon[/\\]dist[/\\]app[/\\]main\.js$|^(?:which|command -v) \S*tenon$/i;
/** Flags that change the trusted commands. `--input` may contain any of them. */
const TRUST_DECISION_FLAGS = /^--(?:confirm|revoke|pass|input)(?:=|$)/;

export const TRUST_FILE_REFUSAL: HookRefusal = refusals.trustFile;

/** Sees only the command itself, not what started programs do. */
export function refuseTrustCommand(
  input: Readonly<Record<string, unknown>>,
  dataFolder: string,
): HookRefusal | undefined {
  const text = joinCommandText(input);
  if (text === "" || !/t/i.test(text)) return undefined;
  const plain = text.replace(/["'\\]/g, "");
  const isFileNamed = dataFolder !== "" && plain.includes(`${dataFolder}/trust`);
  if (isFileNamed || /\btenon\/+trust\//i.test(plain)) return TRUST_FILE_REFUSAL;
  const mayTrust = /\btrust\b/.test(plain) && /--(?:confirm|revoke|pass)\b/.test(plain);
  return listTenonCalls(input).some((call) => isTrustCall(call, mayTrust)) ? refusals.trustDecision : undefined;
}

/** Refuses commands reserved for the user. They have no MCP tool for that reason. */
export function refuseUserOnlyCommand(input: Readonly<Record<string, unknown>>): HookRefusal | undefined {
  const calls = listTenonCalls(input).filter(({ said }) => !said.includes("--help"));
  for (const { said } of calls) {
    // The value of `--workspace` may come before the command.
    const names = said.filter((word) => !word.startsWith("-"));
    const path = ` ${names.slice(0, 4).join(" ")} `;
    const found = refusals.userOnlyCommands.find((each) => path.includes(` ${each.path} `));
    const hasFlag =
      found !== undefined && (!("flag" in found) || said.some((word) => word.startsWith(found.flag ?? "")));
    if (found && hasFlag) return { what: found.what, why: found.why, instead: found.instead };
    const personal = findPersonalCommand(said, names);
    if (personal) return personal;
  }
  return undefined;
}

/** `tenon approve AUTH-001`, but not `tenon approve --list`. */
function findPersonalCommand(said: readonly string[], names: readonly string[]): HookRefusal | undefined {
  const name = names.slice(0, 2).find((word) => word === "approve" || word === "hook");
  if (name === undefined || (name === "approve" && (said.includes("--list") || names.at(-1) === name)))
    return undefined;
  return refusals.personalCommands[name];
}

function joinCommandText(input: Readonly<Record<string, unknown>>): string {
  const fields = ["command", "cmd", "commands", "command_line", "script", "code", "args", "arguments"];
  return fields
    .flatMap((field) => input[field])
    .filter((each) => typeof each === "string")
    .join("\n");
}

export interface TenonCall {
  readonly said: readonly string[];
  /** A program types the answers. */
  readonly isEmulated: boolean;
}

/** Calls of Tenon that the line runs. Text that only mentions a command, such as a commit message, is none. */
export function listTenonCalls(input: Readonly<Record<string, unknown>>): TenonCall[] {
  const { commands, code } = listExecutedCommands(input);
  const typed = commands.flatMap((words): TenonCall[] => {
    const isEmulated = words.some((word) => TERMINAL_EMULATOR_PATTERN.test(word));
    const at = findStartedProgram(words, (word) => TENON_PROGRAM_PATTERN.test(word));
    const own = at < 0 ? dropCommandPrefix(words) : words.slice(at);
    const [program = "", ...said] = own;
    return isTenonProgram(program) ? [{ said: dropOperands(said), isEmulated }] : [];
  });
  const started = code.flatMap((text): TenonCall[] => {
    const isEmulated = /\b(?:spawn|send)\b/.test(text);
    const words = isEmulated ? (text.match(/[\w@./$-][\w@./$=:-]*/g) ?? []) : listStartedWords(text);
    const at = words.findIndex(isTenonProgram);
    return at < 0 ? [] : [{ said: words.slice(at + 1), isEmulated }];
  });
  return [...typed, ...started];
}

/** After `--`, a flag is only a word. */
const dropOperands = (said: readonly string[]): readonly string[] =>
  said.includes("--") ? said.map((word, i) => (i > said.indexOf("--") ? word.replace(/^-+/, "") : word)) : said;

/** The program may come from a variable or a substitution. */
const isTenonProgram = (word: string): boolean =>
  TENON_PROGRAM_PATTERN.test(word) || /^\$[\w{(]/.test(word) || (word.includes("$(") && /tenon/i.test(word));

/** `mayTrust`: the line has the words for it, so that a call with unknown words counts. */
function isTrustCall({ said, isEmulated }: TenonCall, mayTrust: boolean): boolean {
  if (said.some((word) => /^--trust(?:=|$)/.test(word))) return true;
  const names = said.filter((word) => !word.startsWith("-")).slice(0, 2);
  if (!names.includes("trust")) return mayTrust && (names.length === 0 || names.some((word) => word.startsWith("$")));
  return (
    isEmulated || said.some((word) => word === UNKNOWN_WORD || word.includes("$") || TRUST_DECISION_FLAGS.test(word))
  );
}
