import type { ClientId } from "./client-catalog.ts";
import * as ownedParts from "./owned-parts.ts";
import { removeEmptyJsoncEntry, removeEmptyJsoncRoot } from "./jsonc-editor.ts";

type PartOutcome =
  | "added"
  | "updated"
  | "same"
  | "removed"
  /** The user edited it, so it stays. */
  | "edited"
  /** It existed before setup, so it stays. */
  | "theirs";

export type SetupPlan = ReturnType<SetupPlanner["plan"]>;

export interface SetupPlanInput {
  readonly manifest: ownedParts.SetupManifest;
  readonly text: (path: string) => string | undefined;
  readonly hasFolder: (path: string) => boolean;
  readonly digest: (text: string) => string;
  readonly readToml: ownedParts.TomlParser;
  /** Whether to replace or remove parts that the user edited. */
  readonly isForced: boolean;
}

export class UnfitFileError extends Error {
  readonly path: string;

  constructor(path: string, why: string) {
    super(why);
    this.name = "Unfit";
    this.path = path;
  }
}

export function planClientSetup(
  wanted: readonly (readonly [client: ClientId, parts: readonly ownedParts.SetupPart[]])[],
  scene: SetupPlanInput,
): SetupPlan {
  const desk = new SetupPlanner(scene);
  const parts = new Map<string, { part: ownedParts.SetupPart; clients: ClientId[] }>();
  for (const [client, list] of wanted)
    for (const part of list) {
      const { clients = [] } = parts.get(ownedParts.formatLocationKey(part)) ?? {};
      parts.set(ownedParts.formatLocationKey(part), { part, clients: [...clients, client] });
    }
  const clients = wanted.map(([client]) => client);
  desk.releaseAll(
    (id, owned) => !clients.includes(id) || parts.get(ownedParts.formatLocationKey(owned))?.clients.includes(id),
  );
  for (const { part, clients: for_ } of parts.values()) desk.give(part, for_);
  return desk.plan();
}

export function planClientRemoval(clients: readonly ClientId[], scene: SetupPlanInput): SetupPlan {
  const desk = new SetupPlanner(scene);
  desk.releaseAll((id) => !clients.includes(id));
  return desk.plan();
}

class SetupPlanner {
  readonly #scene: SetupPlanInput;
  readonly #now = new Map<string, string | undefined>();
  readonly #treated: { spot: ownedParts.PartLocation; outcome: PartOutcome; clients: readonly ClientId[] }[] = [];
  readonly #parts: Map<string, ownedParts.OwnedPart>;
  readonly #files: Map<string, ownedParts.SetupManifest["files"][number]>;

  constructor(scene: SetupPlanInput) {
    this.#scene = scene;
    this.#parts = new Map(scene.manifest.parts.map((part) => [ownedParts.formatLocationKey(part), part]));
    this.#files = new Map(scene.manifest.files.map((file) => [file.path, file]));
  }

  give(part: ownedParts.SetupPart, clients: readonly ClientId[]): void {
    const { digest, readToml, isForced } = this.#scene;
    const name = ownedParts.formatLocationKey(part);
    const owned = this.#parts.get(name);
    const text = this.#text(part.path);
    const found = this.#try(part.path, () => ownedParts.readPartContent(text, part, readToml));
    const hash = digest(ownedParts.normalizePartContent(part));
    const all = [...new Set([...(owned?.clients ?? []), ...clients])];
    const stays = (outcome: PartOutcome): void => this.#note(part, outcome, clients);
    if (found === undefined) {
      this.#add(part, all, hash);
      return stays("added");
    }
    const print = digest(found);
    if (!owned) return stays(print === hash ? "same" : "theirs");
    if (print === hash) {
      this.#keep(owned, { clients: all, hash });
      return stays("same");
    }
    if (print !== owned.hash && print !== owned.was && !isForced) {
      this.#keep(owned, { clients: all, hash: owned.hash });
      return stays("edited");
    }
    const next = ownedParts.replaceSetupPart(text ?? "", part);
    // Unpaired marks have no content to replace.
    if (ownedParts.readPartContent(next, part, readToml) !== ownedParts.normalizePartContent(part))
      return stays("edited");
    this.#now.set(part.path, next);
    this.#keep(owned, { clients: all, hash, was: print });
    stays("updated");
  }

