import type { ClientId } from "./clients.ts";
import { asWritten, type Manifest, type OwnedPart } from "./manifest.ts";
import {
  foundAt,
  type Made,
  Misfit,
  type Part,
  printOf,
  putPart,
  type ReadToml,
  replacePart,
  type Spot,
  spotName,
  takePart,
} from "./part.ts";
import { JsoncProblem } from "./text/jsonc.ts";
import { removeIfEmpty, removeRoot } from "./text/jsonc-edit.ts";

type Outcome =
  | "added"
  | "updated"
  | "same"
  | "removed"
  /** The user edited it, so it stays. */
  | "edited"
  /** It existed before setup, so it stays. */
  | "theirs";

export interface Treated {
  readonly spot: Spot;
  readonly outcome: Outcome;
  readonly clients: readonly ClientId[];
}

interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface SetupPlan {
  readonly changes: readonly FileChange[];
  readonly treated: readonly Treated[];
  readonly manifest: Manifest;
}

export interface Scene {
  readonly manifest: Manifest;
  readonly text: (path: string) => string | undefined;
  readonly hasFolder: (path: string) => boolean;
  readonly digest: (text: string) => string;
  readonly readToml: ReadToml;
  /** Whether to replace or remove parts that the user edited. */
  readonly isForced: boolean;
}

export class Unfit extends Error {
  readonly path: string;

  constructor(path: string, why: string) {
    super(why);
    this.name = "Unfit";
    this.path = path;
  }
}

type Wanted = readonly [client: ClientId, parts: readonly Part[]];

export function planSetup(wanted: readonly Wanted[], scene: Scene): SetupPlan {
  const desk = new Desk(scene);
  const parts = new Map<string, { part: Part; clients: ClientId[] }>();
  for (const [client, list] of wanted) {
    for (const part of list) {
      const entry = parts.get(spotName(part)) ?? { part, clients: [] };
      entry.clients.push(client);
      parts.set(spotName(part), entry);
    }
  }
  const clients = wanted.map(([client]) => client);
  for (const owned of scene.manifest.parts.toReversed()) {
    const left = owned.clients.filter(
      (id) => !clients.includes(id) || parts.get(spotName(owned))?.clients.includes(id),
    );
    if (left.length < owned.clients.length) desk.release(owned, left);
  }
  for (const { part, clients: for_ } of parts.values()) desk.give(part, for_);
  return desk.plan();
}

export function planRemoval(clients: readonly ClientId[], scene: Scene): SetupPlan {
  const desk = new Desk(scene);
  // The newest part goes first: an older one may depend on the text around it.
  for (const owned of scene.manifest.parts.toReversed()) {
    const left = owned.clients.filter((id) => !clients.includes(id));
    if (left.length < owned.clients.length) desk.release(owned, left);
  }
  return desk.plan();
}

