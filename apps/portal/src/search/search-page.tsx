import Head from '@docusaurus/Head';
import { useHistory, useLocation } from '@docusaurus/router';
import { PageMetadata } from '@docusaurus/theme-common';
import useIsBrowser from '@docusaurus/useIsBrowser';
import Layout from '@theme/Layout';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { PageResults } from './page-results.tsx';
import { FailureScreen, NoResultsScreen } from './screens.tsx';
import styles from './search-page.module.css';
import { useSearch } from './use-search.ts';
import { useVersionedContext } from './use-versioned-context.ts';
import { VersionChoice } from './version-choice.tsx';

const pageSize = 20;
/** How long nothing is written before the address of the page follows. */
const addressDelayMs = 300;

/** The text that is searched for, kept in the address so that it can be shared, left and come back to. */
function useQueryText(input: RefObject<HTMLInputElement | null>): [string, (text: string) => void] {
  const { search, pathname } = useLocation();
  const { replace } = useHistory();
  // The page was built without a question; the browser shows that first and then the question it has.
  const isBrowser = useIsBrowser();
  const asked = isBrowser ? (new URLSearchParams(search).get('q') ?? '') : '';
  const [text, setText] = useState(asked);
  const written = useRef(asked);
  const isAhead = useRef(false);
  // Whoever writes before the page has come to life means that, and not what the address asks.
  useEffect(() => {
    const typed = input.current?.value ?? '';
    if (typed === written.current) return;
    isAhead.current = true;
    setText(typed);
  }, [input]);
  useEffect(() => {
    if (asked === written.current) return;
    if (!isAhead.current) setText(asked);
    isAhead.current = false;
    written.current = asked;
  }, [asked]);
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
