import type * as z from "zod";
import { type ImportManifest, type ImportManifestEntry, getCarriedPath } from "../../model/import/imported-output.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { LedgerEntry, StoreOccurrence, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import type { DetectedLayout } from "./import-sources.ts";
import type { ImportOutputSchema } from "./schema.ts";

export type ImportRow = z.infer<typeof ImportOutputSchema>["files"][number];

interface ImportTarget {
  readonly as?: string;
  readonly to: readonly WorkspacePath[];
  readonly why?: string | undefined;
}

interface PlacedItem {
  readonly from: string;
  readonly text: string;
}

/** A tree that may have counters; the tree of a dry run has none. */
export type CountingTree = StoreTree & { counter?(name: string): number };

/** Collects the writes of an import. Each source file gets a row, and no existing file is overwritten. */
export class ImportDraft {
  readonly tree: CountingTree;
  readonly at: string;
  readonly rows: ImportRow[] = [];
  readonly steps: StoreStep[] = [];
  readonly keeps: LedgerEntry[] = [];
  readonly occurrences: StoreOccurrence[] = [];
  readonly counters: Record<string, number> = {};
  readonly notes: string[] = [];
  readonly #before: ImportManifest;
  readonly #taken = new Map<string, ImportManifestEntry>();
  readonly #written = new Set<WorkspacePath>();

  constructor(tree: CountingTree, before: ImportManifest, at: string) {
    this.tree = tree;
    this.#before = before;
    this.at = at;
  }

  get manifest(): ImportManifest | undefined {
    return this.#taken.size === 0 ? undefined : new Map([...this.#before, ...this.#taken]);
  }

  counter(name: string): number {
    return this.counters[name] ?? this.tree.counter?.(name) ?? 0;
  }

  isWritten(path: WorkspacePath): boolean {
    return this.#written.has(path);
  }

  isFolderWritten(folder: WorkspacePath): boolean {
    return [...this.#written].some((path) => path.startsWith(`${folder}/`));
  }

  isFree(path: WorkspacePath): boolean {
    return !this.isWritten(path) && !this.tree.has(path);
  }

  write(path: WorkspacePath, text: string): void {
    this.step({ kind: "document", path, text: text.endsWith("\n") ? text : `${text}\n` });
  }

  text(path: WorkspacePath): string | undefined {
    const step = this.steps.find((each) => each.kind === "document" && each.path === path);
    return step?.kind === "document" ? step.text : this.tree.text(path);
  }

  /** Replaces a document that this import may already write, still in one step. */
  rewrite(path: WorkspacePath, text: string): void {
    const at = this.steps.findIndex((each) => each.kind === "document" && each.path === path);
    if (at >= 0) this.steps.splice(at, 1);
    this.step({ kind: "document", path, text });
  }

  step(step: Exclude<StoreStep, { kind: "move" }>): void {
    this.#written.add(step.path);
    this.steps.push(step);
  }

  wasTaken(seen: DetectedLayout, path: string): boolean {
    const file = seen.files.get(path);
    return file !== undefined && this.#before.has(file.name);
  }

  /** Adds a row and returns true for a file that was imported before. */
  isKnown(seen: DetectedLayout, path: string): boolean {
    const file = seen.files.get(path);
    const entry = file && this.#before.get(file.name);
    if (!file || !entry) return false;
    const day = entry.at.slice(0, 10);
    const why =
      entry.sha256 === file.sha256
        ? `imported on ${day}`
        : `imported on ${day} and changed since: compare it with the imported version`;
    this.rows.push({ path: file.name, layout: seen.layout, outcome: "before", to: [...entry.to], why });
    return true;
  }

  place(seen: DetectedLayout, { from, text }: PlacedItem, as: string, path: WorkspacePath, why?: string): boolean {
    if (!this.isFree(path)) {
      this.collide(seen, from, path);
      return false;
    }
    this.write(path, text);
    this.addRow(seen, from, "taken", { as, to: [path], why });
    return true;
  }

  carry(seen: DetectedLayout, { from, text }: PlacedItem, why: string): WorkspacePath | undefined {
    const to = this.carryBeside(seen, { from, text });
    if (to === undefined) this.collide(seen, from, getCarriedPath(seen.layout, from));
    else this.addRow(seen, from, "carried", { to: [to], why });
    return to;
  }

  /** As `carry`, but the caller adds the row. An existing file blocks its target. */
  carryBeside({ layout }: DetectedLayout, { from, text }: PlacedItem): WorkspacePath | undefined {
    const place = getCarriedPath(layout, from);
    if (!this.isWritten(place) && this.tree.has(place)) return undefined;
    let to = place;
    for (let n = 2; !this.isFree(to); n++)
      to = place.replace(/(\.[^./]*)?$/, (ending) => `-${n}${ending}`) as WorkspacePath;
    this.write(to, text);
    return to;
  }

  collide(seen: DetectedLayout, path: string, place: WorkspacePath): void {
    this.addRow(seen, path, "collision", { to: [], why: `${place} exists already` });
  }

  leave(seen: DetectedLayout, path: string, why: string, files?: number): void {
    const row: ImportRow = { path: seen.nameOf(path), layout: seen.layout, outcome: "left", to: [], why };
    this.rows.push(files === undefined ? row : { ...row, files });
  }

  addRow(seen: DetectedLayout, path: string, outcome: ImportRow["outcome"], { as, to, why }: ImportTarget): void {
    const file = seen.files.get(path);
    const { name = seen.nameOf(path), masked = [] } = file ?? {};
    this.rows.push({
      path: name,
      layout: seen.layout,
      outcome,
      ...(as === undefined ? {} : { as }),
      to: [...to],
      ...(why === undefined ? {} : { why }),
      ...(masked.length === 0 || to.length === 0 ? {} : { masked: [...masked] }),
    });
    if (file && to.length > 0) this.#taken.set(name, { source: name, sha256: file.sha256, at: this.at, to });
  }
}
