import { sanitizeText } from "#domain/quote.ts";
import type { ModelAnswer, LanguageModel } from "#operations/ports/model.ts";

const LONGEST_HTTP_ANSWER = 256 * 1024;
/** Anthropic requires a limit; ten summaries need a fifth of it. */
const MOST_ANSWER_TOKENS = 4_096;

export interface HttpModelParts {
  readonly url: URL;
  readonly model: string;
  readonly timeout_s: number;
  /** Sent only to this host, and never part of a message. */
  readonly key?: string | undefined;
}

/** A model behind HTTP. Follows no redirect, because the prompt is for this host only. */
export function createHttpModel({ url, model, timeout_s, key }: HttpModelParts): LanguageModel {
  const dialect =
    url.hostname === ANTHROPIC_HOST || url.pathname.endsWith("/messages") ? anthropicDialect : openaiDialect;
  const place = dialect.place(url);
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
        return { failed: cancelled.aborted ? "It was cancelled." : describeUnreachedHost(error) };
      }
    },
  };
}

export const ANTHROPIC_HOST = "api.anthropic.com";
export const OPENAI_HOST = "api.openai.com";

interface ModelDialect {
  place(url: URL): URL;
  headers(key: string): Record<string, string>;
  body(model: string, prompt: string): unknown;
  said(answer: unknown): unknown;
}

const anthropicDialect: ModelDialect = {
  place: (url) => completeEndpoint(url, "/messages"),
  headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  body: (model, prompt) => ({ model, max_tokens: MOST_ANSWER_TOKENS, messages: [{ role: "user", content: prompt }] }),
  said: (answer) => {
    const content = readAnswerField(answer, "content");
    if (!Array.isArray(content)) return undefined;
    return content
      .filter((part) => readAnswerField(part, "type") === "text")
      .map((part) => readAnswerField(part, "text"))
      .join("");
  },
};

const openaiDialect: ModelDialect = {
  place: (url) => completeEndpoint(url, "/chat/completions"),
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (model, prompt) => ({ model, stream: false, messages: [{ role: "user", content: prompt }] }),
  said: (answer) =>
    readAnswerField(readAnswerField(readAnswerField(readAnswerField(answer, "choices"), 0), "message"), "content"),
};

function completeEndpoint(url: URL, end: string): URL {
  const place = new URL(url);
  const path = url.pathname.replace(/\/+$/, "");
  place.pathname = path.endsWith(end) ? path : `${path === "" ? "/v1" : path}${end}`;
  return place;
}

const readAnswerField = (value: unknown, name: string | number): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** Never repeats the host's own error text: it may contain the key. */
const HTTP_REFUSALS: Readonly<Record<number, string>> = {
  400: "The host does not understand the question: is the model's name right?",
  401: "The host does not take the key.",
  403: "The host does not let this key ask.",
  404: "The host knows no such model or address.",
  429: "The host was asked too often.",
};

async function readHttpAnswer(response: Response, dialect: ModelDialect): Promise<ModelAnswer> {
  if (!response.ok) {
    await response.body?.cancel();
    if (response.status >= 300 && response.status < 400)
      return { failed: "The host sends elsewhere, which is not followed." };
    return { failed: HTTP_REFUSALS[response.status] ?? `The host answered ${response.status}.` };
  }
  const text = await readResponseText(response);
  if (text === undefined) return { failed: "It said far too much." };
  try {
    const said = dialect.said(JSON.parse(text));
    if (typeof said === "string") return { said };
  } catch {
    // Handled below.
  }
  return { failed: "The host answered in another form than such hosts do." };
}

/** Reads in parts, so that an endless response is stopped in time. */
async function readResponseText({ body }: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > LONGEST_HTTP_ANSWER) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function describeUnreachedHost(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = readAnswerField(cause, "code");
  return `The host could not be reached${typeof code === "string" ? `: ${sanitizeText(code, 40)}` : ""}.`;
}
