import { nameGiven } from "#domain/knowledge/file-name.ts";
import { getKnowledgePath } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import { type Done, type Input, needed, NOTHING, unknown } from "../done.ts";
import { knowledgeIn } from "../shelf.ts";

export async function show(engine: Engine, input: Input): Promise<Done> {
  needed(input, ["name"]);
  const said = (input.name ?? "").trim().replace(/^(?:\.\/)?sdd\/knowledge\//, "");
  return engine.store.read((tree) => {
    const files = knowledgeIn(tree).known.map(({ file }) => file);
    const found =
      files.find((file) => file === said || file === `${said}.md`) ??
      files.find((file) => file.endsWith(`-${nameGiven(said)}.md`));
    if (found === undefined) throw unknown("file", said, files, "list");
    return { ...NOTHING, done: getKnowledgePath(found), text: tree.text(getKnowledgePath(found)) ?? "" };
  });
}
