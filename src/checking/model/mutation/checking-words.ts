/** Words with which a test checks a result, in code and not in its texts. */
const CHECKING_WORD =
  /expect|assert|should|same|equal|match|throw|raise|require|check|verif|fail|panic|error|fatal|reject|\bis[A-Z(]|\bok\b/i;
const STRING_LITERAL = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/.*|^\s*#(?!\[|!).*/gm;

/** Whether a word in the code of a test checks anything. Only broken code shows whether it does. */
export const hasCheckingWord = (body: string): boolean =>
  CHECKING_WORD.test(body.replace(STRING_LITERAL, "").replace(COMMENT, ""));
