import type { ReactNode } from 'react';
import { follow, toHref } from './reader.ts';
import styles from './screens.module.css';
import { suggestionsFor } from './suggestions.ts';

/** Shown when the index or the search service cannot be reached. */
export function FailureScreen({ onRetry }: { onRetry(): void }) {
  return (
    <div className={styles.screen} role="alert">
      <p className={styles.title}>Unable to fetch results</p>
      <p className={styles.help}>You might want to check your network connection.</p>
      <button className={styles.choice} type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

interface NoResultsProps {
  text: string;
  here: string | undefined;
  onChoose(text: string): void;
  onLeave?(): void;
}

export function NoResultsScreen({ text, here, onChoose, onLeave }: NoResultsProps) {
  const contact = `/help-docs/FAQ/contact-team?query=${encodeURIComponent(text)}`;
  return (
    <div className={styles.screen}>
      <p className={styles.title} role="status">
        No results for <strong>“{text}”</strong>
      </p>
      <Choices label="Try searching for" texts={suggestionsFor(here)} onChoose={onChoose} />
      <p className={styles.help}>
        Believe this query should return results?{' '}
        <a
          href={toHref(contact)}
          onClick={(event) => {
            if (follow(event, contact)) onLeave?.();
          }}
        >
          Let us know.
        </a>
      </p>
    </div>
  );
}

interface PagesProps {
  label: string;
  pages: readonly { path: string; title: string }[];
  onLeave(): void;
}

/** Links to pages. */
export function Pages({ label, pages, onLeave }: PagesProps) {
  return (
    <section className={styles.choices} aria-label={label}>
      <p className={styles.help}>{label}</p>
      <ul>
        {pages.map(({ path, title }) => (
          <li key={path}>
            <a
              className={styles.choice}
              href={toHref(path)}
              onClick={(event) => {
                if (follow(event, path)) onLeave();
              }}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ChoicesProps {
  label: string;
  texts: readonly string[];
  onChoose(text: string): void;
  children?: ReactNode;
}

/** Suggested searches. */
export function Choices({ label, texts, onChoose, children }: ChoicesProps) {
  return (
    <section className={styles.choices} aria-label={label}>
      <p className={styles.help}>{label}</p>
      <ul>
        {texts.map((text) => (
          <li key={text}>
            <button className={styles.choice} type="button" onClick={() => onChoose(text)}>
              {text}
            </button>
          </li>
        ))}
        {children !== undefined && <li>{children}</li>}
      </ul>
    </section>
  );
}
