import createPurifier from "dompurify";
import { marked } from "marked";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { PageAnswers } from "./page-answers.ts";
import { act, type CallFault, linkTo, route, snapshot, useAnswer } from "./page-state.ts";
import { Answer, Badge, TextDifference, Empty, FaultNote, Table, Time, type Tone, View } from "./page-elements.tsx";

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

const CHANGE_FOLDER = /^sdd\/(?:changes|history)\/([^/]+)\//;

/** A document, or a file of code at one of its lines: `src/login.js:12`. */
function ShownDocument({ path: address }: { path: string }) {
  const [, path = address, line = ""] = /^(.+?)(?::(\d+))?$/.exec(address) ?? [];
  const file = useAnswer("workspace.documents", { path });
  const isPast = useSignal("");
  const [, change] = CHANGE_FOLDER.exec(path) ?? [];
  return (
    <article aria-label={path}>
      <h2>{address}</h2>
      {change && <ChangeEdits id={change} />}
      <Answer of={file}>
        {({ document }) =>
          path.endsWith(".md") ? (
            <MarkdownText text={document?.text ?? ""} />
          ) : (
            <SourceText text={document?.text ?? ""} line={Number(line)} />
          )
        }
      </Answer>
      {!snapshot &&
        (isPast.value === path ? (
          <DocumentHistory path={path} now={file.data?.document?.text} />
        ) : (
          <p>
            <button type="button" onClick={() => (isPast.value = path)}>
              Show earlier versions
            </button>
          </p>
        ))}
    </article>
  );
}

function SourceText({ text, line }: { text: string; line: number }) {
  const shownLine = useRef<HTMLElement>(null);
  const lines = text.split("\n");
  useEffect(() => shownLine.current?.scrollIntoView({ block: "center" }), [text, line]);
  if (!(line >= 1 && line <= lines.length)) return <pre tabIndex={0}>{text}</pre>;
  return (
    <pre tabIndex={0}>
      {lines.slice(0, line - 1).map((each) => `${each}\n`)}
      <mark ref={shownLine}>{lines[line - 1]}</mark>
      {lines.slice(line).map((each) => `\n${each}`)}
    </pre>
  );
}

/** Each version beside the one before it. */
function DocumentHistory({ path, now }: { path: string; now: string | undefined }) {
  const file = useAnswer("workspace.documents", { path, history: true });
  return (
    <section aria-label={`Earlier versions of ${path}`}>
      <h3>Earlier versions</h3>
      <Answer of={file}>
        {({ document }) => {
          const versions = document?.history ?? [];
          if (versions.length === 0) return <Empty>No commit has this file yet.</Empty>;
          const isEdited = now !== undefined && now !== versions[0]?.text;
          return (
            <>
              {isEdited && (
                <details open>
                  <summary>Not committed yet</summary>
                  <TextDifference from={versions[0]?.text ?? ""} to={now} />
                </details>
              )}
              {versions.map(({ commit, at, text }, i) => (
                <details key={commit}>
                  <summary>
                    <Time at={at} />, commit <code>{commit.slice(0, 10)}</code>
                  </summary>
                  <TextDifference from={versions[i + 1]?.text ?? ""} to={text} />
                </details>
              ))}
            </>
          );
        }}
      </Answer>
    </section>
  );
}

const OP_TONES: Readonly<Record<string, Tone>> = { added: "good", removed: "bad", modified: "warn" };

/** What a change does to the requirements, and its archive, where conflicts wait for the user's choice. */
function ChangeEdits({ id }: { id: string }) {
  const status = useAnswer("change.status", { change_id: id });
  return (
    <Answer of={status}>
      {({ change, deltas = [] }) => (
        <section aria-label={`Requirements that ${id} edits`}>
          {deltas.length > 0 && <h3>Requirements that this change edits</h3>}
          {deltas.map(({ op, id: item, was, text }) => (
            <article key={`${op} ${item}`} class="receipt">
              <h4>
                {item} <Badge tone={OP_TONES[op] ?? "plain"}>{op}</Badge>
              </h4>
              {op === "removed" ? (
                <>
                  <TextDifference from={was} to="" />
                  <p>Reason: {text}</p>
                </>
              ) : (
                <TextDifference from={was} to={text} />
              )}
            </article>
          ))}
          {change.status === "completed" && !snapshot && <ArchiveForm id={id} />}
        </section>
      )}
    </Answer>
  );
}

type Archived = PageAnswers["change.archive"];

function ArchiveForm({ id }: { id: string }) {
  const answer = useSignal<Archived | undefined>(undefined);
  const problem = useSignal<CallFault | undefined>(undefined);
  const choices = useSignal<Readonly<Record<string, string>>>({});
  const conflicts = answer.value?.conflicts ?? [];
  const archive = async (): Promise<void> => {
    const decisions = conflicts.map((each) => `${each.id}=${choices.value[each.id] ?? ""}`);
    const input = { change_id: id, ...(decisions.length > 0 ? { decisions } : {}) };
    const describe = ({ passed }: Archived) => (passed ? `${id} is archived.` : `${id} is not archived yet.`);
    const { data, fault } = await act("change.archive", input, describe);
    answer.value = data;
    problem.value = fault;
    const { passed = false, change } = data ?? {};
    if (passed && change) location.hash = linkTo("documents", change.path);
  };
  return (
    <div>
      {problem.value && <FaultNote fault={problem.value} />}
      {answer.value?.problems.map((text) => (
        <p key={text} class="fault">
          {text}
        </p>
      ))}
      {conflicts.map(({ id: item, why, was, now = "", wants, choices: words }) => (
        <fieldset key={item}>
          <legend>
            {item}: {why}
          </legend>
          <div class="sides">
            <div>
              <h4>In the document now</h4>
              <TextDifference from={was} to={now} />
            </div>
            <div>
              <h4>In this change</h4>
              <TextDifference from={was} to={wants} />
            </div>
          </div>
          {words.map((word) => (
            <label key={word}>
              <input
                type="radio"
                name={item}
                checked={choices.value[item] === word}
                onChange={() => (choices.value = { ...choices.value, [item]: word })}
              />{" "}
              Keep the text of the {word}{" "}
            </label>
          ))}
        </fieldset>
      ))}
      <p>
        <button
          type="button"
          class="primary"
          disabled={conflicts.some((each) => !choices.value[each.id])}
          onClick={() => void archive()}
        >
          Archive {id}
        </button>
      </p>
    </div>
  );
}

function MarkdownText({ text }: { text: string }) {
  const html = useMemo(
    () => createPurifier(window).sanitize(marked.parse(text, { async: false }), SAFE_MARKDOWN),
    [text],
  );
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
