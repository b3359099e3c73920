import type { AddedSourceLine, SourceChange } from "#operations/ports/source.ts";

export interface PatchedFile extends SourceChange {
  /** Git shows no lines of it: it is binary, or an attribute declares it so. */
  readonly isHidden?: true;
}

interface PatchDraft {
  isHidden?: true;
  path: string;
  status: SourceChange["status"];
  from?: string;
  added: AddedSourceLine[];
  removed: number;
}

const HUNK_HEADER = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function parsePatch(patch: string): PatchedFile[] {
  const changes: PatchDraft[] = [];
  let number = 0;
  let isBody = false;
  for (const line of patch.split("\n")) {
    const change = changes.at(-1);
    if (line.startsWith("diff --git ")) {
      changes.push({ path: readRepeatedPath(line.slice(11)), status: "modified", added: [], removed: 0 });
      isBody = false;
    } else if (!change) {
      continue;
    } else if (HUNK_HEADER.test(line)) {
      number = Number(HUNK_HEADER.exec(line)?.[1] ?? 0);
      isBody = true;
    } else if (!isBody) {
      readPatchHeader(change, line);
    } else if (line.startsWith("+")) {
      change.added.push({ number: number++, text: line.slice(1).replace(/\r$/, "") });
    } else if (line.startsWith("-")) {
      change.removed++;
    }
  }
  return changes;
}

function readPatchHeader(change: PatchDraft, line: string): void {
  if (line.startsWith("Binary files ")) change.isHidden = true;
  const [, name = "", rest = ""] =
    /^(new file mode|deleted file mode|rename from|rename to|---|\+\+\+) (.*)$/.exec(line) ?? [];
  if (name === "new file mode") change.status = "added";
  else if (name === "deleted file mode") change.status = "deleted";
  else if (name === "rename from") Object.assign(change, { from: unquotePatchPath(rest), status: "renamed" });
  else if (name === "rename to") change.path = unquotePatchPath(rest);
  else if (name === "---" && rest !== "/dev/null" && change.status === "deleted") change.path = unquotePatchPath(rest);
  else if (name === "+++" && rest !== "/dev/null") change.path = unquotePatchPath(rest);
}

/** `a.ts a.ts` names one file twice. For a rename, later lines correct the path. */
function readRepeatedPath(twice: string): string {
  const half = twice.slice(0, (twice.length - 1) / 2);
  return unquotePatchPath(half);
}

/** A name with a tab, a quote or a backslash is quoted. A tab at the end terminates a name with a space. */
function unquotePatchPath(name: string): string {
  const bare = name.replace(/\t$/, "");
  if (!bare.startsWith('"') || !bare.endsWith('"')) return bare;
  const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", '"': '"', "\\": "\\" };
  return bare.slice(1, -1).replace(/\\(["\\ntr])/g, (_, letter: string) => escapes[letter] ?? letter);
}
