/** One clone of a team in a process of its own: `run` leads or joins, `work` takes actions until the lead is gone. */
import fs from "node:fs";
import { openTeamClone } from "./team-stand.ts";

const [mode = "", root = "", bin = "", dataFolder = "", url = ""] = process.argv.slice(2);
const clone = await openTeamClone(root, { bin, dataFolder, url });
const output = await (mode === "run" ? clone.run() : clone.work({ once: true }));
fs.writeSync(1, JSON.stringify(output));
process.exit(0);
