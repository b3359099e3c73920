import { isAbsolute } from "node:path";
import * as z from "zod/mini";
import { Fault } from "#kernel/model/fault.ts";
import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import { tokenizeShellLine, formatInvocationLine } from "#kernel/model/shell-command.ts";
import type { LanguageModel, ModelChoice, ModelAnswer } from "../../operations/ports/model.ts";
import type { CommandRunner, ScratchFolder } from "#kernel/operations/ports/runner.ts";

type ModelEnvironment = Readonly<Record<string, string | undefined>>;

interface ModelMeans {
  readonly runner: CommandRunner;
  readonly scratch: () => Promise<ScratchFolder>;
}

const MOST_TIMEOUT_S = 60;

/** Chosen by flags, else by the environment. Reads no other source, so that no repository decides where code goes. */
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
    throw createModelFault("No model is configured.");
  }
  if (command !== undefined && url !== undefined) throw createModelFault("Give either a command or a URL, not both.");
  const timeout = choice.timeout ?? readFilledVariable(environment["TENON_MODEL_TIMEOUT"]) ?? "10";
  const timeout_s = /^\d+(?:\.\d+)?$/.test(timeout) ? Number(timeout) : 0;
  if (timeout_s <= 0 || timeout_s > MOST_TIMEOUT_S)
    throw createModelFault(`The time limit is ${quote(timeout, 20)}: give seconds, at most ${MOST_TIMEOUT_S}.`);
  // All of the user's variables: it is the user's own program and may need any of them.
  if (command !== undefined)
    return createCommandModel(parseModelCommand(command), timeout_s, Object.keys(environment), means);
  if (model === undefined) throw createModelFault("The model's name is missing.");
  const place = parseModelUrl(url ?? "");
  return createHttpModel(place, model, timeout_s, findModelKey(place, environment));
}

const readFilledVariable = (value: string | undefined): string | undefined => (value?.trim() ? value : undefined);

function parseModelCommand(command: string): string[] {
  const tokens = tokenizeShellLine(command);
  if (tokens.some(({ kind, isRedirect }) => kind === "mark" || isRedirect))
    throw createModelFault("The command runs without a shell: put this line in a script.");
  const argv = tokens.map(({ text }) => text);
  const [program = ""] = argv;
  if (program === "") throw createModelFault("The command has no program.");
  // A relative path would mean a different program in each repository.
  if (/[/\\]/.test(program) && !isAbsolute(program))
    throw createModelFault("Name the program by its name or its absolute path.");
  return argv;
}

function parseModelUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw createModelFault(`${quote(text, 80)} is not an http or https URL.`);
  if (url.username !== "" || url.password !== "")
    throw createModelFault("Put the key in TENON_MODEL_KEY, not in the URL.");
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
  if (protocol !== "https:" && !isHere) throw createModelFault("Tenon sends a key over http only to this machine.");
  if (/[^\x21-\x7e]/.test(key))
    throw createModelFault("The key contains a character that keys do not have, such as a space or a line break.");
  return key;
}

const createModelFault = (why: string): Fault =>
  new Fault("model.unusable", {
    what: "No model was asked.",
    why,
    fix: ['tenon summarize --with "claude -p"', "tenon summarize --url http://127.0.0.1:11434/v1 --model llama3.2"],
  });

/** Bytes of an answer. A batch of summaries has 3,000; a model that prints its reasoning has more. */
const LONGEST_ANSWER = 256 * 1024;

/** Variables that mark a nested agent; some programs refuse to start with them. */
const NESTED_AGENT_VARIABLE = /^(?:CLAUDECODE|CLAUDE_CODE_ENTRYPOINT|CLAUDE_CODE_SSE_PORT)$/;

/** Gets the prompt on standard input, in an empty folder, so that it finds no instructions of the repository. */
function createCommandModel(
  argv: readonly string[],
  timeout_s: number,
  names: readonly string[],
  { runner, scratch }: ModelMeans,
): LanguageModel {
  return {
    name: sanitizeText(formatInvocationLine({ argv })),
    async answer(prompt, cancelled) {
      await using empty = await scratch();
      const done = await runner.run({
        run: { argv },
        folder: empty.folder,
        timeout_s,
        silence_s: timeout_s,
        input: prompt,
        passes: names.filter((name) => !NESTED_AGENT_VARIABLE.test(name)),
        cancelled,
      });
      try {
        return await readCommandAnswer(done, timeout_s);
      } finally {
        await done.forget();
      }
    },
  };
}

