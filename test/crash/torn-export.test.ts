import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { houseIn, NEXT_WRITE, prepare, SCENARIOS } from "./scenario.ts";
import { sample, seed } from "./tier.ts";

const NOTE = /^note: \.sdd\/state\.yaml was damaged\. Tenon kept it as (\S+) and wrote it again\.\n$/;

test(
  `moves a torn .sdd/state.yaml aside once and writes it again (TENON_SEED=${seed})`,
  { timeout: 600_000 },
  async () => {
    using folder = temporaryFolder();
    const root = join(folder.path, "work");
    const [advance] = SCENARIOS;
    if (advance) await prepare(advance, root);
    const place = join(root, ".sdd", "state.yaml");
    const whole = fs.readFileSync(place);
    for (const size of sample([...whole.keys()], 29)) {
      const torn = whole.subarray(0, size);
      fs.writeFileSync(place, torn);
      using house = houseIn(root);
      const first = await house.run(...NEXT_WRITE);
      const aside = NOTE.exec(first.err)?.[1] ?? "";
      const kept = fs.existsSync(aside) ? fs.readFileSync(aside) : undefined;
      const second = await house.run(...NEXT_WRITE);
      expect({ size, codes: [first.code, second.code], kept, note: second.err }).toEqual({
        size,
        codes: [0, 0],
        kept: torn,
        note: "",
      });
      fs.rmSync(aside);
    }
    expect(fs.readFileSync(place, "utf8").replace(/# tenon:end .*\n$/, "")).toBe(
      whole.toString("utf8").replace(/# tenon:end .*\n$/, ""),
    );
  },
);
