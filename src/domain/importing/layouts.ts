import type { LayoutReader } from "./found.ts";
import { hoofy } from "./hoofy.ts";
import { kiro } from "./kiro.ts";
import { openspec } from "./openspec.ts";
import { specDrive } from "./spec-drive.ts";
import { specKit } from "./spec-kit.ts";
import { syncSdd } from "./sync-sdd.ts";

/** In the order in which they are tried and reported. */
export const READERS: readonly LayoutReader[] = [hoofy, specDrive, syncSdd, specKit, openspec, kiro];
