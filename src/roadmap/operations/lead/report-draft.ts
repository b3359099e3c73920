import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { getReportDraftPath } from "#kernel/model/workspace-paths.ts";
import type { RoadmapEngine } from "../engine.ts";

const createToken = ({ digest }: RoadmapEngine, text: string): string => digest(text).slice(0, 8);

/** Keeps the corrected form of a report, so that its agent confirms it with a token instead of writing it again. */
export async function keepReportDraft(engine: RoadmapEngine, action: string, text: string): Promise<string> {
  const token = createToken(engine, text);
  const path = getReportDraftPath(action);
  await engine.store.write((tree) => ({
    steps: tree.text(path) === text ? [] : [{ kind: "document", path, text }],
    occurrences: [{ kind: "roadmap.report-drafted", subject: action, data: { token } }],
    result: undefined,
  }));
  return token;
}

export async function readReportDraft(engine: RoadmapEngine, action: string, token: string): Promise<string> {
  const text = await engine.store.read((tree) => tree.text(getReportDraftPath(action)));
  if (text !== undefined && createToken(engine, text) === token.trim()) return text;
  throw new Fault("roadmap.wrong-report", {
    what: `The report of ${quote(action, 100)} was not accepted.`,
    why: `${quote(token, 20)} is not the token of its corrected form.`,
    fix: { operation: "roadmap.report", input: { action, report: "…" } },
  });
}
