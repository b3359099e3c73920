import { expect, test } from "vitest";
import { locateDataFolder } from "./machine-environment.ts";

test.each([
  ["linux", {}, "/home/ann/.local/share/tenon"],
  ["linux", { XDG_DATA_HOME: "/data" }, "/data/tenon"],
  ["linux", { TENON_HOME: "/own", XDG_DATA_HOME: "/data" }, "/own"],
  ["darwin", { XDG_DATA_HOME: "/data" }, "/home/ann/Library/Application Support/tenon"],
  ["win32", { APPDATA: "/roaming" }, "/roaming/tenon"],
  ["win32", {}, "/home/ann/tenon"],
])("on %s with %j returns %s", (platform, environment, folder) => {
  expect(locateDataFolder(environment, () => "/home/ann", platform)).toBe(folder);
});
