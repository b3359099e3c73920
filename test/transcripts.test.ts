import { CHOSEN_TRANSCRIPTS } from "./kit/chosen-transcripts.ts";
import { listTranscripts, testTranscript } from "./kit/transcript.ts";

for (const name of listTranscripts().filter((each) => CHOSEN_TRANSCRIPTS.has(each))) testTranscript(name);
