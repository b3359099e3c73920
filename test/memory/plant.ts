import fs from "node:fs";
import { join } from "node:path";
import type { OperationId } from "#doors/catalogue.ts";
import type { Doors, Input } from "../bad-input/doors.ts";

/** Where a text that others wrote came from. */
export const SOURCE = "https://evil.example/page";

/** As much of a text as an argument holds. */
export const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed();
export interface Planted {
  readonly operation: OperationId;
  readonly input: Input;
}

const AT = "2020-01-31T12:00:00Z";
const uid = (n: number): string => n.toString(16).padStart(32, "0");

/** An export in which every text is this one. */
function poisonedExport(text: string): string {
  const row = (n: number, more: object): object => ({
    kind: "observation",
    uid: uid(n),
    id: 900 + n,
    project: text,
    session: text,
    scope: "project",
    namespace: "",
    type: text,
    revision: 1,
    duplicates: 1,
    created_at: AT,
    updated_at: AT,
    title: text,
    content: text,
    revisions: [],
    ...more,
  });
  const lines = [
    { tenon: "memory", format: 1 },
    { kind: "project", name: text, aliases: [text, `${text} too`], places: [`folder:${text}`] },
    { kind: "session", project: text, id: text, directory: text, started_at: AT, active_at: AT, summary: text },
    row(1, { topic_key: text, namespace: text, source: SOURCE }),
    row(2, {
      source: SOURCE,
      revision: 2,
      revisions: [{ revision: 1, type: text, title: text, content: `${text} before`, at: AT }],
    }),
    row(3, { project: "general" }),
    row(4, { project: "general", content: `${text} again` }),
    { kind: "relation", id: 1, from: uid(1), to: uid(2), type: text, note: text, created_at: AT },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A call of every path by which a text comes into memory, with the text in every place that takes one. */
export function listPlantedCalls(text: string, shorten = cut): readonly Planted[] {
  const name = (said: string): string => shorten(said, 100);
  const title = (said: string): string => shorten(said, 200);
  const adr = { title: title(text), context: text, decision: text, rationale: text };
  const call = (operation: OperationId, input: Input): Planted => ({ operation, input });
  return [
    call("memory.save", { title: "First", content: "A text that nobody minds" }),
    call("memory.save", { title: title(text), content: text, type: name(text), session_id: name(text) }),
    call("memory.save", { title: "From a page", content: text, source: SOURCE, relate_to: [1] }),
    call("memory.save", { title: "From there", content: `${text} there`, source: shorten(text, 2_000) }),
    call("memory.save", { title: "A topic", content: `first ${text}`, topic_key: title(text) }),
    call("memory.save", { title: "A topic", content: `then ${text}`, topic_key: title(text), source: SOURCE }),
    call("memory.save", { title: title(text), content: `keyed ${text}`, upsert: true, namespace: name(text) }),
    call("memory.save", { title: "Elsewhere", content: text, project: name(text) }),
    call("memory.save", { content: text, save_type: "prompt" }),
    call("memory.save", { title: title(text), content: `asked ${text}`, save_type: "prompt", source: SOURCE }),
    call("memory.save", {
      content: `## Key Learnings\n\n1. It was learned the hard way that ${text}\n`,
      save_type: "passive",
      source: SOURCE,
    }),
    call("memory.update", { id: 1, title: title(text), content: text, type: name(text) }),
    call("memory.update", { id: 1, topic_key: title(`x ${text}`), scope: "personal", content: `${text} anew` }),
    call("memory.session", { action: "start", id: name(text), directory: shorten(text, 2_000) }),
    call("memory.session", { action: "start", id: name(`in ${text}`), project: name(text) }),
    call("memory.session", { action: "end", id: name(text), summary: text }),
    call("memory.relate", { from_id: 1, to_id: 2, relation_type: name(text), note: shorten(text, 2_000) }),
    call("memory.progress", { content: JSON.stringify({ [text]: [text, { next: text }] }), session_id: name(text) }),
    call("memory.progress", { content: JSON.stringify(text), namespace: name(text), project: name(text) }),
    ...["goals", "constraints", "preferences", "unknowns", "decisions", "context"].map((category) =>
      call("explore.record", { title: title(text), [category]: text, session_id: name(text) }),
    ),
    call("adr.record", adr),
    call("change.advance", { content: text }),
    call("memory.import", { file: "poison.jsonl" }),
    call("memory.compact", {
      older_than_days: 30,
      compact_ids: [903],
      project: "general",
      session_id: name(text),
      summary_title: title(text),
      summary_content: text,
    }),
  ];
}

/** A workspace with a change under way, and a file to import. */
export async function prepareGround(doors: Doors, root: string, text: string, description = text): Promise<void> {
  fs.mkdirSync(join(root, "sdd"));
  fs.writeFileSync(join(root, "poison.jsonl"), poisonedExport(text));
  await doors.mcp("workspace.init", {});
  await doors.mcp("change.start", { type: "fix", size: "small", description: cut(description, 2_000) });
}
