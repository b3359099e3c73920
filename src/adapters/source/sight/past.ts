import { randomUUID } from "node:crypto";
import type { PastFileText } from "#operations/ports/source.ts";
import type { GitSession } from "../repository.ts";
import { readBlobTexts } from "./sight.ts";

const LARGEST_PAST_TEXT = 1024 * 1024;

export async function readPastTexts(session: GitSession, path: string, most: number): Promise<readonly PastFileText[]> {
  const git = await session.git();
  const mark = randomUUID();
  const options = ["--follow", "--raw", "--no-abbrev", "-z", "-m", "--no-color", "--relative"];
  const words = ["log", ...options, `--max-count=${most}`, `--format=%x00${mark}%x00%H`, "--", `:(literal)${path}`];
  const log = await git.ask(words);
  const found = (log ?? "").split(`\0${mark}\0`).slice(1).flatMap(parseFileVersion);
  const texts = await readBlobTexts(git, [...new Set(found.map(({ object }) => object))], LARGEST_PAST_TEXT);
  return found.flatMap(({ commit, path: then, object }) => {
    const standing = texts.get(object);
    return standing?.kind === "text" ? [{ commit, path: then, text: standing.text }] : [];
  });
}

interface FileVersion {
  readonly commit: string;
  readonly path: string;
  readonly object: string;
}

/** Hash, then `:modes old new status`, then one path, or two for a rename. */
function parseFileVersion(text: string): FileVersion[] {
  const [commit = "", head = "", first = "", second = ""] = text.split("\0").map((part) => part.replace(/^\n+/, ""));
  const [, object, status] = /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) ([A-Z])/.exec(head) ?? [];
  if (object === undefined || /^0+$/.test(object)) return [];
  return [{ commit: commit.trim(), object, path: status === "R" || status === "C" ? second : first }];
}
