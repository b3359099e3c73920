import { formatCount } from "#domain/count.ts";
import { isSessionDecision, type LoggedDecision, parseDecisionLog } from "#domain/handover/decisions.ts";
import { formatFeatureProgress } from "#domain/handover/accomplished.ts";
import { parseSessionDocument, type SessionDocument } from "#domain/handover/session.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { DECISIONS_PATH, HANDOVER_SESSION_PATH } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import type { StoreTree } from "../ports/store.ts";
import { summarizePendingWork } from "../roadmap/view.ts";
import { loadLead } from "../roadmap/shelf.ts";
import { loadPendingBuffer } from "../knowledge/shelf.ts";

export interface HandoverState {
  readonly text: string | undefined;
  readonly session: SessionDocument | undefined;
  /** Latest first, without session starts and ends. */
  readonly decisions: readonly LoggedDecision[];
  /** Day of the last handover; empty if there was none. */
  readonly since: string;
  readonly lead: Lead | undefined;
  readonly learned: readonly string[];
  readonly candidates: readonly string[];
  readonly notes: readonly string[];
}

/** Unreadable files are noted and do not block a handover. */
export function readHandoverState(tree: StoreTree, engine: Pick<Engine, "checkout">): HandoverState {
  const notes: string[] = [];
  const open = createTolerantTree(tree, (path, why) => void notes.push(`${path} cannot be read: ${why}`));
  const text = open.text(HANDOVER_SESSION_PATH);
  const all = parseDecisionLog(open.text(DECISIONS_PATH) ?? "").toReversed();
  return {
    text,
    session: text === undefined ? undefined : parseSessionDocument(text),
    decisions: all.filter((each) => !isSessionDecision(each)),
    since: all.find(({ type }) => type === "SESSION_END")?.at.slice(0, 10) ?? "",
    lead: readOptionalLead(tree, engine, notes),
    ...readPendingKnowledge(tree, engine),
    notes,
  };
}

function readPendingKnowledge(
  tree: StoreTree,
  engine: Pick<Engine, "checkout">,
): Pick<HandoverState, "learned" | "candidates"> {
  const { tags, candidates } = loadPendingBuffer(tree, engine);
  return {
    learned: tags.map(({ tag, feature, role }) => `${tag} (source: ${feature} ${role})`),
    candidates: candidates.map(({ name, features }) => `${name}: detected in ${features.join(", ")}`),
  };
}

function readOptionalLead(tree: StoreTree, engine: Pick<Engine, "checkout">, notes: string[]): Lead | undefined {
  try {
    const lead = loadLead(tree, engine);
    return lead.features.size === 0 ? undefined : lead;
  } catch (error) {
    notes.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

export interface BriefPart {
  readonly about: string;
  readonly text: string;
}

const MAX_BRIEF_DECISIONS = 8;

export function createBriefParts(known: HandoverState): BriefPart[] {
  const { session, lead, decisions, learned, candidates } = known;
  const parts: readonly (readonly [string, string])[] = [
    ["Immediate next action", session?.next ?? ""],
    ["Warnings", session?.warnings ?? ""],
    ["Resume instructions", session?.resume ?? ""],
    ["Steering exceptions", session?.exceptions ?? ""],
    ["Session goal", session?.goal ?? ""],
    ["Active goals", session?.goals ?? ""],
    ["State of the roadmap", lead ? formatRoadmapState(lead) : ""],
    ["Key decisions", [...(session?.continuing ?? []), ...(session?.added ?? [])].join("\n")],
    ["Tone and nuance", session?.tone ?? ""],
    ["Latest decisions", decisions.slice(0, MAX_BRIEF_DECISIONS).map(formatBriefDecision).join("\n")],
    ["Knowledge that waits for the end of its wave", learned.join("\n")],
    ["Skill candidates", candidates.join("\n")],
    ["Accomplished", session?.accomplished.join("\n") ?? ""],
    ["Modified files", session?.files.join("\n") ?? ""],
  ];
  return parts.filter(([, text]) => text.trim() !== "").map(([about, text]) => ({ about, text }));
}

const formatBriefDecision = ({ number, type, summary, reason }: LoggedDecision): string =>
  `D${number} ${type}: ${summary}${reason === "" ? "" : ` (${reason})`}`;

/** From the current records, because a handover page does not contain the progress of features. */
function formatRoadmapState(lead: Lead): string {
  const { due, more, reviews, idle } = summarizePendingWork(lead);
  const byPhase = Map.groupBy(lead.features.values(), ({ phase }) => phase);
  return [
    formatFeatureProgress(lead),
    ...[...byPhase].map(
      ([phase, records]) => `${phase}: ${records.map(({ feature_name }) => feature_name).join(", ")}`,
    ),
    ...(lead.out.size > 0 ? [`${formatCount(lead.out.size, "action")} under way`] : []),
    ...due.slice(0, 3).map(({ about }) => `due: ${about}`),
    ...reviews.map((key) => `due: review ${key}`),
    ...(more > 0 ? [`${more} more due`] : []),
    ...(idle === undefined ? [] : [idle]),
  ].join("\n");
}
