import type { BriefMaterial, BriefPiece } from "#domain/agent/brief.ts";
import { splitVisibleLines } from "#domain/agent/brief.ts";
import { quoteForeignName, splitPrintableLines } from "#domain/agent/fence.ts";
import type { WorkspacePath } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";

export interface PieceWeight {
  readonly rank: number;
  readonly share?: number;
}

export const formatInlinePath = (path: string): string => `\`${quoteForeignName(path, 300)}\``;

export function createDocumentPiece(
  label: string,
  path: WorkspacePath,
  text: string | undefined,
  weight: PieceWeight,
): BriefPiece[] {
  if (text === undefined || text.trim() === "") return [];
  return [
    {
      label: `${label}: ${formatInlinePath(path)}`,
      where: formatInlinePath(path),
      items: splitVisibleLines(text),
      unit: "line",
      ...weight,
    },
  ];
}

/** One item per entry, even with several lines. */
export function createListPiece(
  label: string,
  items: readonly string[],
  of: PieceWeight & Pick<BriefPiece, "unit" | "where">,
): BriefPiece[] {
  if (items.length === 0) return [];
  return [{ label, ...of, items: items.map((item) => splitPrintableLines(item.trim()).join("\n")) }];
}

export function createTextPiece(
  label: string,
  text: string,
  of: PieceWeight & Pick<BriefPiece, "where">,
): BriefPiece[] {
  return text.trim() === "" ? [] : [{ label, items: splitVisibleLines(text), unit: "line", ...of }];
}

export const createTemplatePiece = (name: string, template: string, weight: PieceWeight): BriefPiece[] =>
  createTextPiece(`The form of ${name}`, template, { ...weight, where: "what the engine says when it checks it" });

/** Items cannot contain this separator, because control characters in them were made visible. */
const ITEM_SEPARATOR = "\n\u001e\n";

/** Masks secrets before anything is cut: half a secret would not be recognized. */
export async function maskMaterialSecrets(
  engine: Pick<Engine, "secrets">,
  material: BriefMaterial,
): Promise<BriefMaterial> {
  return Promise.all(
    material.map(async (each) => {
      if (!("items" in each)) return each;
      const isDocument = each.unit === "line";
      const { text } = await engine.secrets.mask(each.items.join(isDocument ? "\n" : ITEM_SEPARATOR));
      return { ...each, items: text.split(isDocument ? "\n" : ITEM_SEPARATOR) };
    }),
  );
}
