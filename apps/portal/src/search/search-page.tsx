import Head from '@docusaurus/Head';
import {
  type GlobalVersion,
  getDocsVersionSearchTag,
  useAllDocsData,
  useDocsPreferredVersionByPluginId,
} from '@docusaurus/plugin-content-docs/client';
import { useHistory, useLocation } from '@docusaurus/router';
import { PageMetadata } from '@docusaurus/theme-common';
import useIsBrowser from '@docusaurus/useIsBrowser';
import type { SearchContext } from '@latchkey/server/docs-search';
import Layout from '@theme/Layout';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { SearchHit } from './client.ts';
import { follow, toHref } from './reader.ts';
import { FailureScreen, NoResultsScreen } from './screens.tsx';
import styles from './search-page.module.css';
import { Segments } from './segments.tsx';
import { useSearchContext } from './use-context.ts';
import { useSearch } from './use-search.ts';

const pageSize = 20;
/** How long after the last keystroke the URL is updated. */
const addressDelayMs = 300;

/** The query, stored in the URL so that it can be shared and survives navigation. */
function useQueryText(input: RefObject<HTMLInputElement | null>): [string, (text: string) => void] {
  const { search, pathname } = useLocation();
  const { replace } = useHistory();
  // The page was built without a query; the browser renders that first and then its own query.
  const isBrowser = useIsBrowser();
  const requested = isBrowser ? (new URLSearchParams(search).get('q') ?? '') : '';
  const [text, setText] = useState(requested);
  const written = useRef(requested);
  const isAhead = useRef(false);
  // What a reader types before hydration takes precedence over the query in the URL.
  useEffect(() => {
    const typed = input.current?.value ?? '';
    if (typed === written.current) return;
    isAhead.current = true;
    setText(typed);
  }, [input]);
  useEffect(() => {
    if (requested === written.current) return;
    if (!isAhead.current) setText(requested);
    isAhead.current = false;
    written.current = requested;
  }, [requested]);
  useEffect(() => {
    if (text === written.current) return;
    const timer = setTimeout(() => {
      isAhead.current = false;
      written.current = text;
      replace({ pathname, search: text === '' ? '' : `?q=${encodeURIComponent(text)}` });
    }, addressDelayMs);
    return () => clearTimeout(timer);
  }, [text, pathname, replace]);
  return [text, setText];
}

export default function SearchPage() {
  return (
    <Layout>
      <Head>
        <meta name="robots" content="noindex, follow" />
      </Head>
      <Results />
    </Layout>
  );
}

function Results() {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useQueryText(input);
  const { context, choices, choose } = useVersionedContext();
  const { state, more, retry } = useSearch(text, context, pageSize);
  const title = text.trim() === '' ? 'Search the documentation' : `Search results for "${text}"`;
  return (
    <>
      <PageMetadata title={title} description="Search the guides, the API reference and the blog of Latchkey." />
      <main className={`container ${styles.page}`}>
        <h1>{title}</h1>
        <search className={styles.form}>
          <input
            ref={input}
            className={styles.input}
            type="search"
            aria-label="Search the documentation"
            placeholder="Type what you are looking for"
            autoComplete="off"
            maxLength={200}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {choices.map((choice) => (
            <VersionChoice key={choice.instance} choice={choice} onChoose={choose} />
          ))}
        </search>
        {state.kind === 'failed' && <FailureScreen onRetry={retry} />}
        {state.kind === 'found' && state.total === 0 && (
          <NoResultsScreen text={state.text} here={undefined} onChoose={setText} />
        )}
        {state.kind === 'found' && state.total > 0 && (
          <PageResults hits={state.hits} total={state.total} onMore={more} />
        )}
      </main>
    </>
  );
}

interface VersionChoiceProps {
  choice: VersionsOfInstance;
  onChoose(instance: string, version: string): void;
}

function VersionChoice({ choice: { instance, versions, chosen }, onChoose }: VersionChoiceProps) {
  return (
    <label className={styles.version}>
      Version of the {instance === 'default' ? 'developer' : instance} docs
      <select value={chosen} onChange={(event) => onChoose(instance, event.target.value)}>
        {versions.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

interface VersionsOfInstance {
  instance: string;
  versions: readonly GlobalVersion[];
  chosen: string;
}

/** The context of the results page: for docs with more than one version, the reader chooses which to search. */
function useVersionedContext(): {
  context: SearchContext;
  choices: VersionsOfInstance[];
  choose(instance: string, version: string): void;
} {
  const base = useSearchContext();
  const docs = useAllDocsData();
  const preferred = useDocsPreferredVersionByPluginId();
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const choose = useCallback(
    (instance: string, version: string) => setChosen((before) => ({ ...before, [instance]: version })),
    [],
  );
  const instances = Object.entries(docs).map(([instance, { versions }]) => {
    const latest = versions.find(({ isLast }) => isLast)?.name ?? 'current';
    return { instance, versions, chosen: chosen[instance] ?? preferred[instance]?.name ?? latest };
  });
  const tags = instances.map((one) => getDocsVersionSearchTag(one.instance, one.chosen)).join(' ');
  // The same object while it has the same content: another one would cause another search.
  const context = useMemo(() => ({ ...base, tags: tags.split(' ') }), [base, tags]);
  return { context, choices: instances.filter(({ versions }) => versions.length > 1), choose };
}

interface PageResultsProps {
  hits: readonly SearchHit[];
  total: number;
  onMore(): void;
}

/** The list of results; more are loaded as the reader nears the end, or presses the button there. */
function PageResults({ hits, total, onMore }: PageResultsProps) {
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
