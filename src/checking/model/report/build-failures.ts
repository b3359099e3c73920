import { cleanRunnerMessage, formatReportedFile, type LoadFailure, type RunLocation } from "./test-report.ts";

const LONGEST_READ_OUTPUT = 2_000_000;
const MOST_FAILURES = 200;

/** Errors of compilers: the file, then the message. */
const COMPILER_ERRORS: readonly RegExp[] = [
  // Maven: [ERROR] /a/UserTest.java:[7,41] cannot find symbol
  /^\[ERROR\] (\/?[^\s[\]][^[\]\n]*\.(?:java|kt|groovy|scala)):\[\d+,\d+\] (?:error: )?(.*)$/,
  // javac, as Gradle prints it, also after the name of a task: :compileTestJava/a/UserTest.java:7: error: …
  /^(?::[\w:]+)?((?:\/|\.{0,2}[\w-])[^\n:]*\.(?:java|groovy|scala)):\d+: error: (.*)$/,
  // Kotlin: e: file:///a/UserTest.kt:7:5 Unresolved reference: greet
  /^e: (?:file:\/\/)?([^\n:]*\.kt):?[\s(]?\d+[:,]\s?\d+\)?:? (.*)$/,
  // C#: /a/UserTests.cs(7,13): error CS0103: The name 'Greet' does not exist in the current context [/a/a.csproj]
  /^\s*((?:\/|[A-Za-z]:\\)?[^\n(]*\.(?:cs|fs|vb))\(\d+,\d+\): error (.*?)(?: \[[^[\]]*\])?$/,
  // PHP: PHP Fatal error:  Uncaught Error: Class "A" not found in /a/tests/UserTest.php:5
  /^(?:PHP )?(?:Fatal|Parse) error:\s+(?:Uncaught )?(?<said>.*) in (?<file>\/?[^\n:]*\.php)(?::| on line )\d+$/,
];

/** Lines below an error that name the missing symbol: `symbol:   method greeting()`. */
const SYMBOL_LINE = /^(?:\[ERROR\])?\s+symbol\s*:\s+(.*)$/;

/** Their tests are in no report. A test can print such lines too, so read them only of a failed run. */
export function findBuildFailures(output: string, place: RunLocation): LoadFailure[] {
  const messages = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const line of output.slice(0, LONGEST_READ_OUTPUT).split("\n")) {
    const found = COMPILER_ERRORS.map((pattern) => pattern.exec(line)).find((match) => match !== null);
    const file = found?.groups?.["file"] ?? found?.[1];
    const said = found?.groups?.["said"] ?? found?.[2] ?? "";
    if (file !== undefined) {
      const path = formatReportedFile(place, file);
      last = messages.get(path) ?? [];
      if (messages.size < MOST_FAILURES) messages.set(path, last);
      if (last.length < 50) last.push(said);
      continue;
    }
    const symbol = last && SYMBOL_LINE.exec(line)?.[1];
    if (last && symbol !== undefined) last.push(`${last.pop()}: ${symbol}`);
  }
  return [...messages].map(([file, said]) => ({
    file,
    // Maven prints every error twice.
    message: cleanRunnerMessage(place, [...new Set(said)].join("\n")),
  }));
}
