import * as z from "zod/mini";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { publishFile, syncFolder, writeSyncedFile } from "#kernel/adapters/durable-file.ts";
import { toFileFault } from "#kernel/model/system-error.ts";
import type { TrustStore } from "../../operations/ports/stacks.ts";
import { TrustGrant, validatePassedVariables } from "../../model/stack/trusted-surface.ts";

export interface TrustedCheckout {
  readonly root: string;
  /** The main checkout, if its repository lists this one as its worktree; otherwise this checkout itself. */
  readonly main: string;
  /** Git's common folder; empty outside git. */
  readonly repository: string;
}

/** One file per checkout, outside of it, so that trusting one repository never overwrites another's record. */
export function createTrustStore({
  dataFolder,
  place,
  newId,
  notice,
}: {
  readonly dataFolder: string;
  readonly place: TrustedCheckout;
  readonly newId: () => string;
  readonly notice: (text: string) => void;
}): Omit<TrustStore, "given"> {
  const folder = join(dataFolder, "trust");
  const repository = hashTrustKey(`${place.main}\0${place.repository}`);
  const holderOf = (root: string): TrustFile => ({
    file: join(folder, `${repository}-${hashTrustKey(root).slice(0, 16)}.json`),
    root,
    repository: place.repository,
  });
  const whyNot = (): string | undefined =>
    explainRepositoryOverlap(dataFolder, place) ?? explainUnsafePath(folder, "folder");
  const readNearest = (): TrustGrant | string | undefined => {
    const holders = [place.root, place.main].map(holderOf);
    const holder = holders.find(({ file }) => fs.lstatSync(file, { throwIfNoEntry: false }));
    return holder && readTrustFile(holder);
  };
  let noticed: string | undefined;
  return {
    async granted() {
      const read = whyNot() ?? readNearest();
      if (typeof read !== "string") return read;
      if (read === noticed) return undefined;
      noticed = read;
      notice(`Nothing of this repository is trusted: ${read} Check it with tenon trust.`);
      return undefined;
    },
    async grant(granted) {
      rejectTrustFolder(whyNot(), dataFolder);
      writeTrustFile(holderOf(place.root), granted, newId());
    },
    async revoke() {
      rejectTrustFolder(whyNot(), dataFolder);
      const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
      for (const name of names.filter((each) => each.startsWith(repository))) {
        const file = join(folder, name);
        try {
          fs.rmSync(file, { force: true });
          syncFolder(folder);
        } catch (error) {
          throw toFileFault(error, sanitizeText(file, 300), "write");
        }
      }
    },
  };
}

const hashTrustKey = (text: string): string => createHash("sha256").update(text).digest("hex");

function rejectTrustFolder(why: string | undefined, dataFolder: string): void {
  if (why === undefined) return;
  throw new Fault("trust.place", {
    what: `Tenon cannot store your trust in ${sanitizeText(dataFolder, 200)}.`,
    why,
    fix: "Set TENON_HOME to your own folder outside the repository, or unset it.",
  });
}

/** A repository that can write trust records could trust itself. */
function explainRepositoryOverlap(dataFolder: string, { root, main, repository }: TrustedCheckout): string | undefined {
  const place = resolveDataFolder(dataFolder);
  const isInside = [root, main, repository]
    .filter((folder) => folder !== "")
    .some((folder) => {
      const inside = relative(folder, place);
      return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && resolve(folder, inside) === place);
    });
  return isInside
    ? `${sanitizeText(dataFolder, 200)} is inside the repository, so its commands could change it.`
    : undefined;
}

function resolveDataFolder(path: string): string {
  const whole = resolve(path);
  if (fs.existsSync(whole) || dirname(whole) === whole) return fs.realpathSync.native(whole);
  return join(resolveDataFolder(dirname(whole)), basename(whole));
}

const MOST_TRUST_BYTES = 8 * 1024 * 1024;
/** Windows does not have the last two flags. */
const SAFE_READ_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

const TrustFileContent = z.extend(TrustGrant, { version: z.literal(1), root: z.string(), repository: z.string() });

interface TrustFile {
  readonly file: string;
  readonly root: string;
  readonly repository: string;
}

/** Returns the reason as text if the file does not count. */
function readTrustFile(holder: TrustFile): TrustGrant | string {
  const why = explainUnsafePath(holder.file, "file");
  if (why !== undefined) return why;
  const damaged = `${sanitizeText(holder.file, 300)} is damaged.`;
  try {
    const fd = fs.openSync(holder.file, SAFE_READ_FLAGS);
    try {
      if (fs.fstatSync(fd).size > MOST_TRUST_BYTES) return damaged;
      // Incomplete data and data about another checkout do not count.
      const { data } = z.safeParse(TrustFileContent, JSON.parse(fs.readFileSync(fd, "utf8")));
      if (data?.root !== holder.root || data.repository !== holder.repository) return damaged;
      const { surface, at, passes, proof } = data;
      return { surface, at, passes: validatePassedVariables(passes), ...(proof ? { proof } : {}) };
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return damaged;
  }
}

/** Atomic, even with concurrent writers, and synced to disk on return. */
function writeTrustFile({ file, root, repository }: TrustFile, granted: TrustGrant, id: string): void {
  const folder = dirname(file);
  const temporary = join(folder, `.tenon-${id}.tmp`);
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeSyncedFile(temporary, `${JSON.stringify({ version: 1, root, repository, ...granted }, null, 2)}\n`, {
      create: 0o600,
    });
    publishFile(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw toFileFault(error, sanitizeText(file, 300), "write");
  }
}

/** Why another user could have created or changed the path. A missing one is safe. */
function explainUnsafePath(place: string, kind: "file" | "folder"): string | undefined {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const name = sanitizeText(place, 300);
  if (stat.isSymbolicLink()) return `${name} is a symbolic link.`;
  if (kind === "file" ? !stat.isFile() : !stat.isDirectory()) return `${name} is not a ${kind}.`;
  // Windows uses access lists, which `stat` does not show.
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (stat.uid !== user) return `${name} belongs to another user.`;
  return (stat.mode & 0o022) === 0 ? undefined : `${name} can be written by others.`;
}
