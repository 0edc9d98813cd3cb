import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Button } from '../button/index.tsx';
import styles from './rule-builder.module.css';

const Builder = lazy(() => import('./builder.tsx'));

const sample = `{
  "type": "ERC721",
  "chainId": 1,
  "contractAddress": "0x2222222222222222222222222222222222222222",
  "roleId": "holder"
}`;

/** A form that builds rules and checks pasted ones. It is loaded when it becomes visible. */
export function RuleBuilder() {
  const [text, setText] = useState(sample);
  const [isWanted, setWanted] = useState(false);
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    if (frame.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setWanted(true),
      { rootMargin: '200px' },
    );
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  const waiting = <Waiting text={text} onChange={setText} onWanted={() => setWanted(true)} />;
  return (
    <section ref={frame} className={styles.builder} aria-label="Rule builder">
      {isWanted ? (
        <Suspense fallback={waiting}>
          <Builder start={text} isNotQueued={text === sample} />
        </Suspense>
      ) : (
        waiting
      )}
      <noscript>
        <p className={styles.note}>
          Choosing fields and checking a rule here needs JavaScript. Without it, change the example by hand and send it
          to your server, which checks it by the same code.
        </p>
      </noscript>
    </section>
  );
}

interface WaitingProps {
  text: string;
  onChange: (text: string) => void;
  onWanted: () => void;
}

function Waiting({ text, onChange, onWanted }: WaitingProps) {
  return (
    <form
      className={styles.waiting}
      onSubmit={(event) => {
        event.preventDefault();
        onWanted();
      }}
    >
      <label className={styles.label} htmlFor="rule-builder-start">
        A rule as JSON
      </label>
      <textarea
        id="rule-builder-start"
        className={styles.editor}
        rows={7}
        spellCheck={false}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      <Button type="submit">Build and check</Button>
    </form>
  );
}
