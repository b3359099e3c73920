import fs from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync } from "node:zlib";

/** Copies the page beside its script, and compresses all files once, so that the server does not. */
export function packPage(html: string, folder: string): void {
  fs.copyFileSync(html, join(folder, basename(html)));
  for (const name of fs.readdirSync(folder))
    fs.writeFileSync(join(folder, `${name}.br`), brotliCompressSync(fs.readFileSync(join(folder, name))));
}
