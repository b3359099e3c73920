import { formatCount } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import type { ManageKnowledgeOutput } from "./done.ts";

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
