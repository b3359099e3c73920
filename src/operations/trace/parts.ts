import type * as z from "zod";
import { startOf } from "#domain/memory/snippet.ts";
import { keyOf } from "#domain/indexing/outline.ts";
import { nameOfTag } from "#domain/scan/tags.ts";
import type { Carrier } from "#domain/trace/carrier.ts";
import type { TraceProblem } from "#domain/trace/problems.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { Place, Traced } from "./schema.ts";

export type Output = z.infer<typeof Traced>;
export type Placed = z.infer<typeof Place>;

interface Lists {
  readonly problems: readonly TraceProblem[];
  readonly criteria: NonNullable<Output["criteria"]>;
  readonly code: readonly Placed[];
  readonly tests: readonly Placed[];
  readonly docs: NonNullable<Output["docs"]>;
  readonly decisions: NonNullable<Output["decisions"]>;
  readonly commits: NonNullable<Output["commits"]>;
  readonly receipts: NonNullable<Output["receipts"]>;
  readonly workflows: NonNullable<Output["workflows"]>;
  readonly serves: NonNullable<Output["serves"]>;
  readonly specs: NonNullable<Output["specs"]>;
  readonly aimless: NonNullable<Output["aimless"]>;
}

type ListName = keyof Lists;

/** Left out last if the answer must shrink. */
type Head = Pick<Output, "id" | "path" | "symbol" | "subject" | "older_commits" | "totals">;

export type Item =
  | { [Name in ListName]: { readonly in: Name; readonly item: Lists[Name][number] } }[ListName]
  | { readonly in: "head"; readonly item: Head };

export const items = <Name extends ListName>(name: Name, list: Lists[Name]): Item[] =>
  list.map((item) => ({ in: name, item }) as Item);

/** Requested lists exist even if they are empty. */
export function lists(shown: readonly Item[], asked: readonly ListName[]): Partial<Output> & Pick<Output, "problems"> {
  const found: Record<string, unknown[]> = Object.fromEntries(["problems", ...asked].map((name) => [name, []]));
  for (const { in: name, item } of shown) if (name !== "head") (found[name] ??= []).push(item);
  const head = shown.find((each) => each.in === "head")?.item;
  return { ...head, ...found } as unknown as ReturnType<typeof lists>;
}

export function shorten(shown: Item, length: number): Item | undefined {
  if (shown.in !== "criteria" || shown.item.text.length <= length) return undefined;
  return { in: "criteria", item: { ...shown.item, text: startOf(shown.item.text, length) } };
}

export async function placed(index: CodeIndex, carriers: readonly Carrier[]): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const carrier of carriers) {
    const { path, line, by, ref, test, isTest } = carrier;
    const [component] = ref === undefined || isTest ? [] : await index.components({ path, ref, most: 1 });
    found.push({
      id: nameOfTag(carrier),
      path,
      line: component?.line ?? line,
      by,
      ...(component ? { key: keyOf(path, component.ref), signature: component.signature } : {}),
      ...(test === undefined ? {} : { test }),
    });
  }
  return found;
}
