import {
  formatDecisionFileName,
  formatDecisionId,
  MAX_DECISION_NUMBER,
  getNextDecisionNumber,
} from "#domain/adr/adr.ts";
import {
  appendDecisionEntries,
  type DecisionEntry,
  formatDecisionEntry,
  findLastDecisionNumber,
} from "#domain/handover/decisions.ts";
import type {
  ForeignAdr,
  ForeignDecisions,
  ForeignDocument,
  ForeignKnowledge,
  ForeignSession,
  ForeignSpec,
  ForeignSteering,
} from "#domain/importing/found.ts";
import { chooseSpecPrefix, formatImportedSpec } from "#domain/importing/spec-text.ts";
import { parseKnowledgeDocument } from "#domain/knowledge/document.ts";
import { formatKnowledgeIndex } from "#domain/knowledge/index-page.ts";
import { sanitizeText, escapeUnprintable } from "#domain/quote.ts";
import { createSlug } from "#domain/slug.ts";
import { parseSteeringName, resolveSteeringPath, matchSteeringName } from "#domain/steering/name.ts";
import { formatIdCounter, computeNextWorkflowId, parseWorkflowNumber } from "#domain/workflow/naming.ts";
import {
  ADR_FOLDER,
  DECISIONS_PATH,
  joinFolderPath,
  KNOWLEDGE_INDEX_PATH,
  getKnowledgePath,
  HANDOVER_HISTORY_FOLDER,
  getSpecPath,
} from "#domain/workspace/path.ts";
import { loadKnowledgeFolder } from "../knowledge/shelf.ts";
import { SUMMARY_PLACEHOLDER } from "../spec/template.ts";
import { DECISION_NUMBER_KEY, DECISION_NUMBERS } from "../steering/draft.ts";
import type { ImportDraft } from "./draft.ts";
import type { DetectedLayout } from "./looking.ts";
import type { PreparedSpecFile } from "./preparing.ts";

export function placeImportedSpec(draft: ImportDraft, seen: DetectedLayout, spec: ForeignSpec): void {
  const prefix = chooseSpecPrefix(spec);
  const counter = formatIdCounter(prefix);
  const id = computeNextWorkflowId(prefix, draft.specIds(), draft.counter(counter));
  draft.counters[counter] = parseWorkflowNumber(id);
  draft.write(
    getSpecPath(id),
    formatImportedSpec(id, spec, { source: seen.nameOf(spec.from), at: draft.at, open: SUMMARY_PLACEHOLDER }),
  );
  draft.taken(seen, spec.from, { as: "spec", to: [getSpecPath(id)] });
}

export function placeImportedSpecFile(
  draft: ImportDraft,
  seen: DetectedLayout,
  { from, id, text, note }: PreparedSpecFile,
): void {
  const path = getSpecPath(id);
  if (!draft.isFree(path)) return draft.collide(seen, from, path);
  draft.write(path, text);
  draft.taken(seen, from, { as: "spec", to: [path], why: note });
}

export function placeImportedSteering(
  draft: ImportDraft,
  seen: DetectedLayout,
  { from, name, text }: ForeignSteering,
): void {
  const path = resolveSteeringPath(matchSteeringName(name) ?? parseSteeringName(createSlug(name, "topic")));
  if (!draft.isFree(path)) return draft.collide(seen, from, path);
  draft.write(path, text);
  draft.taken(seen, from, { as: "steering", to: [path] });
}

