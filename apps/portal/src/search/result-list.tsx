import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
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

/** The list of a combobox: its options are links, chosen from the text field. */
export function ResultList({ id, hits, active, onPoint, onFollow }: ResultListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[id="${CSS.escape(`${id}-${active}`)}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);

  const option = (hit: SearchHit) => {
    const place = hits.indexOf(hit);
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
  const here = hits.filter(({ isHere }) => isHere);
  const elsewhere = hits.filter(({ isHere }) => !isHere);
  return (
    <div ref={list} id={id} className={styles.list} role="listbox" aria-label="Results" hidden={hits.length === 0}>
      {here.length === 0 ? (
        hits.map(option)
      ) : (
        <>
          <Group label="In these docs">{here.map(option)}</Group>
          {elsewhere.length > 0 && <Group label="Elsewhere">{elsewhere.map(option)}</Group>}
        </>
      )}
    </div>
  );
}

function Group({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a set of fields is no part of a list box.
    <div role="group" aria-label={label}>
      <p className={styles.group} role="presentation">
        {label}
      </p>
      {children}
    </div>
  );
}
