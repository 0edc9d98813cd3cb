import { type ReactNode, useState } from 'react';
import { colour } from './colour.ts';
import styles from './samples.module.css';

interface Props {
  /** What the block is called for those who do not see it. */
  name: string;
  code: string;
  /** What is copied, if more than what is shown. */
  copied?: string;
  children: ReactNode;
}

const shownMs = 2000;

/** Code under a bar that says what it is, with a button to copy it. */
export function CodeBlock({ name, code, copied = code, children }: Props) {
  const [words, setWords] = useState('Copy');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(copied);
      setWords('Copied');
    } catch {
      setWords('Press Ctrl+C');
    }
    setTimeout(() => setWords('Copy'), shownMs);
  };
  return (
    <div className={styles.block}>
      <div className={styles.bar}>
        {children}
        <button type="button" className={styles.copy} onClick={copy} aria-label={`${words} ${name}`}>
          {words}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.code} tabIndex={0}>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: escaped by colour. */}
        <code dangerouslySetInnerHTML={{ __html: colour(code) }} />
      </pre>
    </div>
  );
}
