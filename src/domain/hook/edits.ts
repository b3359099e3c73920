/** Editing tools of all supported clients, reduced to lower-case letters. */
const EDIT_TOOLS = new Set([
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

const VIEW_CAPABLE_TOOLS = new Set(["strreplacebasededittool", "strreplaceeditor"]);

const EDIT_PATH_FIELDS = [
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
const PATCH_FIELDS = ["input", "patch", "patchText", "command", "cmd"];
const PATCHED_FILE_PATTERN = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+?)\s*$/gm;
const MAX_EDITED_PATHS = 500;

export function listEditedPaths(tool: string, input: Readonly<Record<string, unknown>>): string[] {
  // An MCP tool name starts with the name of its server.
  const letters = (tool.split("__").at(-1) ?? "").replace(/[^a-z]/gi, "").toLowerCase();
  const isLook = VIEW_CAPABLE_TOOLS.has(letters) && input["command"] === "view";
  const isEdit = EDIT_TOOLS.has(letters) && !isLook;
  const named = isEdit ? EDIT_PATH_FIELDS.map((field) => input[field]) : [];
  const several = isEdit
    ? [
        ...["edits", "replacements", "files"].flatMap((field) =>
          asUnknownArray(input[field]).flatMap(listEditPathValues),
        ),
        ...asUnknownArray(input["files"]),
      ]
    : [];
  // Some clients run patches through the shell.
  const patched = PATCH_FIELDS.flatMap((field) => listPatchedPaths(input[field]));
  const paths = [...named, ...several, ...patched].filter((path) => typeof path === "string" && isUsablePath(path));
  return [...new Set(paths as string[])].slice(0, MAX_EDITED_PATHS);
}

const isUsablePath = (path: string): boolean => path !== "" && path.length <= 4096 && !path.includes("\0");

const asUnknownArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const listEditPathValues = (edit: unknown): unknown[] =>
  typeof edit === "object" && edit !== null
    ? EDIT_PATH_FIELDS.map((field) => (edit as Readonly<Record<string, unknown>>)[field])
    : [];

function listPatchedPaths(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listPatchedPaths);
  if (typeof value !== "string" || !value.includes("*** Begin Patch")) return [];
  return [...value.matchAll(PATCHED_FILE_PATTERN)].map(([, path = ""]) => path);
}