async function readCommandAnswer(done: Awaited<ReturnType<CommandRunner["run"]>>, timeout_s: number) {
  switch (done.how) {
    case "exited": {
      const said = done.code === 0 ? await done.text(LONGEST_ANSWER) : undefined;
      if (done.code === 0) return said === undefined ? { failed: "The answer was too long." } : { said };
      // The last line of a program is usually why it gave up.
      const line = done.output.tail.split("\n").findLast((each) => each.trim() !== "");
      const why = line === undefined ? "" : `: ${sanitizeText(line.trim().replace(/\.$/, ""), 160)}`;
      return { failed: `It ended with code ${done.code}${why}.` };
    }
    case "timed-out":
    case "silent":
      return { failed: `It took longer than ${timeout_s} s.` };
    case "cancelled":
      return { failed: "It was cancelled." };
    case "signalled":
      return { failed: `It was ended by ${done.signal}.` };
    case "not-found":
    case "not-started":
      return { failed: sanitizeText(done.why ?? "It could not be started.", 200) };
  }
}

/** Anthropic requires a limit; ten summaries need a fifth of it. */
const MOST_ANSWER_TOKENS = 4_096;

/** Follows no redirect, because prompt and key are for this host only. The key is never part of a message. */
function createHttpModel(url: URL, model: string, timeout_s: number, key: string | undefined): LanguageModel {
  const dialect =
    url.hostname === ANTHROPIC_HOST || url.pathname.endsWith("/messages") ? anthropicDialect : openaiDialect;
  const place = new URL(url);
  const path = url.pathname.replace(/\/+$/, "");
  place.pathname = path.endsWith(dialect.end) ? path : `${path === "" ? "/v1" : path}${dialect.end}`;
  return {
    name: sanitizeText(`${model} at ${url.host}`),
    async answer(prompt, cancelled) {
      const late = AbortSignal.timeout(timeout_s * 1000);
      try {
        const response = await fetch(place, {
          method: "POST",
          headers: { "content-type": "application/json", ...(key === undefined ? {} : dialect.headers(key)) },
          body: JSON.stringify(dialect.body(model, prompt)),
          redirect: "manual",
          signal: AbortSignal.any([late, cancelled]),
        });
        return await readHttpAnswer(response, dialect);
      } catch (error) {
        if (late.aborted) return { failed: `It took longer than ${timeout_s} s.` };
        if (cancelled.aborted) return { failed: "It was cancelled." };
        const cause = error instanceof Error ? error.cause : undefined;
        const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
        const why = typeof code === "string" ? `: ${sanitizeText(code, 40)}` : "";
        return { failed: `The host could not be reached${why}.` };
      }
    },
  };
}

const ANTHROPIC_HOST = "api.anthropic.com";
const OPENAI_HOST = "api.openai.com";

interface ModelDialect {
  readonly end: string;
  headers(key: string): Record<string, string>;
  body(model: string, prompt: string): unknown;
  readonly answer: z.ZodMiniType<string>;
}

const anthropicDialect: ModelDialect = {
  end: "/messages",
  headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  body: (model, prompt) => ({ model, max_tokens: MOST_ANSWER_TOKENS, messages: [{ role: "user", content: prompt }] }),
  answer: z.pipe(
    z.object({ content: z.array(z.looseObject({ type: z.optional(z.unknown()), text: z.optional(z.unknown()) })) }),
    z.transform(({ content }) =>
      content
        .filter(({ type }) => type === "text")
        .map(({ text }) => text)
        .join(""),
    ),
  ),
};

const openaiDialect: ModelDialect = {
  end: "/chat/completions",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (model, prompt) => ({ model, stream: false, messages: [{ role: "user", content: prompt }] }),
  answer: z.pipe(
    z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })], z.unknown()) }),
    z.transform(({ choices: [{ message }] }) => message.content),
  ),
};

/** Never repeats the host's own error text: it may contain the key. */
const HTTP_REFUSALS: Readonly<Record<number, string>> = {
  400: "The host rejected the request: check the model's name.",
  401: "The host rejected the key.",
  403: "This key may not use the model.",
  404: "The host does not know this model or address.",
  429: "The host's rate limit is reached.",
};

async function readHttpAnswer(response: Response, dialect: ModelDialect): Promise<ModelAnswer> {
  if (!response.ok) {
    await response.body?.cancel();
    if (response.status >= 300 && response.status < 400)
      return { failed: "The host answered with a redirect, which Tenon does not follow." };
    return { failed: HTTP_REFUSALS[response.status] ?? `The host answered ${response.status}.` };
  }
  const text = await readResponseText(response);
  if (text === undefined) return { failed: "The answer was too long." };
  try {
    return { said: dialect.answer.parse(JSON.parse(text)) };
  } catch {
    return { failed: "The host's answer has an unknown form." };
  }
}

/** Reads in parts, so that an endless response is stopped in time. */
async function readResponseText({ body }: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > LONGEST_ANSWER) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
