import fs from "node:fs";
import { join } from "node:path";
import { refreshCodeIndex } from "#code/operations/index/refresh-index.ts";
import { type Picture, takePicture } from "../kit/index-picture.ts";
import { testHouse } from "../kit/house.ts";

/** Brings the index of a folder up to date, as one call of the program does. */
export async function index(root: string, how: { isAfresh?: boolean } = {}) {
  using tenon = testHouse(root);
  const { index: _, ...done } = await refreshCodeIndex(await tenon.house.open({ mayLack: false }), how);
  return done;
}

/** What an index made from scratch would say. */
export async function fresh(root: string): Promise<Picture> {
  const kept = join(root, ".sdd");
  const aside = join(root, ".sdd-aside");
  if (fs.existsSync(kept)) fs.renameSync(kept, aside);
  try {
    await index(root);
    return takePicture(root);
  } finally {
    fs.rmSync(kept, { recursive: true, force: true });
    if (fs.existsSync(aside)) fs.renameSync(aside, kept);
  }
}
