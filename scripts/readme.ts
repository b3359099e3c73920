import fs from "node:fs";

const MARK = /(<!-- transcript: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g;

export function readmeFile(): Record<string, string> {
  const text = fs.readFileSync("README.md", "utf8");
  return {
    "README.md": text.replace(MARK, (_, open: string, name: string, close: string) => {
      const transcript = fs.readFileSync(`test/transcripts/${name}.txt`, "utf8").trimEnd();
      return `${open}\`\`\`\`text\n${transcript}\n\`\`\`\`\n${close}`;
    }),
  };
}
