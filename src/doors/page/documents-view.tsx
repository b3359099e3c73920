import createPurifier from "dompurify";
import { marked } from "marked";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { linkTo, route, useAnswer } from "./page-state.ts";
import { Answer, Badge, Empty, Table, type Tone, View } from "./page-elements.tsx";

/** Text of the repository is untrusted: no image, form or style, and no link that leaves the page unasked. */
const SAFE_MARKDOWN = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: [
    "img",
    "picture",
    "video",
    "audio",
    "source",
    "style",
    "form",
    "input",
    "button",
    "svg",
    "math",
    "iframe",
  ],
  FORBID_ATTR: ["style", "class", "id", "name", "target", "src", "srcset", "background"],
};

const ADR_TONES: Readonly<Record<string, Tone>> = { accepted: "good", proposed: "warn", rejected: "bad" };

export function DocumentsView() {
  const documents = useAnswer("workspace.documents");
  const decisions = useAnswer("adr.list");
  const filter = useSignal("");
  const { detail } = route.value;
  return (
    <View title="Specs and decisions" about="Everything under sdd/, rendered.">
      <div class="split">
        <nav aria-label="Documents">
          <label>
            Filter{" "}
            <input type="search" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
          </label>
          <Answer of={documents}>
            {({ documents: paths }) => {
              const shown = paths.filter((path) => path.toLowerCase().includes(filter.value.toLowerCase()));
              if (paths.length === 0) return <Empty command="tenon init">There are no documents yet.</Empty>;
              return (
                <Table
                  caption={`${shown.length} documents`}
                  columns={[
                    {
                      name: "Document",
                      cell: (path) => (
                        <a href={linkTo("documents", path)} aria-current={path === detail ? "page" : undefined}>
                          {path.slice("sdd/".length)}
                        </a>
                      ),
                    },
                  ]}
                  rows={shown}
                  keyOf={(path) => path}
                />
              );
            }}
          </Answer>
        </nav>
        <div>
          {detail && documents.data ? (
            <ShownDocument
              path={documents.data.documents.find((path) => path === detail || path.startsWith(`${detail}/`)) ?? detail}
            />
          ) : (
            <Answer of={decisions}>
              {({ adrs }) =>
                adrs.length === 0 ? (
                  <Empty command='tenon adr record --title "…"'>
                    No decision is recorded yet. Choose a document on the left.
                  </Empty>
                ) : (
                  <Table
                    caption="Decisions"
                    columns={[
                      {
                        name: "Decision",
                        cell: ({ ref, path, title }) => <a href={linkTo("documents", path)}>{`${ref}: ${title}`}</a>,
                      },
                      {
                        name: "Status",
                        cell: ({ status }) => <Badge tone={ADR_TONES[status] ?? "plain"}>{status}</Badge>,
                      },
                      { name: "Superseded by", cell: ({ superseded_by = "" }) => superseded_by },
                    ]}
                    rows={adrs}
                    keyOf={({ path }) => path}
                  />
                )
              }
            </Answer>
          )}
        </div>
      </div>
    </View>
  );
}

function ShownDocument({ path }: { path: string }) {
  const file = useAnswer("workspace.documents", { path });
  return (
    <article aria-label={path}>
      <h2>{path}</h2>
      <Answer of={file}>
        {({ document }) =>
          path.endsWith(".md") ? <MarkdownText text={document?.text ?? ""} /> : <pre tabIndex={0}>{document?.text}</pre>
        }
      </Answer>
    </article>
  );
}

function MarkdownText({ text }: { text: string }) {
  const html = useMemo(
    () => createPurifier(window).sanitize(marked.parse(text, { async: false }), SAFE_MARKDOWN),
    [text],
  );
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
