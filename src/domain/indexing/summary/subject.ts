import { type CodeComponent, formatComponentKey } from "../outline.ts";
import type { SummarySubject } from "../summary.ts";

export interface KeyedSubject extends SummarySubject {
  readonly key: string;
  readonly path: string;
  readonly line: number;
  readonly hash: string;
}

export type IndexedComponent = Pick<
  CodeComponent,
  "kind" | "name" | "within" | "signature" | "doc" | "line" | "hash" | "isExported"
> & { readonly path: string; readonly ref: string; readonly isTest: boolean };

export const createComponentSubject = (each: IndexedComponent, members: readonly string[] = []): KeyedSubject => ({
  kind: each.kind,
  name: each.name,
  within: each.within,
  signature: each.signature,
  doc: each.doc,
  members,
  key: formatComponentKey(each.path, each.ref),
  path: each.path,
  line: each.line,
  hash: each.hash,
});

export const createFileSubject = (
  file: { readonly path: string; readonly hash: string; readonly doc: string; readonly language: string },
  members: readonly string[] = [],
): KeyedSubject => ({
  kind: "file",
  name: file.path,
  doc: file.doc,
  language: file.language,
  members,
  key: file.path,
  path: file.path,
  line: 1,
  hash: file.hash,
});

export const createTextSubject = (each: {
  readonly kind: "spec" | "doc";
  readonly key: string;
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly text: string;
  readonly hash: string;
}): KeyedSubject => ({
  kind: each.kind,
  name: each.title,
  doc: each.text,
  key: each.key,
  path: each.path,
  line: each.line,
  hash: each.hash,
});

/** Member names by container; top-level names have an empty key. Exported names come first. */
export function groupMemberNames(components: readonly IndexedComponent[]): ReadonlyMap<string, readonly string[]> {
  const inside = new Map<string, string[]>();
  for (const { within, name } of components.toSorted((a, b) => Number(b.isExported) - Number(a.isExported))) {
    const names = inside.get(within) ?? [];
    if (!names.includes(name)) names.push(name);
    inside.set(within, names);
  }
  return inside;
}
