import type { ReactNode } from 'react';
import { Segments } from '../search/segments.tsx';
import type { Answer } from './answer.ts';
import styles from './ask.module.css';

interface AnswerViewProps {
  question: string;
  answer: Answer;
  link(path: string, children: ReactNode): ReactNode;
}

export function AnswerView({ question, answer, link }: AnswerViewProps) {
  if (answer.kind === 'unknown')
    return (
      <p>
        The documentation does not answer this. Try other words,{' '}
        {link(`/search?q=${encodeURIComponent(question)}`, 'search for it')}, or{' '}
        {link(`/help-docs/FAQ/contact-team?query=${encodeURIComponent(question)}`, 'ask the team')}.
      </p>
    );
  return (
    <ol className={styles.passages}>
      {answer.passages.map(({ path, title, crumbs, quote }) => (
        <li key={path}>
          <blockquote>
            <Segments of={quote} />
          </blockquote>
          <p className={styles.source}>
            {link(path, title)} <span>{crumbs.join(' › ')}</span>
          </p>
        </li>
      ))}
    </ol>
  );
}
