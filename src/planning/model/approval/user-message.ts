import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import { SESSION_TTL_MS } from "../workflow/work-sessions.ts";
import type { WorkSession } from "../workflow/workflow-record.ts";
import { type ApprovalAnswer, type ApprovalQuestion, MAX_QUOTE } from "./approval-proof.ts";
import words from "./answer-words.json" with { type: "json" };

/** What a message of the user means for one open question. Without a choice it is neither a yes nor a no. */
export interface HeardAnswer {
  readonly key: string;
  readonly choice?: string;
  readonly quote: string;
}

/** A longer message means more than yes or no. */
const MAX_ANSWER_WORDS = 25;

/** A message that names an id answers that question. Without an id it answers the session's only question. */
export function matchUserMessage(
  message: string,
  questions: readonly ApprovalQuestion[],
  session: string,
  /** Sessions that report messages. A question of another caller may be answered in the only one of them. */
  hooked: readonly string[],
): HeardAnswer[] {
  const text = message.trim().replace(/\s+/g, " ");
  if (text === "" || text.startsWith("/")) return [];
  const isOnlySession = hooked.every((other) => other === session);
  const named = questions.filter(({ id }) => hasId(text, id));
  const own = questions.filter((each) => each.session === session || (isOnlySession && !hooked.includes(each.session)));
  const meant = named.length > 0 ? named : own;
  const isClear = named.length > 0 || own.length === 1;
  return meant.map(({ key, id, choices }) => {
    const choice = isClear ? parseAnswer(text.replaceAll(id, " "), choices) : undefined;
    return { key, ...(choice === undefined ? {} : { choice }), quote: quoteMessage(text) };
  });
}

/** A long word with digits may be a token, so it is left out. */
const quoteMessage = (text: string): string =>
  text.replace(/\S{16,}/g, (word) => (/\d/.test(word) ? "…" : word)).slice(0, MAX_QUOTE);

const hasId = (text: string, id: string): boolean =>
  text
    .toLowerCase()
    .split(/[\s,;:!?()"'`]+/)
    .some((word) => word.replace(/\.$/, "") === id.toLowerCase());

/** Plain answers only: the choice itself, or words for yes and no without an "if" or "but". */
export function parseAnswer(text: string, choices: readonly string[]): string | undefined {
  const plain = text.toLowerCase().replaceAll("’", "'").trim();
  if (plain.includes("?") || plain.split(" ").length > MAX_ANSWER_WORDS) return undefined;
  const parts = plain.split(/[.,;:!\n–—-]+/).map((part) => part.trim());
  const [first = "", ...rest] = parts.filter((part) => part !== "");
  // Yes and no mean a choice only where one is a yes.
  const [yes] = choices.filter((choice) => YES_CHOICES.has(choice));
  const [no] = yes === undefined ? [] : choices.filter((choice) => NO_CHOICES.has(choice));
  if (no !== undefined && beginsWith(first, words.no)) return no;
  const named = choices.filter((choice) => hasPhrase(plain, choice));
  if (named.length === 1) return hasHedge(plain, named) ? undefined : named[0];
  if (named.length > 1 || yes === undefined) return undefined;
  const isYes = beginsWith(first, words.yes) || hasPhrase(plain, "approved");
  const isTakenBack = hasHedge(plain, []) || rest.some((part) => beginsWith(part, words.no));
  return isYes && !isTakenBack ? yes : undefined;
}

const YES_CHOICES = new Set(["approve", "continue", "proceed"]);
const NO_CHOICES = new Set(["reject", "stop", "abort"]);

/** "Do not approve", "fix it, but only if …". */
const hasHedge = (plain: string, named: readonly string[]): boolean =>
  words.hedges.some((hedge) => !named.includes(hedge) && hasPhrase(plain, hedge));

const hasPhrase = (plain: string, phrase: string): boolean =>
  ` ${plain.replace(/[.,;:!"()]+/g, " ").replace(/\s+/g, " ")} `.includes(` ${phrase} `);

const beginsWith = (part: string, phrases: readonly string[]): boolean =>
  phrases.some((phrase) => part === phrase || part.startsWith(`${phrase} `));

export const listHookedSessions = (sessions: Iterable<WorkSession>, now: string): string[] =>
  [...sessions]
    .filter(({ hooked, ended_at }) => hooked === true && ended_at === undefined)
    .filter(({ seen_at }) => countSecondsBetween(seen_at, now) * 1000 < SESSION_TTL_MS)
    .map(({ id }) => id);

/** Questions with what the user's messages say to them. The latest message counts. */
export function foldHeardAnswers(
  lines: readonly { readonly at: string; readonly heard?: readonly HeardAnswer[] | undefined }[],
  questions: Iterable<ApprovalQuestion>,
  who: Pick<ApprovalAnswer, "by" | "member">,
): ApprovalQuestion[] {
  const byKey = new Map([...questions].map((question) => [question.key, question]));
  const changed = new Set<string>();
  for (const { at, heard = [] } of lines) {
    for (const { key, choice, quote } of heard) {
      const question = byKey.get(key);
      if (!question || (choice !== undefined && !question.choices.includes(choice))) continue;
      changed.add(key);
      const isNo = choice !== question.choices[0];
      byKey.set(
        key,
        choice === undefined
          ? { ...question, heard: { at, quote } }
          : {
              ...question,
              answer: { choice, proof: "witnessed", ...who, at, quote, ...(isNo ? { reason: quote } : {}) },
            },
      );
    }
  }
  return [...byKey.values()].filter(({ key }) => changed.has(key));
}
