import type * as z from "zod";
import { DEFAULT_SESSION, type Observation } from "#domain/memory/observation.ts";
import { snippetOf, startOf } from "#domain/memory/snippet.ts";
import type { PageQuotation } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { MemorySession } from "../ports/memory.ts";
import type { DetailLevel } from "../text.ts";
import type { SessionView, View } from "./schema.ts";

export type Shown = z.infer<typeof View>;
type ShownSession = z.infer<typeof SessionView>;

const SNIPPET = 300;
const NO_TERMS: ReadonlySet<string> = new Set();

/** Default values are left out. */
export function view(observation: Observation, detail: DetailLevel, terms: ReadonlySet<string> = NO_TERMS): Shown {
  const { id, type, title, content, project, session, topic_key, scope, namespace, source, revision } = observation;
  const text = detail === "full" ? content : snippetOf(content, terms, SNIPPET);
  const isPart = detail !== "full" && text !== content.replace(/\s+/g, " ").trim();
  return {
    id,
    type,
    title,
    ...(detail === "summary" ? {} : { text, ...(isPart ? { is_part: true } : {}) }),
    project,
    ...(session === DEFAULT_SESSION ? {} : { session }),
    ...(topic_key === undefined ? {} : { topic_key }),
    ...(scope === "personal" ? { scope } : {}),
    ...(namespace === "" ? {} : { namespace }),
    ...(source === undefined ? {} : { source }),
    ...(revision > 1 ? { revision } : {}),
    updated_at: observation.updated_at,
    ...(observation.deleted_at === undefined ? {} : { deleted_at: observation.deleted_at }),
  };
}

export function shortenView(shown: Shown, length: number): Shown | undefined {
  if (shown.text === undefined || shown.text.length <= length) return undefined;
  return { ...shown, text: startOf(shown.text, length), is_part: true };
}

/** `#12 (bugfix) Login loops` with its metadata, then the text as data. */
export function quoteView(shown: Shown, mark = ""): PageQuotation {
  const about = [
    shown.updated_at.slice(0, 10),
    shown.project,
    // Before long names: the line may be cut, and this part must stay.
    ...provenance(shown.source),
    ...(shown.topic_key ? [sanitizeText(shown.topic_key)] : []),
    ...(shown.scope ? [shown.scope] : []),
    ...(shown.namespace ? [`namespace ${sanitizeText(shown.namespace)}`] : []),
    ...(shown.revision ? [`revision ${shown.revision}`] : []),
    ...(shown.deleted_at ? ["deleted"] : []),
  ];
  return {
    label: `${mark}#${shown.id} (${sanitizeText(shown.type, 40)}) ${sanitizeText(shown.title, 200)} [${about.join("; ")}]`,
    text: shown.text ?? "",
  };
}

/** Origin of a text that neither a user nor an agent wrote. */
export const provenance = (source: string | undefined): string[] =>
  source === undefined ? [] : [`from ${sanitizeText(source, 80)}, not verified`];

export function viewSession(session: MemorySession, length = SNIPPET): ShownSession {
  const { summary, ...rest } = session;
  return { ...rest, ...(summary === undefined ? {} : { summary: snippetOf(summary, NO_TERMS, length) }) };
}

export function sessionLine(session: ShownSession): string {
  const span = `${session.started_at.slice(0, 16)}${session.ended_at ? ` to ${session.ended_at.slice(0, 16)}` : ""}`;
  const said = session.summary ? `: ${sanitizeText(session.summary, 400)}` : "";
  return `${sanitizeText(session.id, 80)} (${span}, ${session.observations} saved)${said}`;
}

export const omittedPoint = (omitted: number): string[] =>
  omitted > 0 ? [`${omitted} more left out for the ceiling: ask for one by its id, or with a larger max_tokens.`] : [];
