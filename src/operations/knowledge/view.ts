import { sanitizeText } from "#domain/quote.ts";
import type { Engine } from "../engine.ts";
import type { Done, Input, Output } from "./done.ts";
import { knowledgeIn, tagsIn, waitingOf } from "./shelf.ts";

const MOST = 50;

export async function viewOf(engine: Engine, input: Input, done: Done): Promise<Output> {
  const { action, type, category } = input;
  const isListed = action === "list";
  return engine.store.read((tree) => {
    const shelf = knowledgeIn(tree);
    const { lessons, candidates } = waitingOf(tagsIn(tree, engine), shelf);
    const meant = shelf.known.filter(
      (each) => isListed && each.type === (type ?? each.type) && each.category === (category ?? each.category),
    );
    const waiting = isListed || action === "review" ? lessons : [];
    const proposed = isListed || action === "skills" ? candidates : [];
    return {
      action,
      ...done,
      entries: meant.slice(0, MOST).map(({ file, title, phases, sources, ...each }) => ({
        file,
        type: each.type,
        category: each.category,
        title: sanitizeText(title, 120),
        phases: [...phases],
        sources: sources.length,
      })),
      waiting: waiting.slice(0, MOST).map(({ id, sources, ...each }) => ({
        id,
        type: each.type,
        category: each.category,
        text: sanitizeText(each.text, 1_000),
        sources: [...new Set(sources.map(({ feature, role }) => `${feature} ${role}`))],
      })),
      candidates: proposed.slice(0, MOST).map((each) => ({
        ...each,
        text: sanitizeText(each.text, 1_000),
        features: [...each.features],
      })),
      notes: [
        ...done.notes,
        ...[meant, waiting, proposed].flatMap((all) =>
          all.length > MOST ? [`${all.length - MOST} more left out.`] : [],
        ),
        ...(isListed ? shelf.others.slice(0, 10).map((file) => `${file} is not named as knowledge is.`) : []),
      ],
    };
  });
}
