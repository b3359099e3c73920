import type { LayoutContents, ForeignItem, ForeignWork, LeftOutFile, LayoutFile } from "./found.ts";

/** Collects the items of a layout. Each file is taken once; the rest is carried over. */
export class LayoutSorter {
  readonly #files: ReadonlyMap<string, LayoutFile>;
  readonly #seen = new Set<string>();
  readonly #items: ForeignItem[] = [];
  readonly #left: LeftOutFile[] = [];
  readonly #work: ForeignWork[] = [];

  constructor(files: readonly LayoutFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  get paths(): string[] {
    return [...this.#files.keys()];
  }

  text(path: string): string | undefined {
    return this.#files.get(path)?.text;
  }

  matching(pattern: RegExp): (LayoutFile & { readonly match: RegExpExecArray })[] {
    return [...this.#files.values()].flatMap((file) => {
      const match = this.#seen.has(file.path) ? null : pattern.exec(file.path);
      return match ? [{ ...file, match }] : [];
    });
  }

  take(item: ForeignItem): void {
    this.#seen.add(item.from);
    if (item.kind === "feature") for (const { from } of item.parts) this.#seen.add(from);
    this.#items.push(item);
  }

  leave(path: string, why: string): void {
    this.#seen.add(path);
    this.#left.push({ path, why });
  }

  leaveFolder(folder: string, why: string): void {
    const inside = this.paths.filter((path) => path.startsWith(`${folder}/`) && !this.#seen.has(path));
    for (const path of inside) this.#seen.add(path);
    if (inside.length > 0) this.#left.push({ path: `${folder}/`, why, files: inside.length });
  }

  begin(work: ForeignWork): void {
    this.#work.push(work);
  }

  /** Carries over all remaining files with the given reason. */
  found(why: string): LayoutContents {
    const others = [...this.#files.values()].filter(({ path }) => !this.#seen.has(path));
    for (const { path, text } of others) {
      if (text.trim() === "") this.leave(path, "it is empty");
      else this.take({ kind: "document", from: path, text, why });
    }
    return { items: this.#items, left: this.#left, work: this.#work };
  }
}
