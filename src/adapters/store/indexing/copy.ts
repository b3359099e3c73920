import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname } from "node:path";
import { EXPORT_SCHEMA_VERSION } from "#domain/indexing/export.ts";
import { CODE_INDEX_EXPORT_PATH, MACHINE_FOLDER } from "#domain/workspace/path.ts";
import type { ReplacedCopy } from "#operations/ports/code-index.ts";
import { toFileFault } from "../files/error.ts";
import { WorkspaceFiles } from "../files/files.ts";
import { makeMachineFolder } from "../files/machine-folder.ts";
import type { CodeIndexOptions } from "./place.ts";

/** The hash in the trailer distinguishes a torn or edited export from an older one. */
const INDEX_EXPORT_TRAILER = /^([^]*)# tenon:end schema=(\d+) sha256=([0-9a-f]{64})\n$/;
const LEGACY_EXPORT_VERSION = /^ {0,4}version: ["']?[01](?:\.\d+)*["']?\s*$/m;
const EXPORT_TIME_LINE = /^ {2}generated: .*\n/m;

/** Writes `.sdd/index.yaml` through a temporary file. Also deletes temporary files of processes that died. */
export function publishIndexExport({ root, newId }: CodeIndexOptions, copy: string, now: string): ReplacedCopy {
  try {
    const files = new WorkspaceFiles(root);
    makeMachineFolder(files.resolve(MACHINE_FOLDER), newId);
    const place = files.resolve(CODE_INDEX_EXPORT_PATH);
    const replaced = classifyExistingExport(place, copy);
    if (replaced === "same") return { was: replaced };
    const aside = `${place}.corrupt-${now.replaceAll(":", "-")}`;
    if (replaced === "damaged") fs.renameSync(place, aside);
    removeLeftoverExports(place);
    const temporary = `${place}.${newId()}.tmp`;
    fs.writeFileSync(
      temporary,
      `${copy}# tenon:end schema=${EXPORT_SCHEMA_VERSION} sha256=${hashIndexExport(copy)}\n`,
      { mode: 0o644 },
    );
    fs.renameSync(temporary, place);
    return replaced === "damaged" ? { was: replaced, aside } : { was: replaced };
  } catch (error) {
    throw toFileFault(error, CODE_INDEX_EXPORT_PATH, "write");
  }
}

const MAX_EXPORT_BYTES = 8 * 1024 * 1024;

function classifyExistingExport(place: string, copy: string): ReplacedCopy["was"] {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!stat) return "missing";
  if (!stat.isFile() || stat.size > MAX_EXPORT_BYTES) return "damaged";
  const text = fs.readFileSync(place, "utf8");
  const [, body = "", schema = "", sum = ""] = INDEX_EXPORT_TRAILER.exec(text) ?? [];
  if (sum !== hashIndexExport(body)) return LEGACY_EXPORT_VERSION.test(text) ? "old" : "damaged";
  if (Number(schema) !== EXPORT_SCHEMA_VERSION) return "old";
  return body.replace(EXPORT_TIME_LINE, "") === copy.replace(EXPORT_TIME_LINE, "") ? "same" : "earlier";
}

function removeLeftoverExports(place: string): void {
  for (const name of fs.readdirSync(dirname(place))) {
    if (/^index\.yaml\..*\.tmp$/.test(name)) fs.rmSync(`${dirname(place)}/${name}`, { force: true });
  }
}

const hashIndexExport = (text: string): string => createHash("sha256").update(text).digest("hex");
