import { isAbsolute } from "node:path";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { tokensOf } from "#domain/stack/script/shell-line.ts";
import type { LanguageModel, ModelChoice } from "#operations/ports/model.ts";
import type { CommandRunner, ScratchFolder } from "#operations/ports/runner.ts";
import { commandModel } from "./command.ts";
import { ANTHROPIC, httpModel, OPENAI } from "./http.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface Means {
  readonly runner: CommandRunner;
  readonly scratch: () => Promise<ScratchFolder>;
}

const TIMEOUT = { usual: 10, most: 60 };

/**
 * The model the user chose by flags, else by the environment; undefined where neither names one. Reads no other source,
 * so that no repository decides where code is sent.
 */
export function chosenModel(choice: ModelChoice, environment: Environment, means: Means): LanguageModel | undefined {
  const isSaid = choice.command !== undefined || choice.url !== undefined;
  const command = isSaid ? choice.command : filled(environment["TENON_MODEL_COMMAND"]);
  const url = isSaid ? choice.url : filled(environment["TENON_MODEL_URL"]);
  const model = choice.model ?? filled(environment["TENON_MODEL"]);
  if (command === undefined && url === undefined) {
    if (choice.model === undefined && choice.timeout === undefined) return undefined;
    throw unusable("It is not said where a model is asked.");
  }
  if (command !== undefined && url !== undefined)
    throw unusable("Both a command and a URL are named, and one is asked.");
  const timeout_s = seconds(choice.timeout ?? filled(environment["TENON_MODEL_TIMEOUT"]));
  if (command !== undefined) {
    return commandModel({ ...means, argv: wordsOf(command), timeout_s, names: Object.keys(environment) });
  }
  if (model === undefined) throw unusable("A host has many models, and none is named.");
  const place = placeOf(url ?? "");
  return httpModel({ url: place, model, timeout_s, key: keyFor(place, environment) });
}

const filled = (value: string | undefined): string | undefined => (value?.trim() ? value : undefined);

function seconds(text: string | undefined): number {
  if (text === undefined) return TIMEOUT.usual;
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= TIMEOUT.most) return value;
  throw unusable(`The time limit is ${quote(text, 20)}: seconds are meant, at most ${TIMEOUT.most}.`);
}

function wordsOf(command: string): string[] {
  const tokens = tokensOf(command);
  if (tokens.some(({ kind }) => kind === "mark"))
    throw unusable("No shell reads the command: put such a line in a script.");
  const argv = tokens.map(({ text }) => text);
  const [program = ""] = argv;
  if (program === "") throw unusable("The command names no program.");
  // A relative path would mean a different program in each repository.
  if (/[/\\]/.test(program) && !isAbsolute(program))
    throw unusable("The program is named by its name or its whole path.");
  return argv;
}

function placeOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw unusable(`${quote(text, 80)} is no URL of http or https.`);
  if (url.username !== "" || url.password !== "")
    throw unusable("A key does not belong in the URL, but in TENON_MODEL_KEY.");
  return url;
}

/** A key for one provider goes only to that provider, and never unencrypted. */
function keyFor({ hostname, protocol }: URL, environment: Environment): string | undefined {
  const own = { [ANTHROPIC]: "ANTHROPIC_API_KEY", [OPENAI]: "OPENAI_API_KEY" }[hostname];
  const key = filled(environment["TENON_MODEL_KEY"]) ?? (own === undefined ? undefined : filled(environment[own]));
  if (key === undefined) return undefined;
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol !== "https:" && !isHere) throw unusable("A key is never sent over http, except to this machine.");
  if (/[^\x21-\x7e]/.test(key)) throw unusable("The key holds what no key holds, such as a blank or a line break.");
  return key;
}

const unusable = (why: string): Fault =>
  new Fault("model.unusable", {
    what: "No model was asked.",
    why,
    fix: ['tenon summarize --with "claude -p"', "tenon summarize --url http://127.0.0.1:11434/v1 --model llama3.2"],
  });
