import type { ReactNode } from 'react';
import { CodeBlock } from '../reference/samples/code-block.tsx';
import { Segments } from '../search/segments.tsx';
import type { Answer } from './answer.ts';
import styles from './ask.module.css';
import type { Shown } from './read-section.ts';

interface AnswerViewProps {
  question: string;
  answer: Answer;
  /** Tables and code of the best passage. */
  shown: readonly Shown[];
  link(path: string, children: ReactNode): ReactNode;
}

export function AnswerView({ question, answer, shown, link }: AnswerViewProps) {
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
