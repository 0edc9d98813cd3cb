import { useEffect, useRef } from 'react';
import type { SearchHit } from './client.ts';
import { follow, toHref } from './reader.ts';
import styles from './search-page.module.css';
import { Segments } from './segments.tsx';

interface PageResultsProps {
  hits: readonly SearchHit[];
  total: number;
  onMore(): void;
}

/** Results below each other; more of them come as the reader nears the end, or presses the button there. */
export function PageResults({ hits, total, onMore }: PageResultsProps) {
  const end = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) onMore();
    });
    if (end.current !== null) observer.observe(end.current);
    return () => observer.disconnect();
  }, [onMore]);

  return (
    <>
      <p className={styles.count} role="status">
        {total === 1 ? 'One document found' : `${total} documents found`}
      </p>
      <ol className={styles.results}>
        {hits.map((hit) => (
          <li key={hit.path} className={styles.result}>
            <h2>
              <a href={toHref(hit.path)} onClick={(event) => follow(event, hit.path)}>
                <Segments of={hit.title} />
              </a>
            </h2>
            <p className={styles.crumbs}>{hit.crumbs.join(' › ')}</p>
            {hit.call !== undefined && <code>{hit.call}</code>}
            <p className={styles.snippet}>
              <Segments of={hit.snippet} />
            </p>
          </li>
        ))}
      </ol>
      {hits.length < total && (
        <button ref={end} className="button button--secondary" type="button" onClick={onMore}>
          Show more results
        </button>
      )}
    </>
  );
}
