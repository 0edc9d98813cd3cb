import { type MouseEvent, useEffect, useRef } from 'react';
import type { SearchHit } from './client.ts';
import { toHref } from './reader.ts';
import styles from './result-list.module.css';
import { Segments } from './segments.tsx';

interface ResultListProps {
  id: string;
  hits: readonly SearchHit[];
  active: number;
  onPoint(place: number): void;
  onFollow(event: MouseEvent, hit: SearchHit): void;
}

/** The listbox of a combobox: its options are links, selected from the text field. */
export function ResultList({ id, hits, active, onPoint, onFollow }: ResultListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[id="${CSS.escape(`${id}-${active}`)}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);

  const option = (hit: SearchHit, place: number) => {
    return (
      <a
        key={hit.path}
        id={`${id}-${place}`}
        className={styles.option}
        role="option"
        aria-selected={place === active}
        tabIndex={-1}
        href={toHref(hit.path)}
        onClick={(event) => onFollow(event, hit)}
        onPointerMove={() => onPoint(place)}
      >
        <span className={styles.title}>
          <Segments of={hit.title} />
        </span>
        <span className={styles.crumbs}>{hit.crumbs.join(' › ')}</span>
        {hit.call !== undefined && <code className={styles.call}>{hit.call}</code>}
        <span className={styles.snippet}>
          <Segments of={hit.snippet} />
        </span>
      </a>
    );
  };
  return (
    <div ref={list} id={id} className={styles.list} role="listbox" aria-label="Results" hidden={hits.length === 0}>
      {hits.map(option)}
    </div>
  );
}
