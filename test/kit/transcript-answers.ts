import { DOOR_TABLE } from "#doors/catalogue.ts";

/** A quotation in an answer begins with `>` too. */
export const TRANSCRIPT_CALL = /^(?:\$ |> (?:sdd|mem)_\w+(?: \{.*)?$)/;

interface AnswerLine {
  readonly call: string;
  readonly isTool: boolean;
  readonly line: string;
}

/** The lines that Tenon answered in a transcript, without files it quotes and files that the user printed. */
export function listTranscriptAnswers(transcript: string): AnswerLine[] {
  const lines: AnswerLine[] = [];
  let call: string | undefined;
  for (const line of transcript.split("\n")) {
    if (TRANSCRIPT_CALL.test(line)) call = line;
    else if (/^[#<@] /.test(line)) call = undefined;
    else if (call && /^(?:> |\$ tenon )/.test(call) && !line.startsWith("> "))
      lines.push({ call, isTool: call.startsWith("> "), line });
  }
  return lines;
}

/** Commands in a text that an agent could call as a tool instead. A flag that no tool has is for people. */
export function listReplaceableCommands(text: string, offered: (tool: string) => boolean = () => true): string[] {
  const calls = text.matchAll(/\btenon ([a-z]+(?:-[a-z]+)*)(?: ([a-z]+(?:-[a-z]+)*))?(?: --([a-z]+(?:-[a-z]+)*))?/g);
  return Array.from(calls).flatMap(([whole, first = "", second, flag = ""]) => {
    const rows = Object.values(DOOR_TABLE);
    const row =
      rows.find(({ command }) => command === `${first} ${second}`) ?? rows.find((each) => each.command === first);
    return row?.tool && offered(row.tool) && !row.ownFlags?.[flag] ? [whole] : [];
  });
}
