import type * as z from "zod";
import type { ChangeSize, ChangeType } from "#domain/change/flows.ts";
import { isLockFile, larger, smaller } from "#domain/change/classes.ts";
import { proposeSize } from "#domain/change/sizing.ts";
import { codeTerms, likely, ownWords, type Spoken, tellingTerms } from "#domain/change/telling.ts";
import { count } from "#domain/count.ts";
import type { Defined } from "#domain/document/defined.ts";
import { proseLines } from "#domain/document/prose.ts";
import { mentions } from "#domain/document/reference.ts";
import type { Page } from "#domain/page.ts";
import { liveRequirements, liveRules } from "#domain/project/document.ts";
import { plain } from "#domain/quote.ts";
import { BUSINESS_RULES, REQUIREMENTS } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { SourceFile } from "../ports/source.ts";
import type { Tree } from "../ports/store.ts";
import type { ChangeProposed } from "./schema.ts";

/** Files beyond these limits are compared by name only. */
const MOST_READ = 3_000;
const LARGEST_READ = 64 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_NAMED = 5;
const MOST_TOLD = 50;

export type Proposed = z.infer<typeof ChangeProposed>;

interface Wanted {
  readonly description: string;
  readonly type?: ChangeType | undefined;
  readonly size?: ChangeSize | undefined;
  readonly concurrent?: boolean | undefined;
}

export async function propose(engine: Pick<Engine, "source" | "store">, wanted: Wanted): Promise<Proposed> {
  const asked = tellingTerms(wanted.description);
  const files = (await engine.source.files()).filter(({ path }) => !isLockFile(path));
  const { spoken, unread } = await readAll(engine, files, asked);
  const touched = likely(asked.keys(), spoken);
  const items = await engine.store.read(everyItem);
  const requirements = touchedItems(wanted.description, asked, items ?? []);
  const best = touched.slice(0, MOST_NAMED).map(({ item }) => plain(item));
  const words = [...new Set(touched.flatMap(({ terms }) => terms))].map((term) => asked.get(term) ?? term);
  const { type, size, because } = proposeSize(
    wanted.description,
    {
      ...(files.length > 0 ? { files: { count: touched.length, best, words: words.slice(0, MOST_NAMED) } } : {}),
      ...(items ? { requirements } : {}),
    },
    wanted,
  );
  return {
    type,
    size,
    because: [...because],
    measured: { files: touched.length, best, requirements: requirements.slice(0, MOST_TOLD) },
    unmeasured: [
      ...(files.length === 0 ? ["There are no files to compare it with."] : []),
      ...(asked.size === 0 ? ["No word of it tells it from other changes, so nothing was compared."] : []),
      ...(unread > 0 ? [`Compared by name only: ${unread} of ${count(files.length, "file")}.`] : []),
      ...(items ? [] : ["There are no requirements or rules to compare it with."]),
      ...((await engine.source.head()) === undefined
        ? ["There is no commit to measure from, so nothing will be told if it outgrows its size."]
        : []),
    ],
    begin: choices(wanted, type, size),
  };
}

/** The proposed size, one smaller, one larger. A given size is the only choice. */
function choices(wanted: Wanted, type: ChangeType, size: ChangeSize): Proposed["begin"] {
  const { description, concurrent } = wanted;
  const sizes = wanted.size ? [size] : [size, smaller(size), larger(size)];
  return sizes.flatMap((each) =>
    each ? [{ type, size: each, description, ...(concurrent ? { concurrent } : {}) }] : [],
  );
}

export function proposalPage({ type, size, because, unmeasured, begin }: Proposed): Page {
  return {
    title: `Nothing has begun. Proposed: ${article(type)} of size ${size}.`,
    points: [...because, ...unmeasured],
    next: begin.map((input) => ({ operation: "change.start", input })),
  };
}

const article = (type: string): string => (type === "enhancement" ? `an ${type}` : `a ${type}`);

async function readAll(
  engine: Pick<Engine, "source">,
  files: readonly SourceFile[],
  asked: ReadonlyMap<string, string>,
): Promise<{ spoken: Spoken<string>[]; unread: number }> {
  const named = files.map(({ path, bytes }) => ({ path, bytes, name: codeTerms(path) }));
  const isNamed = ({ name }: { name: ReadonlySet<string> }): boolean =>
    [...asked.keys()].some((term) => name.has(term));
  const inOrder = [...named.filter(isNamed), ...named.filter((file) => !isNamed(file))];
  const spoken: Spoken<string>[] = [];
  let [read, left, unread] = [0, MOST_BYTES, 0];
  for (const { path, bytes, name } of inOrder) {
    const isRead = asked.size > 0 && read < MOST_READ && bytes <= Math.min(left, LARGEST_READ);
    const text = isRead ? await engine.source.text(path, LARGEST_READ) : undefined;
    if (isRead) [read, left] = [read + 1, left - bytes];
    else unread++;
    spoken.push({ item: path, name, text: text === undefined ? new Set() : codeTerms(text) });
  }
  return { spoken, unread: asked.size > 0 ? unread : 0 };
}

function everyItem(tree: Tree): Defined[] | undefined {
  const [requirements, rules] = [tree.text(REQUIREMENTS), tree.text(BUSINESS_RULES)];
  if (requirements === undefined && rules === undefined) return undefined;
  return [...liveRequirements(requirements ?? ""), ...liveRules(rules ?? "")];
}

function touchedItems(description: string, asked: ReadonlyMap<string, string>, items: readonly Defined[]): string[] {
  const lines = proseLines(description);
  const named = new Set([...mentions(lines, "requirement"), ...mentions(lines, "rule")].map(({ id }) => id));
  const spoken = items.map(({ id, text }) => ({ item: id, name: new Set<string>(), text: codeTerms(ownWords(text)) }));
  const known = items.filter(({ id }) => named.has(id)).map(({ id }) => id);
  return [...new Set([...known, ...likely(asked.keys(), spoken).map(({ item }) => item)])];
}
