import { sanitizeText } from "#domain/quote.ts";
import type { Engine } from "../engine.ts";
import type { KnowledgeResult, ManageKnowledgeInput, ManageKnowledgeOutput } from "./done.ts";
import { loadKnowledgeFolder, loadPendingTags, findPendingKnowledge } from "./shelf.ts";

const MAX_SHOWN_KNOWLEDGE = 50;

export async function createKnowledgeOutput(
  engine: Engine,
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
