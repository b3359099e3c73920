import fs from "node:fs";
import { join } from "node:path";

const USUALLY_IGNORED = new Set([
  ".git",
  ".sdd",
  "sdd",
  "node_modules",
  "dist",
  "build",
  "target",
  "vendor",
  "coverage",
  "__pycache__",
  ".venv",
  "venv",
  ".gradle",
  ".idea",
  ".next",
]);
const MOST_WALKED_FILES = 100_000;

export function walkFolderFiles(root: string, withLinks = false): string[] {
  const found: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined && found.length < MOST_WALKED_FILES; folder = folders.pop()) {
    for (const entry of listFolderEntries(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile() || (withLinks && entry.isSymbolicLink())) found.push(path);
      else if (entry.isDirectory() && !USUALLY_IGNORED.has(entry.name)) folders.push(path);
    }
  }
  return found;
}

function listFolderEntries(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
