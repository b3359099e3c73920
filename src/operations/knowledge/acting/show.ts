import { normalizeLessonName } from "#domain/knowledge/file-name.ts";
import { getKnowledgePath } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import {
  type KnowledgeResult,
  type ManageKnowledgeInput,
  requireKnowledgeFields,
  EMPTY_KNOWLEDGE_RESULT,
  createUnknownKnowledgeFault,
} from "../done.ts";
import { loadKnowledgeFolder } from "../shelf.ts";

export async function showKnowledge(engine: Engine, input: ManageKnowledgeInput): Promise<KnowledgeResult> {
  requireKnowledgeFields(input, ["name"]);
  const said = (input.name ?? "").trim().replace(/^(?:\.\/)?sdd\/knowledge\//, "");
  return engine.store.read((tree) => {
    const files = loadKnowledgeFolder(tree).known.map(({ file }) => file);
    const found =
      files.find((file) => file === said || file === `${said}.md`) ??
      files.find((file) => file.endsWith(`-${normalizeLessonName(said)}.md`));
    if (found === undefined) throw createUnknownKnowledgeFault("file", said, files, "list");
    return { ...EMPTY_KNOWLEDGE_RESULT, done: getKnowledgePath(found), text: tree.text(getKnowledgePath(found)) ?? "" };
  });
}
