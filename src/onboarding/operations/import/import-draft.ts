import type * as z from "zod";
import type { ImportLayout } from "../../model/import/import-source.ts";
import { type ImportManifest, type ImportManifestEntry, getCarriedPath } from "../../model/import/imported-output.ts";
import { type WorkspacePath, SPEC_FILE_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { LedgerEntry, StoreOccurrence, StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import type { DetectedLayout } from "./import-sources.ts";
import type { ImportOutputSchema } from "./schema.ts";

export type ImportRow = z.infer<typeof ImportOutputSchema>["files"][number];

interface ImportTarget {
  readonly as?: string;
  readonly to: readonly WorkspacePath[];
  readonly why?: string | undefined;
}

interface PlacedFile {
  readonly as: string;
  readonly path: WorkspacePath;
  readonly text: string;
  readonly why?: string | undefined;
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
  #specIds: readonly string[] | undefined;

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

  specIds(): readonly string[] {
    this.#specIds ??= [
      ...this.tree.kept(WORKFLOW_SPACE).keys(),
      ...this.tree.names(SPEC_FILE_FOLDER).map((name) => name.replace(/\.yaml$/, "")),
    ];
    return this.#specIds;
  }

  isFree(path: WorkspacePath): boolean {
    return !this.#written.has(path) && !this.tree.has(path);
  }

  isWritten(path: WorkspacePath): boolean {
    return this.#written.has(path);
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

  /** Adds a row and returns true for a file that was imported before. */
  isKnown(seen: DetectedLayout, path: string): boolean {
    const file = seen.files.get(path);
    const entry = file && this.#before.get(file.name);
    if (!file || !entry) return false;
    const day = entry.at.slice(0, 10);
    const why =
      entry.sha256 === file.sha256
        ? `taken on ${day}`
        : `taken on ${day} and changed since: compare it with what it became`;
    this.rows.push({ path: file.name, layout: seen.layout, outcome: "before", to: [...entry.to], why });
    return true;
  }

  taken(seen: DetectedLayout, path: string, became: ImportTarget & { readonly as: string }): void {
    this.#record(seen, path, "taken", became);
  }

  carried(seen: DetectedLayout, path: string, became: ImportTarget): void {
    this.#record(seen, path, "carried", became);
  }

  /** Takes a whole file to its place, if that is free. */
  place(seen: DetectedLayout, from: string, became: PlacedFile): boolean {
    const { as, path, text, why } = became;
    if (!this.isFree(path)) {
      this.collide(seen, from, path);
      return false;
    }
    this.write(path, text);
    this.taken(seen, from, { as, to: [path], why });
    return true;
  }

  /** Carries a file over unchanged, if its target is free. */
  carry(seen: DetectedLayout, path: string, text: string, why: string): WorkspacePath | undefined {
    const to = this.carryBeside(seen, path, text);
    if (to === undefined) this.collide(seen, path, getCarriedPath(seen.layout, path));
    else this.carried(seen, path, { to: [to], why });
    return to;
  }

  /** Like `carry`, but the caller adds the row. */
  carryBeside(seen: DetectedLayout, path: string, text: string): WorkspacePath | undefined {
    const to = this.#carriedPlace(seen.layout, path);
    if (to !== undefined) this.write(to, text);
    return to;
  }

  collide(seen: DetectedLayout, path: string, place: WorkspacePath): void {
    this.#record(seen, path, "collision", { to: [], why: `${place} is there already` });
  }

  leave(seen: DetectedLayout, path: string, why: string, files?: number): void {
    const row: ImportRow = { path: seen.nameOf(path), layout: seen.layout, outcome: "left", to: [], why };
    this.rows.push(files === undefined ? row : { ...row, files });
  }

  #record(seen: DetectedLayout, path: string, outcome: ImportRow["outcome"], { as, to, why }: ImportTarget): void {
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

  /** Files of one import get different targets. An existing file blocks its target. */
  #carriedPlace(layout: ImportLayout, path: string): WorkspacePath | undefined {
    const place = getCarriedPath(layout, path);
    if (!this.#written.has(place)) return this.tree.has(place) ? undefined : place;
    for (let n = 2; ; n++) {
      const other = place.replace(/(\.[^./]*)?$/, (ending) => `-${n}${ending}`) as WorkspacePath;
      if (this.isFree(other)) return other;
    }
  }
}
