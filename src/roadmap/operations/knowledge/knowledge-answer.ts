import { sanitizeText, formatCount, quote } from "#kernel/model/text-format.ts";
import type { RoadmapEngine } from "../engine.ts";
import { loadKnowledgeFolder, loadPendingTags, findPendingKnowledge } from "./knowledge-folder.ts";
import type { Page } from "#kernel/model/page.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { ManageKnowledgeInputSchema, ManageKnowledgeOutputSchema } from "./schema.ts";

const MAX_SHOWN_KNOWLEDGE = 50;

export async function createKnowledgeOutput(
  engine: RoadmapEngine,
  input: ManageKnowledgeInput,
  done: KnowledgeResult,
): Promise<ManageKnowledgeOutput> {
  const { action, type, category } = input;
  const isListed = action === "list";
  return engine.store.read((tree) => {
    const shelf = loadKnowledgeFolder(tree);
    const { lessons, candidates } = findPendingKnowledge(loadPendingTags(tree, engine), shelf);
    const meant = shelf.known.filter(
      (each) => isListed && each.type === (type ?? each.type) && each.category === (category ?? each.category),
    );
    const waiting = isListed || action === "review" ? lessons : [];
    const proposed = isListed || action === "skills" ? candidates : [];
    return {
      action,
      ...done,
      entries: meant.slice(0, MAX_SHOWN_KNOWLEDGE).map(({ file, title, phases, sources, ...each }) => ({
        file,
        type: each.type,
        category: each.category,
        title: sanitizeText(title, 120),
        phases: [...phases],
        sources: sources.length,
      })),
      waiting: waiting.slice(0, MAX_SHOWN_KNOWLEDGE).map(({ id, sources, ...each }) => ({
        id,
        type: each.type,
        category: each.category,
        text: sanitizeText(each.text, 1_000),
        sources: [...new Set(sources.map(({ feature, role }) => `${feature} ${role}`))],
      })),
      candidates: proposed.slice(0, MAX_SHOWN_KNOWLEDGE).map((each) => ({
        ...each,
        text: sanitizeText(each.text, 1_000),
        features: [...each.features],
      })),
      notes: [
        ...done.notes,
        ...[meant, waiting, proposed].flatMap((all) =>
          all.length > MAX_SHOWN_KNOWLEDGE ? [`${all.length - MAX_SHOWN_KNOWLEDGE} more left out.`] : [],
        ),
        ...(isListed ? shelf.others.slice(0, 10).map((file) => `${file} is not named as knowledge is.`) : []),
      ],
    };
  });
}

/** Foreign text is quoted, so that agents treat it as data. */
export function formatKnowledgePage(output: ManageKnowledgeOutput): Page {
  const { entries, waiting, candidates, text } = output;
  const isShown = output.action === "show";
  return {
    title: formatKnowledgePageTitle(output),
    ...(entries.length === 0
      ? {}
      : {
          table: {
            columns: ["file", "helps at", "seen"],
            rows: entries.map(({ file, phases, sources }) => [file, phases.join(", "), String(sources)]),
          },
        }),
    quotes: [
      ...(isShown ? [{ label: "What it says", text: (text ?? "").trimEnd() }] : []),
      ...waiting.map(({ id, type, category, text: said, sources }) => ({
        label: `${id}: ${type}, ${category}, by ${sources.join(", ")}`,
        text: said,
      })),
      ...candidates.map(({ name, text: said, features }) => ({
        label: `Candidate ${name}, in ${features.join(", ")}`,
        text: said,
      })),
    ],
    points: [
      ...(output.action === "add" ? [] : output.written.map((path) => `${path} says more now.`)),
      ...output.notes,
    ],
    next: suggestKnowledgeCalls(output),
  };
}

function formatKnowledgePageTitle({
  action,
  done,
  written,
  entries,
  waiting,
  candidates,
}: ManageKnowledgeOutput): string {
  if (action === "show") return `${done ?? ""} is known.`;
  if (action === "add") return `Written: ${written.join(", ")}.`;
  if (done !== undefined) return done;
  if (action === "review")
    return waiting.length === 0
      ? "No auto-accumulated knowledge to review."
      : `To review: ${formatCount(waiting.length, "lesson")}.`;
  if (action === "skills")
    return candidates.length === 0
      ? "No Skill candidates detected yet."
      : `Patterns that might be skills: ${candidates.length}.`;
  const known = entries.length === 0 ? "Nothing is known yet" : `Known: ${formatCount(entries.length, "file")}`;
  return `${known}; ${waiting.length} waiting, ${formatCount(candidates.length, "candidate")} for a skill.`;
}

function suggestKnowledgeCalls({ action, waiting, candidates }: ManageKnowledgeOutput): NonNullable<Page["next"]> {
  const call = (input: Readonly<Record<string, string>>) => ({ operation: "knowledge.manage", input });
  const [lesson] = waiting;
  const [candidate] = candidates;
  if (action === "review" && lesson) return [call({ action: "review", name: lesson.id, answer: "…" })];
  if (action === "skills" && candidate)
    return [
      { operation: "knowledge.approve", input: { candidate: candidate.name } },
      call({ action: "skills", name: candidate.name, answer: "reject" }),
    ];
  if (action !== "list") return [];
  return [...(lesson ? [call({ action: "review" })] : []), ...(candidate ? [call({ action: "skills" })] : [])];
}

export type ManageKnowledgeCall = z.infer<typeof ManageKnowledgeInputSchema>;
export type ManageKnowledgeOutput = z.infer<typeof ManageKnowledgeOutputSchema>;
export type ManageKnowledgeInput = ManageKnowledgeCall & Pick<ManageKnowledgeOutput, "action">;

export type KnowledgeResult = Pick<ManageKnowledgeOutput, "written" | "notes"> &
  Pick<ManageKnowledgeOutput, "done" | "text">;

export const EMPTY_KNOWLEDGE_RESULT: KnowledgeResult = { written: [], notes: [] };

export function requireKnowledgeFields<K extends keyof ManageKnowledgeInput>(
  input: ManageKnowledgeInput,
  names: readonly K[],
): void {
  const missing = names.filter((name) => input[name] === undefined);
  if (missing.length === 0) return;
  const given = Object.fromEntries(
    (["action", "name", "answer", "type"] as const).flatMap((name) =>
      input[name] === undefined ? [] : [[name, input[name]]],
    ),
  );
  throw new Fault("input.missing", {
    what: "Nothing was done.",
    why: `${[input.action, input.answer].filter((word) => word !== undefined).join(" ")} needs ${missing.join(" and ")}.`,
    fix: {
      operation: "knowledge.manage",
      input: { ...given, ...Object.fromEntries(missing.map((name) => [name, "…"])) },
    },
  });
}

export function createUnknownKnowledgeFault(
  what: string,
  name: string,
  known: readonly string[],
  action: ManageKnowledgeInput["action"],
): Fault {
  return new Fault("knowledge.unknown", {
    what: "Nothing was done.",
    why: `No ${what} is called ${quote(name, 100)}; ${
      known.length === 0 ? "there is none" : `there are ${known.slice(0, 20).join(", ")}`
    }.`,
    fix: { operation: "knowledge.manage", input: { action } },
  });
}
