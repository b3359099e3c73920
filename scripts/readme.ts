import fs from "node:fs";

const TRANSCRIPT_MARK = /(<!-- transcript: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g;

export function createReadmeFile(): Record<string, string> {
  const text = fs.readFileSync("README.md", "utf8");
  return {
    "README.md": text.replace(TRANSCRIPT_MARK, (_, open: string, name: string, close: string) => {
      const transcript = fs.readFileSync(`test/transcripts/${name}.txt`, "utf8").trimEnd();
      return `${open}\`\`\`\`text\n${transcript}\n\`\`\`\`\n${close}`;
    }),
  };
}
