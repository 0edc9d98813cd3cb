import { type ReactNode, useState } from 'react';
import { colour } from './colour.ts';
import styles from './samples.module.css';

interface Props {
  /** The accessible name of the block. */
  name: string;
  code: string;
  /** The text to copy, if it is more than what is shown. */
  copied?: string;
  children: ReactNode;
}

const shownMs = 2000;

/** Code below a bar with its name and a copy button. */
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
