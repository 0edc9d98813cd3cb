import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { CodeBlock } from '../reference/samples/code-block.tsx';
import { openSiteEngine } from '../search/open-client.ts';
import { currentContext, follow, toHref } from '../search/reader.ts';
import { Segments } from '../search/segments.tsx';
import { type Answer, answer, type Passage } from './answer.ts';
import styles from './ask.module.css';
import { isFollowUp } from './follow-up.ts';
import { readSection, type Shown } from './read-section.ts';

export interface AskPanelProps {
  onClose(): void;
}

type State =
  | { kind: 'asking' }
  | { kind: 'waiting' }
  | { kind: 'failed' }
  | { kind: 'answered'; question: string; answer: Answer; shown: readonly Shown[]; subject: string | undefined };

/** Reads the tables and code of a passage from the Markdown of its page. Without them, the quote alone is shown. */
async function readShown(passage: Passage | undefined): Promise<Shown[]> {
  if (passage === undefined || passage.page.startsWith('/apis/')) return [];
  const file = passage.page.replace(/\/$/, '');
  const response = await fetch(toHref(file === '' ? '/index.md' : `${file}.md`)).catch(() => undefined);
  return response?.ok === true ? readSection(await response.text(), passage.heading) : [];
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
      setState({ kind: 'answered', question, answer: found, shown: [], subject });
      if (found.kind !== 'known') return;
      // A follow-up keeps the subject of the earlier question.
      if (subject === undefined) setBefore(question);
      const shown = await readShown(found.passages[0]);
      setState((now) => (now.kind === 'answered' && now.answer === found ? { ...now, shown } : now));
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
            <AnswerView
              question={state.question}
              answer={state.answer}
              shown={state.shown}
              link={(path, children) => (
                <a href={toHref(path)} onClick={(event) => follow(event, path)}>
                  {children}
                </a>
              )}
            />
          </>
        )}
      </div>
    </dialog>
  );
}

interface AnswerViewProps {
  question: string;
  answer: Answer;
  /** Tables and code of the best passage. */
  shown: readonly Shown[];
  link(path: string, children: ReactNode): ReactNode;
}

function AnswerView({ question, answer, shown, link }: AnswerViewProps) {
  if (answer.kind === 'unknown')
    return (
      <>
        <p>
          The documentation does not answer this. Try other words,{' '}
          {link(`/search?q=${encodeURIComponent(question)}`, 'search for it')}, or{' '}
          {link(`/help-docs/FAQ/contact-team?query=${encodeURIComponent(question)}`, 'ask the team')}.
        </p>
        {answer.near.length === 0 ? null : (
          <section aria-label="Closest pages">
            <p className={styles.hint}>The closest pages are:</p>
            <ul className={styles.near}>
              {answer.near.map(({ path, title, crumbs }) => (
                <li key={path} className={styles.source}>
                  {link(path, title)} <span>{crumbs.join(' › ')}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
      </>
    );
  return (
    <ol className={styles.passages}>
      {answer.passages.map(({ path, title, crumbs, quote }, index) => (
        <li key={path}>
          <blockquote>
            <Segments of={quote} />
          </blockquote>
          {index === 0 ? shown.map((one) => <ShownView key={keyOf(one)} shown={one} title={title} />) : null}
          <p className={styles.source}>
            {link(path, title)} <span>{crumbs.join(' › ')}</span>
          </p>
        </li>
      ))}
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
