/** Folds the journal in once. */
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { ownHouse } from "./own-house.ts";

const [root = ""] = process.argv.slice(2);
const house = ownHouse(root);
await foldJournalIntoLedger(await house.open({ argument: root }));
house.close();
