import { useHistory } from '@docusaurus/router';
import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import type { SearchModalProps } from '../../search/modal.tsx';
import { setReader } from '../../search/reader.ts';
import { isSearchKey } from '../../search/shortcut.ts';
import { useSearchContext } from '../../search/use-context.ts';
import styles from './search-bar.module.css';

/** Everything except the button is fetched when a reader is about to search. */
const loadModal = () => import('../../search/modal.tsx');

function warm(): void {
  loadModal().then(
    ({ warmUp }) => warmUp(),
    () => {},
  );
}

export default function SearchBar() {
  const context = useSearchContext();
  const { push } = useHistory();
  const [Modal, setModal] = useState<ComponentType<SearchModalProps>>();
  const [state, setState] = useState<'closed' | 'open' | 'failed'>('closed');
  const [shortcut, setShortcut] = useState('Ctrl K');
  const isOpen = useRef(false);

  useEffect(() => setReader({ navigate: push, context }), [push, context]);
  useEffect(() => {
    if (/mac|iphone|ipad/i.test(navigator.userAgent)) setShortcut('⌘ K');
  }, []);

  const open = useCallback(() => {
    isOpen.current = true;
    loadModal().then(
      (loaded) => {
        setModal(() => loaded.default);
        setState('open');
      },
      () => {
        isOpen.current = false;
        setState('failed');
      },
    );
  }, []);
  const close = useCallback(() => {
    isOpen.current = false;
    setState('closed');
  }, []);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isOpen.current || !isSearchKey(event)) return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [open]);

  return (
    <>
      <button
        className={styles.button}
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K /"
        onClick={open}
        onFocus={warm}
        onPointerEnter={warm}
      >
        <svg className={styles.icon} viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
          <circle cx="8.5" cy="8.5" r="5.5" />
          <path d="m13 13 4.5 4.5" />
        </svg>
        <span className={styles.label}>Search</span>
        <span className={styles.key} aria-hidden="true">
          {shortcut}
        </span>
      </button>
      {state === 'failed' && (
        <div className={styles.failure} role="alert">
          <p>Unable to fetch results</p>
          <p>You might want to check your network connection.</p>
        </div>
      )}
      {state === 'open' && Modal !== undefined && <Modal context={context} onClose={close} />}
    </>
  );
}
