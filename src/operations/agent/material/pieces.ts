import type { Material, Piece } from "#domain/agent/brief.ts";
import { linesOf } from "#domain/agent/brief.ts";
import { named, visibleLines } from "#domain/agent/fence.ts";
import type { WorkspacePath } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";

export interface Weight {
  readonly rank: number;
  readonly share?: number;
}

export const inside = (path: string): string => `\`${named(path, 300)}\``;

export function document(label: string, path: WorkspacePath, text: string | undefined, weight: Weight): Piece[] {
  if (text === undefined || text.trim() === "") return [];
  return [{ label: `${label}: ${inside(path)}`, where: inside(path), items: linesOf(text), unit: "line", ...weight }];
}

/** One item per entry, even with several lines. */
export function list(label: string, items: readonly string[], of: Weight & Pick<Piece, "unit" | "where">): Piece[] {
  if (items.length === 0) return [];
  return [{ label, ...of, items: items.map((item) => visibleLines(item.trim()).join("\n")) }];
}

export function saying(label: string, text: string, of: Weight & Pick<Piece, "where">): Piece[] {
  return text.trim() === "" ? [] : [{ label, items: linesOf(text), unit: "line", ...of }];
}

export const formOf = (name: string, template: string, weight: Weight): Piece[] =>
  saying(`The form of ${name}`, template, { ...weight, where: "what the engine says when it checks it" });

/** Items cannot contain this separator, because control characters in them were made visible. */
const BETWEEN = "\n\u001e\n";

/** Masks secrets before anything is cut: half a secret would not be recognized. */
export async function maskedMaterial(engine: Pick<Engine, "secrets">, material: Material): Promise<Material> {
  return Promise.all(
    material.map(async (each) => {
      if (!("items" in each)) return each;
      const isDocument = each.unit === "line";
      const { text } = await engine.secrets.mask(each.items.join(isDocument ? "\n" : BETWEEN));
      return { ...each, items: text.split(isDocument ? "\n" : BETWEEN) };
    }),
  );
}
