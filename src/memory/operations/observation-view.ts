import type * as z from "zod";
import type { MemorySession, Observation } from "../model/memory-records.ts";
import { DEFAULT_MEMORY_SESSION } from "../model/observation.ts";
import { extractSnippet, cutTextStart } from "#kernel/model/search/text-snippet.ts";
import type { PageQuotation } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { DetailLevel } from "#kernel/operations/text-fields.ts";
import type { ObservationViewSchema } from "./schema.ts";

export type ObservationView = z.infer<typeof ObservationViewSchema>;

const SNIPPET_LENGTH = 300;
const NO_SNIPPET_TERMS: ReadonlySet<string> = new Set();

/** Default values are left out. */
export function createObservationView(
  observation: Observation,
  detail: DetailLevel,
  terms: ReadonlySet<string> = NO_SNIPPET_TERMS,
): ObservationView {
  const { id, type, title, content, project, session, topic_key, source, updated_at, deleted_at } = observation;
  const text = detail === "full" ? content : extractSnippet(content, terms, SNIPPET_LENGTH);
  const isPart = detail !== "full" && text !== content.replace(/\s+/g, " ").trim();
  return {
    id,
    type,
    title,
    ...(detail === "summary" ? {} : { text, is_part: isPart || undefined }),
    project,
    session: session === DEFAULT_MEMORY_SESSION ? undefined : session,
    topic_key,
    scope: observation.scope === "project" ? undefined : observation.scope,
    namespace: observation.namespace || undefined,
    source,
    revision: observation.revision > 1 ? observation.revision : undefined,
    updated_at,
    deleted_at,
  };
}

export function shortenObservationView(shown: ObservationView, length: number): ObservationView | undefined {
  if (shown.text === undefined || shown.text.length <= length) return undefined;
  return { ...shown, text: cutTextStart(shown.text, length), is_part: true };
}

/** `#12 (bugfix) Login loops` with its metadata, then the text as data. */
export function quoteObservation(shown: ObservationView, mark = ""): PageQuotation {
  const about = [
    shown.updated_at.slice(0, 10),
    shown.project,
    // Before long names: the line may be cut, and this part must stay.
    ...formatProvenance(shown.source),
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
export const formatProvenance = (source: string | undefined): string[] =>
  source === undefined ? [] : [`from ${sanitizeText(source, 80)}, not verified`];

export function createSessionView(session: MemorySession, length = SNIPPET_LENGTH): MemorySession {
  return { ...session, summary: session.summary && extractSnippet(session.summary, NO_SNIPPET_TERMS, length) };
}

export function formatSessionSummary(session: MemorySession): string {
  const span = `${session.started_at.slice(0, 16)}${session.ended_at ? ` to ${session.ended_at.slice(0, 16)}` : ""}`;
  const said = session.summary ? `: ${sanitizeText(session.summary, 400)}` : "";
  return `${sanitizeText(session.id, 80)} (${span}, ${session.observations} saved)${said}`;
}

export const formatOmittedNote = (omitted: number): string[] =>
  omitted > 0 ? [`${omitted} more left out: ask for one by its id, or raise max_tokens.`] : [];

/** An answer without room for a result has none for warnings. */
export const createNotes = (warnings: ReadonlySet<string> | undefined, hasRoom: boolean): { notes?: string[] } =>
  warnings !== undefined && warnings.size > 0 && hasRoom ? { notes: [...warnings] } : {};
