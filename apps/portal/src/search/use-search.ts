import type { SearchContext } from '@latchkey/server/docs-search';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { SearchHit } from './client.ts';
import { openClient } from './open-client.ts';

export type SearchState =
  | { kind: 'empty' }
  | { kind: 'waiting' }
  | { kind: 'failed' }
  | { kind: 'found'; text: string; hits: SearchHit[]; total: number };

export interface Searching {
  state: SearchState;
  /** Fetches the next hits, if there are more. */
  more(): void;
  retry(): void;
}

async function ask(text: string, context: SearchContext, offset: number, limit: number) {
  const client = await openClient();
  return client.search({ text, context, offset, limit });
}

/** Searches while typing. Earlier results stay until there are new ones. */
export function useSearch(text: string, context: SearchContext, limit: number): Searching {
  const [state, setState] = useState<SearchState>({ kind: 'empty' });
  const [tries, setTries] = useState(0);
  const latest = useRef(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is another search for the same.
  useEffect(() => {
    const number = ++latest.current;
    const show = (next: SearchState) => {
      if (number === latest.current) setState(next);
    };
    if (text.trim() === '') return show({ kind: 'empty' });
    setState((shown) => (shown.kind === 'found' ? shown : { kind: 'waiting' }));
    ask(text, context, 0, limit).then(
      ({ hits, total }) => show({ kind: 'found', text, hits, total }),
      () => show({ kind: 'failed' }),
    );
  }, [text, context, limit, tries]);

  const more = useCallback(() => {
    if (state.kind !== 'found' || state.hits.length >= state.total || state.text !== text) return;
    const number = ++latest.current;
    ask(text, context, state.hits.length, limit).then(
      ({ hits, total }) => {
        if (number === latest.current) setState({ ...state, hits: [...state.hits, ...hits], total });
      },
      () => {
        if (number === latest.current) setState({ kind: 'failed' });
      },
    );
  }, [state, text, context, limit]);

  return { state, more, retry: useCallback(() => setTries((count) => count + 1), []) };
}