class Desk {
  readonly #scene: Scene;
  readonly #now = new Map<string, string | undefined>();
  readonly #treated: Treated[] = [];
  readonly #parts: Map<string, OwnedPart>;
  readonly #files: Map<string, Manifest["files"][number]>;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#parts = new Map(scene.manifest.parts.map((part) => [spotName(part), part]));
    this.#files = new Map(scene.manifest.files.map((file) => [file.path, file]));
  }

  give(part: Part, clients: readonly ClientId[]): void {
    const { digest, readToml, isForced } = this.#scene;
    const name = spotName(part);
    const owned = this.#parts.get(name);
    const text = this.#text(part.path);
    const found = this.#try(part.path, () => foundAt(text, part, readToml));
    const hash = digest(printOf(part));
    const all = [...new Set([...(owned?.clients ?? []), ...clients])];
    const stays = (outcome: Outcome): void => this.#note(part, outcome, clients);
    if (found === undefined) return this.#add(part, { all, clients, hash });
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
    const next = replacePart(text ?? "", part);
    // Unpaired marks have no content to replace.
    if (foundAt(next, part, readToml) !== printOf(part)) return stays("edited");
    this.#now.set(part.path, next);
    this.#keep(owned, { clients: all, hash, was: print });
    stays("updated");
  }

  #add(part: Part, { all, clients, hash }: { all: readonly ClientId[]; clients: readonly ClientId[]; hash: string }) {
    const text = this.#text(part.path);
    const put = this.#try(part.path, () => putPart(text ?? "", part, this.#scene.readToml));
    const known = text === undefined ? undefined : this.#files.get(part.path);
    const file = known ?? { path: part.path, isNew: text === undefined, made: [] };
    const isAnew = ({ way }: Made): boolean => put.made.some((made) => isSame(made.way, way));
    this.#now.set(part.path, put.text);
    this.#files.set(part.path, { ...file, made: [...file.made.filter((made) => !isAnew(made)), ...put.made] });
    const { kind, path } = part;
    const spot = {
      kind,
      path,
      ...("way" in part ? { way: part.way } : {}),
      ...("mark" in part ? { mark: part.mark } : {}),
    };
    this.#parts.set(spotName(part), { ...(spot as Spot), clients: all, hash, ...(put.seam ? { seam: put.seam } : {}) });
    this.#note(part, "added", clients);
  }

  /** Removes clients from a part. A part without clients is removed. */
  release(owned: OwnedPart, left: readonly ClientId[]): void {
    const { digest, readToml, isForced } = this.#scene;
    const gone = owned.clients.filter((id) => !left.includes(id));
    if (left.length > 0) return this.#keep(owned, { clients: left, hash: owned.hash });
    const text = this.#text(owned.path);
    const found = this.#try(owned.path, () => foundAt(text, owned, readToml));
    const print = found === undefined ? undefined : digest(found);
    if (print !== undefined && print !== owned.hash && print !== owned.was && !isForced) {
      return this.#note(owned, "edited", gone);
    }
    if (print !== undefined && text !== undefined) {
      const next = this.#try(owned.path, () => takePart(text, owned, owned.seam));
      if (owned.kind !== "file" && foundAt(next, owned, readToml) !== undefined)
        return this.#note(owned, "edited", gone);
      this.#now.set(owned.path, next);
      this.#note(owned, "removed", gone);
    }
    this.#parts.delete(spotName(owned));
    if (![...this.#parts.values()].some(({ path }) => path === owned.path)) this.#leave(owned);
    else this.#tidy(owned.path);
  }

  #tidy(path: string): void {
    const file = this.#files.get(path);
    const made = (file?.made ?? []).filter(({ way, seam }, i, all) => {
      const text = this.#text(path);
      if (text === undefined || all.slice(i + 1).some((later) => isBelow(later.way, way))) return text !== undefined;
      const without = way.length === 0 ? removeRoot(text, seam) : removeIfEmpty(text, way, seam);
      this.#now.set(path, without);
      return without === text;
    });
    if (!file) return;
    this.#files.set(path, { ...file, made });
    if (made.length < file.made.length) this.#tidy(path);
  }

  /** Deletes a file that setup created once it holds no part of Tenon's. */
  #leave({ path, kind }: OwnedPart): void {
    if (kind === "member" || kind === "item") this.#tidy(path);
    const text = this.#text(path);
    const isBlank = text?.replace(/^\uFEFF/, "").trim() === "";
    if (this.#files.get(path)?.isNew && isBlank) this.#now.set(path, undefined);
    this.#files.delete(path);
  }

  plan(): SetupPlan {
    const { manifest, text, hasFolder } = this.#scene;
    const changes = [...this.#now]
      .map(([path, after]): FileChange => ({ path, before: text(path), after }))
      .filter(({ before, after }) => before !== after);
    const parts = [...this.#parts.values()];
    const missing = changes
      .filter(({ after }) => after !== undefined)
      .flatMap(({ path }) => foldersTo(path).filter((folder) => !hasFolder(folder)));
    const needed = new Set(parts.flatMap(({ path }) => foldersTo(path)));
    const folders = [...new Set([...manifest.folders, ...missing])].filter((folder) => needed.has(folder));
    return { changes, treated: this.#treated, manifest: { parts, files: [...this.#files.values()], folders } };
  }

  #text(path: string): string | undefined {
    return this.#now.has(path) ? this.#now.get(path) : this.#scene.text(path);
  }

  #keep(owned: OwnedPart, change: { clients: readonly ClientId[]; hash: string; was?: string }): void {
    this.#parts.set(spotName(owned), { ...asWritten(owned), ...change });
  }

  #note(spot: Spot, outcome: Outcome, clients: readonly ClientId[]): void {
    const { kind, path } = spot;
    const way = "way" in spot ? { way: spot.way } : {};
    const mark = spot.kind === "item" ? { mark: spot.mark } : {};
    this.#treated.push({ spot: { kind, path, ...way, ...mark } as Spot, outcome, clients });
  }

  #try<T>(path: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof Unfit) throw error;
      const isOurs = error instanceof Misfit || error instanceof JsoncProblem;
      throw new Unfit(path, isOurs ? error.message : firstLine(error));
    }
  }
}

const isSame = (way: readonly string[], other: readonly string[]): boolean =>
  way.length === other.length && way.every((key, i) => other[i] === key);

const isBelow = (way: readonly string[], above: readonly string[]): boolean =>
  way.length > above.length && above.every((key, i) => way[i] === key);

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";

/** Outermost first. */
const foldersTo = (path: string): string[] =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join("/"));
