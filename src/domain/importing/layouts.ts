import type { LayoutReader } from "./found.ts";
import { hoofyLayout } from "./hoofy.ts";
import { kiroLayout } from "./kiro.ts";
import { openspecLayout } from "./openspec.ts";
import { specDriveLayout } from "./spec-drive.ts";
import { specKitLayout } from "./spec-kit.ts";
import { syncSddLayout } from "./sync-sdd.ts";

/** In the order in which they are tried and reported. */
export const LAYOUT_READERS: readonly LayoutReader[] = [
  hoofyLayout,
  specDriveLayout,
  syncSddLayout,
  specKitLayout,
  openspecLayout,
  kiroLayout,
];
