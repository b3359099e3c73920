import { isAbsolute } from "node:path";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { tokenizeShellLine } from "#domain/stack/script/shell-line.ts";
import type { LanguageModel, ModelChoice } from "#operations/ports/model.ts";
import type { CommandRunner, ScratchFolder } from "#operations/ports/runner.ts";
import { createCommandModel } from "./command.ts";
import { ANTHROPIC_HOST, createHttpModel, OPENAI_HOST } from "./http.ts";

type ModelEnvironment = Readonly<Record<string, string | undefined>>;

interface ModelMeans {
  readonly runner: CommandRunner;
  readonly scratch: () => Promise<ScratchFolder>;
}

const MODEL_TIMEOUT_S = { usual: 10, most: 60 };

/**
 * The model the user chose by flags, else by the environment; undefined where neither names one. Reads no other source,
 * so that no repository decides where code is sent.
 */
export function createModelFromChoice(
  choice: ModelChoice,
  environment: ModelEnvironment,
  means: ModelMeans,
): LanguageModel | undefined {
  const isSaid = choice.command !== undefined || choice.url !== undefined;
  const command = isSaid ? choice.command : readFilledVariable(environment["TENON_MODEL_COMMAND"]);
  const url = isSaid ? choice.url : readFilledVariable(environment["TENON_MODEL_URL"]);
  const model = choice.model ?? readFilledVariable(environment["TENON_MODEL"]);
  if (command === undefined && url === undefined) {
    if (choice.model === undefined && choice.timeout === undefined) return undefined;
    throw createModelFault("It is not said where a model is asked.");
  }
  if (command !== undefined && url !== undefined)
    throw createModelFault("Both a command and a URL are named, and one is asked.");
  const timeout_s = parseModelTimeout(choice.timeout ?? readFilledVariable(environment["TENON_MODEL_TIMEOUT"]));
  if (command !== undefined) {
    return createCommandModel({
      ...means,
      argv: parseModelCommand(command),
      timeout_s,
      names: Object.keys(environment),
    });
  }
  if (model === undefined) throw createModelFault("A host has many models, and none is named.");
  const place = parseModelUrl(url ?? "");
  return createHttpModel({ url: place, model, timeout_s, key: findModelKey(place, environment) });
}

const readFilledVariable = (value: string | undefined): string | undefined => (value?.trim() ? value : undefined);

function parseModelTimeout(text: string | undefined): number {
  if (text === undefined) return MODEL_TIMEOUT_S.usual;
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= MODEL_TIMEOUT_S.most) return value;
  throw createModelFault(`The time limit is ${quote(text, 20)}: seconds are meant, at most ${MODEL_TIMEOUT_S.most}.`);
}

function parseModelCommand(command: string): string[] {
  const tokens = tokenizeShellLine(command);
  if (tokens.some(({ kind }) => kind === "mark"))
    throw createModelFault("No shell reads the command: put such a line in a script.");
  const argv = tokens.map(({ text }) => text);
  const [program = ""] = argv;
  if (program === "") throw createModelFault("The command names no program.");
  // A relative path would mean a different program in each repository.
  if (/[/\\]/.test(program) && !isAbsolute(program))
    throw createModelFault("The program is named by its name or its whole path.");
  return argv;
}

function parseModelUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw createModelFault(`${quote(text, 80)} is no URL of http or https.`);
  if (url.username !== "" || url.password !== "")
    throw createModelFault("A key does not belong in the URL, but in TENON_MODEL_KEY.");
  return url;
}

/** A key for one provider goes only to that provider, and never unencrypted. */
function findModelKey({ hostname, protocol }: URL, environment: ModelEnvironment): string | undefined {
  const own = { [ANTHROPIC_HOST]: "ANTHROPIC_API_KEY", [OPENAI_HOST]: "OPENAI_API_KEY" }[hostname];
  const key =
    readFilledVariable(environment["TENON_MODEL_KEY"]) ??
    (own === undefined ? undefined : readFilledVariable(environment[own]));
  if (key === undefined) return undefined;
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol !== "https:" && !isHere)
    throw createModelFault("A key is never sent over http, except to this machine.");
  if (/[^\x21-\x7e]/.test(key))
    throw createModelFault("The key holds what no key holds, such as a blank or a line break.");
  return key;
}

const createModelFault = (why: string): Fault =>
  new Fault("model.unusable", {
    what: "No model was asked.",
    why,
    fix: ['tenon summarize --with "claude -p"', "tenon summarize --url http://127.0.0.1:11434/v1 --model llama3.2"],
  });