/** A decision gets the next number; its text stays unchanged. */
export function placeImportedAdr(
  draft: ImportDraft,
  seen: DetectedLayout,
  { from, title, status, date, body }: ForeignAdr,
): void {
  const number = getNextDecisionNumber(draft.tree.names(ADR_FOLDER), draft.counter("adr"));
  if (number > MAX_DECISION_NUMBER)
    return draft.leave(seen, from, `decisions have numbers up to ${MAX_DECISION_NUMBER}`);
  const id = formatDecisionId(number, false);
  const path = joinFolderPath(ADR_FOLDER, formatDecisionFileName(id, title, false));
  const head = [
    `# ${id}: ${sanitizeText(title, 200)}`,
    "",
    `- Status: ${status}`,
    `- Date: ${date ?? draft.at}`,
    `- Imported from: ${sanitizeText(seen.nameOf(from), 300)}`,
  ];
  draft.counters["adr"] = number;
  draft.write(path, `${head.join("\n")}\n\n${body}`);
  draft.occurrences.push({ kind: "adr.recorded", subject: id, data: { title, status, path } });
  draft.taken(seen, from, { as: "decision", to: [path] });
}

/** Appends decisions to our log with our numbers; each names its original. */
export function placeImportedDecisions(
  draft: ImportDraft,
  seen: DetectedLayout,
  { from, entries }: ForeignDecisions,
): void {
  const log = draft.text(DECISIONS_PATH);
  const kept = draft.tree.kept(DECISION_NUMBERS).get(DECISION_NUMBER_KEY) ?? 0;
  const last = Math.max(findLastDecisionNumber(log ?? ""), kept);
  const written = entries.map(({ number, at, type, ...said }, i) => {
    const source = `${said.source === "" ? "" : `${said.source}; `}D${number} of ${seen.nameOf(from)}`;
    const decision = { ...said, source, type: escapeUnprintable(type) } as DecisionEntry;
    return formatDecisionEntry(last + i + 1, at === "" ? draft.at : escapeUnprintable(at), decision);
  });
  if (log === undefined && !draft.isFree(DECISIONS_PATH)) return draft.collide(seen, from, DECISIONS_PATH);
  draft.rewrite(DECISIONS_PATH, appendDecisionEntries(log, written));
  draft.keeps.push({ space: DECISION_NUMBERS.name, key: DECISION_NUMBER_KEY, value: last + entries.length });
  draft.taken(seen, from, { as: "decisions", to: [DECISIONS_PATH] });
}

export function placeImportedKnowledge(
  draft: ImportDraft,
  seen: DetectedLayout,
  { from, name, text }: ForeignKnowledge,
): void {
  const path = getKnowledgePath(name);
  if (!draft.isFree(path)) return draft.collide(seen, from, path);
  draft.write(path, text);
  draft.occurrences.push({ kind: "knowledge.written", subject: name, data: { imported: true } });
  draft.taken(seen, from, { as: "knowledge", to: [path] });
}

export function placeImportedSession(
  draft: ImportDraft,
  seen: DetectedLayout,
  { from, name, text }: ForeignSession,
): void {
  const path = joinFolderPath(HANDOVER_HISTORY_FOLDER, name);
  if (!draft.isFree(path)) return draft.collide(seen, from, path);
  draft.write(path, text);
  draft.taken(seen, from, { as: "session", to: [path] });
}

export function placeKnowledgeIndex(draft: ImportDraft, items: readonly ForeignKnowledge[]): void {
  const fresh = items.filter(({ name }) => draft.isWritten(getKnowledgePath(name)));
  if (fresh.length === 0) return;
  const { known, others } = loadKnowledgeFolder(draft.tree);
  const added = fresh.flatMap(({ name, text }) => parseKnowledgeDocument(name, text) ?? []);
  draft.step({
    kind: "document",
    path: KNOWLEDGE_INDEX_PATH,
    text: formatKnowledgeIndex([...known, ...added], others),
  });
}

export function placeImportedDocument(
  draft: ImportDraft,
  seen: DetectedLayout,
  { from, text, why, remember }: ForeignDocument,
): void {
  const path = draft.carry(seen, from, text, why);
  if (path !== undefined && remember !== undefined)
    draft.occurrences.push({ kind: "importing.carried", subject: path, data: { title: sanitizeText(remember, 200) } });
}
