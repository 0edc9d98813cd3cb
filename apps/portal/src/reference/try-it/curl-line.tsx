import { useState } from 'react';
import styles from './console.module.css';
import type { Prepared } from './prepare.ts';
import { writeCurl } from './write-curl.ts';

const shownMs = 2000;

/** The same request to take along into a terminal. */
export function CurlLine({ prepared }: { prepared: Prepared }) {
  const [words, setWords] = useState('Copy');
  const line = writeCurl(prepared);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      setWords('Copied');
    } catch {
      setWords('Press Ctrl+C');
    }
    setTimeout(() => setWords('Copy'), shownMs);
  };
  return (
    <details className={styles.curl}>
      <summary>As curl</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.pre} tabIndex={0}>
        {line}
      </pre>
      <button type="button" className={styles.quiet} onClick={copy} aria-live="polite">
        {words}
      </button>
    </details>
  );
}
