import { createHash } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { TrustStore } from "#operations/ports/trust.ts";
import { type TrustFile, readTrustFile, removeTrustFile, explainUnsafePath, writeTrustFile } from "./kept-file.ts";

/** A checkout of a repository, as real paths. */
export interface TrustedCheckout {
  readonly root: string;
  /**
   * The main checkout whose trust this one shares, if the repository lists this one as its worktree; otherwise this
   * checkout itself.
   */
  readonly main: string;
  /** Git's common folder; empty outside git. */
  readonly repository: string;
}

interface TrustStoreNeeds {
  readonly dataFolder: string;
  readonly place: TrustedCheckout;
  readonly newId: () => string;
  readonly notice: (text: string) => void;
}

/**
 * One file per checkout, outside of it, so that trusting one repository never overwrites the record of another. A
 * worktree without its own record uses the record of the main checkout.
 */
export function createTrustStore({ dataFolder, place, newId, notice }: TrustStoreNeeds): Omit<TrustStore, "given"> {
  const folder = join(dataFolder, "trust");
  const repository = hashTrustKey(`${place.main}\0${place.repository}`);
  const holderOf = (root: string): TrustFile => ({
    file: join(folder, `${repository}-${hashTrustKey(root).slice(0, 16)}.json`),
    root,
    repository: place.repository,
  });
  const whyNot = (): string | undefined =>
    explainRepositoryOverlap(dataFolder, place) ?? explainUnsafePath(folder, "folder");
  return {
    async granted() {
      const why = whyNot();
      if (why !== undefined) {
        notice(formatUntrustedNotice(why));
        return undefined;
      }
      const holder = [place.root, place.main]
        .map(holderOf)
        .find(({ file }) => fs.lstatSync(file, { throwIfNoEntry: false }));
      const read = holder && readTrustFile(holder);
      if (typeof read !== "string") return read;
      notice(formatUntrustedNotice(read));
      return undefined;
    },
    async grant(granted) {
      rejectTrustFolder(whyNot(), dataFolder);
      writeTrustFile(holderOf(place.root), granted, newId());
    },
    async revoke() {
      rejectTrustFolder(whyNot(), dataFolder);
      const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
      for (const name of names.filter((each) => each.startsWith(repository))) removeTrustFile(join(folder, name));
    },
  };
}

const hashTrustKey = (text: string): string => createHash("sha256").update(text).digest("hex");

const formatUntrustedNotice = (why: string): string =>
  `Nothing of this repository is trusted: ${why} Look at it with tenon trust.`;

function rejectTrustFolder(why: string | undefined, dataFolder: string): void {
  if (why === undefined) return;
  throw new Fault("trust.place", {
    what: `What you trust cannot be kept in ${sanitizeText(dataFolder, 200)}.`,
    why,
    fix: "Let TENON_HOME name a folder of your own outside the repository, or leave it unset.",
  });
}

/** A repository that can write trust records could trust itself. */
function explainRepositoryOverlap(dataFolder: string, { root, main, repository }: TrustedCheckout): string | undefined {
  const place = resolveDataFolder(dataFolder);
  const holds = [root, main, ...(repository === "" ? [] : [repository])].find((folder) =>
    isDescendantPath(folder, place),
  );
  return holds === undefined
    ? undefined
    : `${sanitizeText(dataFolder, 200)} lies in the repository, which could write it.`;
}

function isDescendantPath(folder: string, place: string): boolean {
  const inside = relative(folder, place);
  return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && resolve(folder, inside) === place);
}

/** The real path of a path that may not exist yet. */
function resolveDataFolder(path: string): string {
  const whole = resolve(path);
  if (fs.existsSync(whole) || dirname(whole) === whole) return fs.realpathSync.native(whole);
  return join(resolveDataFolder(dirname(whole)), basename(whole));
}
