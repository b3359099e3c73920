import type { Material, Piece } from "#domain/agent/brief.ts";
import { linesOf } from "#domain/agent/brief.ts";
import { named, visibleLines } from "#domain/agent/fence.ts";
import type { Path } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";

/** How much a piece matters: see `Cuttable`. */
export interface Weight {
  readonly rank: number;
  readonly share?: number;
}

/** A path of ours as it stands in a sentence. */
export const inside = (path: string): string => `\`${named(path, 300)}\``;

/** A document, or a part of one; nothing where it says nothing. */
export function document(label: string, path: Path, text: string | undefined, weight: Weight): Piece[] {
  if (text === undefined || text.trim() === "") return [];
  return [{ label: `${label}: ${inside(path)}`, where: inside(path), items: linesOf(text), unit: "line", ...weight }];
}

/** One item each, however many lines it has; nothing where there is none. */
export function list(label: string, items: readonly string[], of: Weight & Pick<Piece, "unit" | "where">): Piece[] {
  if (items.length === 0) return [];
  return [{ label, ...of, items: items.map((item) => visibleLines(item.trim()).join("\n")) }];
}

/** What somebody said, whole, as far as there is room. */
export function saying(label: string, text: string, of: Weight & Pick<Piece, "where">): Piece[] {
  return text.trim() === "" ? [] : [{ label, items: linesOf(text), unit: "line", ...of }];
}

/** What a document consists of, as our own template shows it. */
export const formOf = (name: string, template: string, weight: Weight): Piece[] =>
  saying(`The form of ${name}`, template, { ...weight, where: "what the engine says when it checks it" });

/** A line that no item can hold, because whatever cannot be seen was made visible in them. */
const BETWEEN = "\n\u001e\n";

/** The same with whatever looks like a secret masked, before anything is cut: half a secret is none that can be known. */
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
