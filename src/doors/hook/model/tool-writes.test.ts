import { expect, test } from "vitest";
import { listEditedPaths } from "./tool-writes.ts";

const PATCH = [
  "*** Begin Patch",
  "*** Update File: src/a.ts",
  "@@",
  "-a",
  "+b",
  "*** Move to: src/b.ts",
  "*** Add File: c.ts",
  "+x",
  "*** Delete File: d.ts",
  "*** End Patch",
].join("\n");
const PATCHED = ["src/a.ts", "src/b.ts", "c.ts", "d.ts"];

test.each<[string, string, Record<string, unknown>, string[]]>([
  ["an edit", "Edit", { file_path: "/w/a.ts", old_string: "a", new_string: "b" }, ["/w/a.ts"]],
  ["several edits of a file", "MultiEdit", { file_path: "/w/a.ts", edits: [{ old_string: "a" }] }, ["/w/a.ts"]],
  ["a new file", "Write", { file_path: "/w/a.ts", content: "x" }, ["/w/a.ts"]],
  ["a notebook", "NotebookEdit", { notebook_path: "/w/a.ipynb" }, ["/w/a.ipynb"]],
  ["files by their names", "editFiles", { files: ["a.ts", "b.ts", 5] }, ["a.ts", "b.ts"]],
  ["a file that goes", "Delete", { path: "a.ts" }, ["a.ts"]],
  ["an event that is an edit", "pre_write_code", { file_path: "a.ts", edits: [{ old_string: "" }] }, ["a.ts"]],
  [
    "replacements in several files",
    "multi_replace_string_in_file",
    { replacements: [{ filePath: "a.ts" }, { filePath: "b.ts" }] },
    ["a.ts", "b.ts"],
  ],
  ["another client's edit", "edit_file", { path: "a.ts" }, ["a.ts"]],
  ["another client's field", "replace_string_in_file", { filePath: "a.ts" }, ["a.ts"]],
  [
    "edits of several files",
    "multi_replace_string_in_file",
    { edits: [{ filePath: "a.ts" }, { filePath: "b.ts" }] },
    ["a.ts", "b.ts"],
  ],
  ["a tool of a server", "mcp__files__write_file", { path: "a.ts" }, ["a.ts"]],
  ["a move", "mcp__files__move_file", { source: "a.ts", destination: "b.ts" }, ["a.ts", "b.ts"]],
  ["a patch", "apply_patch", { input: PATCH }, PATCHED],
  ["a patch through the shell", "shell", { command: ["apply_patch", PATCH] }, PATCHED],
  ["an editor that only reads", "str_replace_based_edit_tool", { command: "view", path: "a.ts" }, []],
  ["a new file that calls itself a look", "Write", { command: "view", file_path: "a.ts" }, ["a.ts"]],
  ["files that are objects", "edit_files", { files: [{ path: "a.ts" }, { file_path: "b.ts" }] }, ["a.ts", "b.ts"]],
  ["a look", "Read", { file_path: "/w/a.ts" }, []],
  ["a command", "Bash", { command: "rm a.ts" }, []],
  ["no name", "", { file_path: "a.ts" }, []],
  ["wrong types", "Edit", { file_path: 5, path: ["a"], edits: [null, 3], input: {} }, []],
  ["a name with NUL", "Edit", { file_path: "a\0b" }, []],
])("%s", (_, tool, input, expected) => {
  expect(listEditedPaths(tool, input)).toEqual(expected);
});
