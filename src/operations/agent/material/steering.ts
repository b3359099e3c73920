import type { BriefMaterial } from "#domain/agent/brief.ts";
import { matchSteeringName } from "#domain/steering/name.ts";
import { STEERING_FOLDER, getSteeringFilePath } from "#domain/workspace/path.ts";
import type { StoreTree } from "../../ports/store.ts";
import { createDocumentPiece, formatInlinePath, createListPiece, type PieceWeight } from "./pieces.ts";

/** In order of importance. Other files follow. */
const FIRST_STEERING_FILES = ["product.md", "tech.md", "structure.md"];
const MAX_STEERING_SHOWN = 8;

function listSteeringNames(tree: StoreTree): string[] {
  const names = tree
    .names(STEERING_FOLDER)
    .filter((name) => name.endsWith(".md") && matchSteeringName(name) !== undefined);
  return [
    ...FIRST_STEERING_FILES.filter((name) => names.includes(name)),
    ...names.filter((name) => !FIRST_STEERING_FILES.includes(name)),
  ];
}

export function createSteeringTexts(tree: StoreTree, weight: PieceWeight, but: readonly string[] = []): BriefMaterial {
  const names = listSteeringNames(tree).filter((name) => !but.includes(name));
  const shown = names.slice(0, MAX_STEERING_SHOWN).flatMap((name, i) => {
    const path = getSteeringFilePath(name);
    return createDocumentPiece("Steering", path, tree.text(path), {
      rank: weight.rank + i / 10,
      share: weight.share ?? 0.2,
    });
  });
  return [...shown, ...createSteeringList(names.slice(MAX_STEERING_SHOWN), weight.rank)];
}

export const createSteeringPaths = (tree: StoreTree, rank: number): BriefMaterial =>
  createSteeringList(listSteeringNames(tree), rank);

const createSteeringList = (names: readonly string[], rank: number): BriefMaterial =>
  createListPiece("Steering files to read", names.map(getSteeringFilePath), {
    rank,
    share: 0.1,
    unit: "file",
    where: formatInlinePath(STEERING_FOLDER),
  });
