import Link from '@docusaurus/Link';
import { useRef, useState } from 'react';
import styles from './code-sample.module.css';

interface Props {
  language: string;
  /** Highlighted at build time. */
  html: string;
  title?: string;
  /** The link that runs the request in the reference, if it changes nothing. */
  run?: string;
  /** When and with which version the sample last ran against a server. */
  ran?: string;
}

const languageNames: Readonly<Record<string, string>> = {
  bash: 'Shell',
  env: 'Settings',
  http: 'HTTP',
  js: 'JavaScript',
  json: 'JSON',
  py: 'Python',
  sol: 'Solidity',
  sql: 'SQL',
  text: 'Text',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  yaml: 'YAML',
};

const shownMs = 2000;

export function CodeSample({ language, html, title, run, ran }: Props) {
  const code = useRef<HTMLElement>(null);
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(code.current?.textContent ?? '');
      setState('copied');
    } catch {
      setState('failed');
    }
    setTimeout(() => setState('ready'), shownMs);
  };
  const name = languageNames[language] ?? language;
  const words = { ready: 'Copy', copied: 'Copied', failed: 'Press Ctrl+C' }[state];
  return (
    <figure className={styles.sample}>
      {title === undefined ? null : <figcaption className={styles.title}>{title}</figcaption>}
      <div className={`sample-bar ${styles.bar}`} data-language={ran === undefined ? name : `${name} · ${ran}`}>
        {run === undefined ? null : (
          <Link className={styles.action} to={run}>
            Run
          </Link>
        )}
        <button type="button" className={styles.action} onClick={copy} aria-live="polite">
          {words}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.pre} tabIndex={0}>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made from our own pages by remark/highlight-code.ts. */}
        <code className={`language-${language}`} dangerouslySetInnerHTML={{ __html: html }} ref={code} />
      </pre>
    </figure>
  );
}
