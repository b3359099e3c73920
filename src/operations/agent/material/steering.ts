import type { Material } from "#domain/agent/brief.ts";
import { steeringName } from "#domain/steering/name.ts";
import { STEERING_FOLDER, getSteeringFilePath } from "#domain/workspace/path.ts";
import type { StoreTree } from "../../ports/store.ts";
import { document, inside, list, type Weight } from "./pieces.ts";

/** In order of importance. Other files follow. */
const FIRST = ["product.md", "tech.md", "structure.md"];
const MOST_SHOWN = 8;

function steeringNames(tree: StoreTree): string[] {
  const names = tree.names(STEERING_FOLDER).filter((name) => name.endsWith(".md") && steeringName(name) !== undefined);
  return [...FIRST.filter((name) => names.includes(name)), ...names.filter((name) => !FIRST.includes(name))];
}

export function steeringTexts(tree: StoreTree, weight: Weight, but: readonly string[] = []): Material {
  const names = steeringNames(tree).filter((name) => !but.includes(name));
  const shown = names.slice(0, MOST_SHOWN).flatMap((name, i) => {
    const path = getSteeringFilePath(name);
    return document("Steering", path, tree.text(path), { rank: weight.rank + i / 10, share: weight.share ?? 0.2 });
  });
  return [...shown, ...steeringList(names.slice(MOST_SHOWN), weight.rank)];
}

export const steeringPaths = (tree: StoreTree, rank: number): Material => steeringList(steeringNames(tree), rank);

const steeringList = (names: readonly string[], rank: number): Material =>
  list("Steering files to read", names.map(getSteeringFilePath), {
    rank,
    share: 0.1,
    unit: "file",
    where: inside(STEERING_FOLDER),
  });
