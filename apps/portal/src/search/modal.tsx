import type { SearchContext } from '@latchkey/server/docs-search';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { SearchHit } from './client.ts';
import styles from './modal.module.css';
import { warmUp } from './open-client.ts';
import { follow, goTo, toHref } from './reader.ts';
import { forgetPages, recentPages } from './recent-pages.ts';
import { ResultList } from './result-list.tsx';
import { Choices, FailureScreen, NoResultsScreen, Pages } from './screens.tsx';
import { isSearchKey } from './shortcut.ts';
import { tasksFor } from './tasks.ts';
import { keepFocus } from './trap-focus.ts';
import { useSearch } from './use-search.ts';

export { warmUp };

export interface SearchModalProps {
  context: SearchContext;
  onClose(): void;
}

const shownCount = 12;

export default function SearchModal({ context, onClose }: SearchModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const { state, retry } = useSearch(text, context, shownCount);
  const hits = state.kind === 'found' ? state.hits : [];

  useEffect(() => {
    dialog.current?.showModal();
    input.current?.focus();
    warmUp();
  }, []);

  // A browser restores the focus when a dialog is closed, not when it is only removed. Its close event comes later; the opener is notified
  // at once, and so receives the very next key.
  const close = () => {
    dialog.current?.close();
    onClose();
  };
  const write = (next: string) => {
    setText(next);
    setActive(0);
    input.current?.focus();
  };
  const leave = () => {
    keepSearch(text);
    close();
  };
  const choose = ({ path }: SearchHit) => {
    leave();
    goTo(path);
  };

  function onKeyDown(event: KeyboardEvent): void {
    if (isSearchKey(event.nativeEvent) || (event.key === 'Escape' && !event.nativeEvent.isComposing)) {
      event.preventDefault();
      close();
    } else if (event.key === 'Tab') keepFocus(event.nativeEvent, dialog.current);
  }

  function onInputKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing || hits.length === 0) return;
    if (event.key === 'ArrowDown') setActive((active + 1) % hits.length);
    else if (event.key === 'ArrowUp') setActive((active + hits.length - 1) % hits.length);
    else if (event.key === 'Enter') {
      const hit = hits[active];
      if (hit !== undefined) choose(hit);
    } else return;
    event.preventDefault();
  }

  const recent = state.kind === 'empty' ? recentSearches() : [];
  const pages = state.kind === 'empty' ? recentPages() : [];
  const allResults = `/search?q=${encodeURIComponent(text)}`;
  return (
    <dialog
      ref={dialog}
      className={styles.modal}
      aria-label="Search"
      onClose={onClose}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div className={styles.panel}>
        <search className={styles.form}>
          <input
            ref={input}
            className={styles.input}
            type="text"
            role="combobox"
            aria-label="Search the documentation"
            aria-autocomplete="list"
            aria-expanded={hits.length > 0}
            aria-controls={listId}
            aria-activedescendant={hits.length > 0 ? `${listId}-${active}` : undefined}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            enterKeyHint="search"
            maxLength={200}
            placeholder="Search the documentation"
            value={text}
            onChange={(event) => write(event.target.value)}
            onKeyDown={onInputKeyDown}
          />
          <button className={styles.close} type="button" onClick={close}>
            Close
          </button>
        </search>
        <div className={styles.body}>
          <ResultList
            id={listId}
            hits={hits}
            active={active}
            onPoint={setActive}
            onFollow={(event, hit) => {
              if (follow(event, hit.path)) leave();
            }}
          />
          {state.kind === 'failed' && <FailureScreen onRetry={retry} />}
          {state.kind === 'found' && state.total === 0 && (
            <NoResultsScreen text={state.text} here={context.here} onChoose={write} onLeave={close} />
          )}
          {state.kind === 'empty' && (
            <Pages label="What do you want to do?" pages={tasksFor(context.here)} onLeave={close} />
          )}
          {pages.length > 0 && <Pages label="Recent pages" pages={pages} onLeave={close} />}
          {recent.length + pages.length > 0 && (
            <Choices
              label={recent.length > 0 ? 'Recent searches' : 'Stored in this browser'}
              texts={recent}
              onChoose={write}
            >
              <button
                className={styles.forget}
                type="button"
                onClick={() => {
                  forgetSearches();
                  forgetPages();
                  write('');
                  close();
                }}
              >
                Forget them
              </button>
            </Choices>
          )}
        </div>
        {state.kind === 'found' && state.total > 0 && (
          <p className={styles.foot} role="status">
            <a
              href={toHref(allResults)}
              onClick={(event) => {
                if (follow(event, allResults)) leave();
              }}
            >
              {state.total === 1 ? 'See the one result' : `See all ${state.total} results`}
            </a>
          </p>
        )}
      </div>
    </dialog>
  );
}

const key = 'latchkey.recent-searches';
const keptCount = 5;

/** Successful searches in this browser, newest first. Empty without storage. */
function recentSearches(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string').slice(0, keptCount) : [];
  } catch {
    return [];
  }
}

function keepSearch(text: string): void {
  const kept = [text.trim(), ...recentSearches().filter((other) => other !== text.trim())].slice(0, keptCount);
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // Search works without storage.
  }
}

function forgetSearches(): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // There was nothing to delete.
  }
}
