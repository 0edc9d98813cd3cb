import siteConfig from '@generated/docusaurus.config';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { CodeBlock } from '../reference/samples/code-block.tsx';
import { markWords, takeSnippet } from '../search/highlight.ts';
import { openSiteEngine } from '../search/open-client.ts';
import { currentContext, follow, toHref } from '../search/reader.ts';
import { Segments } from '../search/segments.tsx';
import { loadSettings } from '../settings.ts';
import { type Answer, answer, type Passage } from './answer.ts';
import styles from './ask.module.css';
import { isFollowUp } from './follow-up.ts';
import { readSection, type SectionContent, type Shown } from './read-section.ts';
import { type EvmNetwork, needsNetworks, type ServerFact, serverFacts } from './server-facts.ts';

export interface AskPanelProps {
  onClose(): void;
}

type State =
  | { kind: 'asking' }
  | { kind: 'waiting' }
  | { kind: 'failed' }
  | {
      kind: 'answered';
      question: string;
      answer: Answer;
      facts: readonly ServerFact[];
      /** What the sections of the passages contain, in their order; undefined where it could not be read. */
      contents: readonly (SectionContent | undefined)[];
      subject: string | undefined;
    };

/** Longer sections are shown in part. */
const wholeLength = 700;
const quoteLength = 420;
/** A server that takes longer is not waited for. */
const patienceMs = 3000;

/** Reads the section of a passage from the Markdown of its page. */
async function readContent({ page, heading }: Passage): Promise<SectionContent | undefined> {
  if (page.startsWith('/apis/')) return undefined;
  const file = page.replace(/\/$/, '');
  const response = await fetch(toHref(file === '' ? '/index.md' : `${file}.md`)).catch(() => undefined);
  return response?.ok === true ? readSection(await response.text(), heading) : undefined;
}

/** Asks the server which chains it reads. Undefined if that is unknown. */
async function readNetworks(apiUrl: string | undefined): Promise<EvmNetwork[] | undefined> {
  if (apiUrl === undefined) return undefined;
  try {
    const response = await fetch(`${apiUrl}/evm/network-configs`, { signal: AbortSignal.timeout(patienceMs) });
    const networks: unknown = response.ok ? await response.json() : undefined;
    return Array.isArray(networks) ? networks : undefined;
  } catch {
    return undefined;
  }
}

async function readFacts(question: string): Promise<ServerFact[]> {
  const { setUp, apiUrl } = await loadSettings(siteConfig.baseUrl);
  const networks = needsNetworks(question) ? await readNetworks(apiUrl) : undefined;
  return serverFacts(question, { setUp, networks });
}