  #add(part: ownedParts.SetupPart, clients: readonly ClientId[], hash: string): void {
    const text = this.#text(part.path);
    const put = this.#try(part.path, () => ownedParts.insertSetupPart(text ?? "", part, this.#scene.readToml));
    const known = text === undefined ? undefined : this.#files.get(part.path);
    const file = known ?? { path: part.path, isNew: text === undefined, made: [] };
    const isAnew = ({ way }: ownedParts.CreatedContainer): boolean =>
      put.made.some((made) => made.way.join("\0") === way.join("\0"));
    this.#now.set(part.path, put.text);
    this.#files.set(part.path, { ...file, made: [...file.made.filter((made) => !isAnew(made)), ...put.made] });
    const seam = put.seam ? { seam: put.seam } : {};
    this.#parts.set(ownedParts.formatLocationKey(part), { ...pickLocation(part), clients, hash, ...seam });
  }

  /** Removes clients from parts. The newest part goes first: an older one may depend on the text around it. */
  releaseAll(isKept: (id: ClientId, owned: ownedParts.OwnedPart) => boolean | undefined): void {
    for (const owned of this.#scene.manifest.parts.toReversed()) {
      const left = owned.clients.filter((id) => isKept(id, owned));
      if (left.length < owned.clients.length) this.#release(owned, left);
    }
  }

  /** A part without clients is removed. */
  #release(owned: ownedParts.OwnedPart, left: readonly ClientId[]): void {
    const { digest, readToml, isForced } = this.#scene;
    const gone = owned.clients.filter((id) => !left.includes(id));
    if (left.length > 0) return this.#keep(owned, { clients: left, hash: owned.hash });
    const text = this.#text(owned.path);
    const found = this.#try(owned.path, () => ownedParts.readPartContent(text, owned, readToml));
    const print = found === undefined ? undefined : digest(found);
    if (print !== undefined && print !== owned.hash && print !== owned.was && !isForced) {
      return this.#note(owned, "edited", gone);
    }
    if (print !== undefined && text !== undefined) {
      const next = this.#try(owned.path, () => ownedParts.removeSetupPart(text, owned, owned.seam));
      if (owned.kind !== "file" && ownedParts.readPartContent(next, owned, readToml) !== undefined)
        return this.#note(owned, "edited", gone);
      this.#now.set(owned.path, next);
      this.#note(owned, "removed", gone);
    }
    this.#parts.delete(ownedParts.formatLocationKey(owned));
    if (![...this.#parts.values()].some(({ path }) => path === owned.path)) this.#leave(owned);
    else this.#tidy(owned.path);
  }

  #tidy(path: string): void {
    const file = this.#files.get(path);
    const made = (file?.made ?? []).filter(({ way, seam }, i, all) => {
      const text = this.#text(path);
      if (text === undefined) return false;
      const hasInner = all
        .slice(i + 1)
        .some((later) => later.way.length > way.length && way.every((key, at) => later.way[at] === key));
      if (hasInner) return true;
      const without = way.length === 0 ? removeEmptyJsoncRoot(text, seam) : removeEmptyJsoncEntry(text, way, seam);
      this.#now.set(path, without);
      return without === text;
    });
    if (!file) return;
    this.#files.set(path, { ...file, made });
    if (made.length < file.made.length) this.#tidy(path);
  }

  /** Deletes a file that setup created once it holds no part of Tenon's. */
  #leave({ path, kind }: ownedParts.OwnedPart): void {
    if (kind === "member" || kind === "item") this.#tidy(path);
    const text = this.#text(path);
    const isBlank = text?.replace(/^\uFEFF/, "").trim() === "";
    if (this.#files.get(path)?.isNew && isBlank) this.#now.set(path, undefined);
    this.#files.delete(path);
  }

  plan() {
    const { manifest, text, hasFolder } = this.#scene;
    const changes = [...this.#now]
      .map(([path, after]) => ({ path, before: text(path), after }))
      .filter(({ before, after }) => before !== after);
    const parts = [...this.#parts.values()];
    const missing = changes
      .filter(({ after }) => after !== undefined)
      .flatMap(({ path }) => listFoldersAbove(path).filter((folder) => !hasFolder(folder)));
    const needed = new Set(parts.flatMap(({ path }) => listFoldersAbove(path)));
    const folders = [...new Set([...manifest.folders, ...missing])].filter((folder) => needed.has(folder));
    return { changes, treated: this.#treated, manifest: { parts, files: [...this.#files.values()], folders } };
  }

  #text(path: string): string | undefined {
    return this.#now.has(path) ? this.#now.get(path) : this.#scene.text(path);
  }

  #keep(owned: ownedParts.OwnedPart, change: { clients: readonly ClientId[]; hash: string; was?: string }): void {
    this.#parts.set(ownedParts.formatLocationKey(owned), { ...ownedParts.dropPreviousHash(owned), ...change });
  }

  #note(spot: ownedParts.PartLocation, outcome: PartOutcome, clients: readonly ClientId[]): void {
    this.#treated.push({ spot: pickLocation(spot), outcome, clients });
  }

  #try<T>(path: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof UnfitFileError) throw error;
      // A parser's message may quote the text on further lines.
      throw new UnfitFileError(path, (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "");
    }
  }
}

function pickLocation(spot: ownedParts.PartLocation): ownedParts.PartLocation {
  const { path } = spot;
  if (spot.kind === "item") return { kind: spot.kind, path, way: spot.way, mark: spot.mark };
  return "way" in spot ? { kind: spot.kind, path, way: spot.way } : { kind: spot.kind, path };
}

/** Outermost first. */
const listFoldersAbove = (path: string): string[] =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join("/"));
