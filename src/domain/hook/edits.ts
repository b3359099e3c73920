/** Editing tools of all supported clients, reduced to lower-case letters. */
const EDITS = new Set([
  "applydiff",
  "applypatch",
  "create",
  "createfile",
  "delete",
  "deletefile",
  "edit",
  "editfile",
  "editfiles",
  "editnotebookfile",
  "inserteditintofile",
  "insertcontent",
  "movefile",
  "multiedit",
  "multireplacestringinfile",
  "notebookedit",
  "patch",
  "postwritecode",
  "prewritecode",
  "renamefile",
  "replace",
  "replaceinfile",
  "replacestringinfile",
  "searchreplace",
  "strreplace",
  "strreplacebasededittool",
  "strreplaceeditor",
  "write",
  "writefile",
  "writetofile",
]);

const VIEWERS = new Set(["strreplacebasededittool", "strreplaceeditor"]);

const FIELDS = [
  "file_path",
  "filePath",
  "notebook_path",
  "notebookPath",
  "path",
  "target_file",
  "targetFile",
  "source",
  "destination",
  "old_path",
  "new_path",
];
const PATCHES = ["input", "patch", "patchText", "command", "cmd"];
const PATCHED = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+?)\s*$/gm;
const MOST = 500;

export function editedPaths(tool: string, input: Readonly<Record<string, unknown>>): string[] {
  // An MCP tool name starts with the name of its server.
  const letters = (tool.split("__").at(-1) ?? "").replace(/[^a-z]/gi, "").toLowerCase();
  const isLook = VIEWERS.has(letters) && input["command"] === "view";
  const isEdit = EDITS.has(letters) && !isLook;
  const named = isEdit ? FIELDS.map((field) => input[field]) : [];
  const several = isEdit
    ? [
        ...["edits", "replacements", "files"].flatMap((field) => listOf(input[field]).flatMap(fileOf)),
        ...listOf(input["files"]),
      ]
    : [];
  // Some clients run patches through the shell.
  const patched = PATCHES.flatMap((field) => patchesIn(input[field]));
  const paths = [...named, ...several, ...patched].filter((path) => typeof path === "string" && isPath(path));
  return [...new Set(paths as string[])].slice(0, MOST);
}

const isPath = (path: string): boolean => path !== "" && path.length <= 4096 && !path.includes("\0");

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const fileOf = (edit: unknown): unknown[] =>
  typeof edit === "object" && edit !== null
    ? FIELDS.map((field) => (edit as Readonly<Record<string, unknown>>)[field])
    : [];

function patchesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(patchesIn);
  if (typeof value !== "string" || !value.includes("*** Begin Patch")) return [];
  return [...value.matchAll(PATCHED)].map(([, path = ""]) => path);
}