export default function AskPanel({ onClose }: AskPanelProps) {
  const input = useRef<HTMLInputElement>(null);
  const [question, setQuestion] = useState('');
  const [before, setBefore] = useState<string>();
  const [state, setState] = useState<State>({ kind: 'asking' });

  useEffect(() => {
    input.current?.focus();
    openSiteEngine().catch(() => {});
  }, []);

  async function ask(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (question.trim() === '') return;
    setState({ kind: 'waiting' });
    try {
      const engine = await openSiteEngine();
      const subject = before !== undefined && isFollowUp(question) ? before : undefined;
      const found = answer(engine, question, currentContext(), before);
      const passages = found.kind === 'known' ? found.passages : [];
      const [facts, contents] = await Promise.all([readFacts(question), Promise.all(passages.map(readContent))]);
      setState({ kind: 'answered', question, answer: found, facts, contents, subject });
      // A follow-up keeps the subject of the earlier question.
      if (found.kind === 'known' && subject === undefined) setBefore(question);
    } catch {
      setState({ kind: 'failed' });
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') onClose();
  }

  return (
    <dialog className={styles.panel} open aria-labelledby="ask-title" onKeyDown={onKeyDown}>
      <div className={styles.head}>
        <h2 id="ask-title">Ask the documentation</h2>
        <button className={styles.close} type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <form className={styles.form} onSubmit={ask}>
        <input
          ref={input}
          type="text"
          aria-label="Your question"
          placeholder={before === undefined ? 'How do I verify my wallet?' : 'Ask a follow-up, or something else'}
          autoComplete="off"
          maxLength={300}
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <button type="submit">Ask</button>
      </form>
      <div className={styles.answer} role="status">
        {state.kind === 'asking' && <p className={styles.hint}>You get what the documentation says, word for word.</p>}
        {state.kind === 'waiting' && <p className={styles.hint}>Looking it up…</p>}
        {state.kind === 'failed' && (
          <p>The documentation could not be fetched. Check your network connection and ask again.</p>
        )}
        {state.kind === 'answered' && (
          <>
            {state.subject === undefined ? null : <p className={styles.hint}>About: {state.subject}</p>}
            <FactsView facts={state.facts} />
            {state.answer.kind === 'known' ? (
              <Passages passages={state.answer.passages} contents={state.contents} denial={state.answer.denial} />
            ) : state.facts.length > 0 ? null : (
              <Unknown question={state.question} answer={state.answer} />
            )}
          </>
        )}
      </div>
    </dialog>
  );
}

function PageLink({ path, children }: { path: string; children: ReactNode }) {
  return (
    <a href={toHref(path)} onClick={(event) => follow(event, path)}>
      {children}
    </a>
  );
}

function FactsView({ facts }: { facts: readonly ServerFact[] }) {
  return facts.map(({ about, sentence, to, how }) => (
    <p key={about} className={styles.fact} data-about={about}>
      {sentence} <PageLink path={to}>{how}</PageLink>
    </p>
  ));
}

function Unknown({ question, answer }: { question: string; answer: Answer & { kind: 'unknown' } }) {
  const { isNo, unmentioned, near } = answer;
  const names = unmentioned.map((word) => `“${word}”`).join(' or ');
  return (
    <>
      <p>
        <strong>{isNo ? 'No.' : 'Not covered.'}</strong>{' '}
        {names === '' ? 'The documentation does not answer this.' : `No page mentions ${names}.`}
      </p>
      <p>
        Try other words, <PageLink path={`/search?q=${encodeURIComponent(question)}`}>search for it</PageLink>, or{' '}
        <PageLink path={`/help-docs/FAQ/contact-team?query=${encodeURIComponent(question)}`}>ask the team</PageLink>.
      </p>
      {near.length === 0 ? null : (
        <section aria-label="Closest pages">
          <p className={styles.hint}>The closest pages are:</p>
          <ul className={styles.near}>
            {near.map(({ path, title, crumbs }) => (
              <li key={path} className={styles.source}>
                <PageLink path={path}>{title}</PageLink> <span>{crumbs.join(' › ')}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface PassagesProps {
  passages: readonly Passage[];
  contents: readonly (SectionContent | undefined)[];
  /** The sentence of the first passage that says no, which is quoted alone. */
  denial: string | undefined;
}

function Passages({ passages, contents, denial }: PassagesProps) {
  return (
    <ol className={styles.passages}>
      {passages.map(({ path, title, crumbs, text, terms }, index) => {
        const content = index === 0 && denial !== undefined ? { prose: [denial], shown: [] } : contents[index];
        const prose = content?.prose ?? [text];
        // Only the best passage is shown whole, with its tables and code.
        const isWhole = index === 0 && prose.join(' ').length <= wholeLength;
        const shown = index === 0 ? (content?.shown ?? []) : [];
        return (
          <li key={path}>
            {prose.length === 0 ? null : (
              <blockquote>
                {isWhole ? (
                  prose.map((paragraph) => (
                    <p key={paragraph}>
                      <Segments of={markWords(paragraph, terms)} />
                    </p>
                  ))
                ) : (
                  <Segments of={takeSnippet(prose.join(' '), terms, quoteLength)} />
                )}
              </blockquote>
            )}
            {shown.map((one) => (
              <ShownView key={keyOf(one)} shown={one} title={title} />
            ))}
            <p className={styles.source}>
              <PageLink path={path}>{title}</PageLink> <span>{crumbs.join(' › ')}</span>
            </p>
          </li>
        );
      })}
    </ol>
  );
}

function keyOf(shown: Shown): string {
  return shown.kind === 'code' ? shown.code : shown.head.join('|');
}

function ShownView({ shown, title }: { shown: Shown; title: string }) {
  if (shown.kind === 'code')
    return (
      <CodeBlock name={`code of ${title}`} code={shown.code}>
        <span>{shown.language === '' ? 'Code' : shown.language}</span>
      </CodeBlock>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={styles.tableScroll} tabIndex={0} aria-label={`Table of ${title}`}>
      <table>
        <thead>
          <tr>
            {shown.head.map((cell) => (
              <th key={cell} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.rows.map((row) => (
            <tr key={row.join('|')}>
              {row.map((cell, index) => (
                <td key={`${shown.head[index]} ${cell}`}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
