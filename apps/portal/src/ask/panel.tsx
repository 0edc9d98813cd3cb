import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { openSiteEngine } from '../search/open-client.ts';
import { currentContext, follow, toHref } from '../search/reader.ts';
import { type Answer, answer } from './answer.ts';
import { AnswerView } from './answer-view.tsx';
import styles from './ask.module.css';

export interface AskPanelProps {
  onClose(): void;
}

type State =
  | { kind: 'asking' }
  | { kind: 'waiting' }
  | { kind: 'failed' }
  | { kind: 'answered'; question: string; answer: Answer };

export default function AskPanel({ onClose }: AskPanelProps) {
  const input = useRef<HTMLInputElement>(null);
  const [question, setQuestion] = useState('');
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
      setState({ kind: 'answered', question, answer: answer(engine, question, currentContext()) });
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
          placeholder="How do I verify my wallet?"
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
          <AnswerView
            question={state.question}
            answer={state.answer}
            link={(path, children) => (
              <a href={toHref(path)} onClick={(event) => follow(event, path)}>
                {children}
              </a>
            )}
          />
        )}
      </div>
    </dialog>
  );
}
