import { type ComponentType, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { createRoot } from 'react-dom/client';
import styles from './ask.module.css';
import type { AskPanelProps } from './panel.tsx';
import { usePlace } from './place.ts';

/** Mounts the widget beside the page, in a separate React tree: an error there does not affect the page. */
export function mount(): void {
  const place = document.createElement('aside');
  place.setAttribute('aria-label', 'Ask the documentation');
  document.body.append(place);
  const root = createRoot(place, {
    onUncaughtError: () => place.remove(),
  });
  root.render(<AskWidget />);
}

/** The panel, and its button in the navigation bar. The code of the panel is fetched when a reader is about to ask. */
function AskWidget() {
  const [Panel, setPanel] = useState<ComponentType<AskPanelProps>>();
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const place = usePlace();

  function toggle(): void {
    if (isOpen) {
      close();
      return;
    }
    import('./panel.tsx').then(
      (loaded) => {
        setPanel(() => loaded.default);
        setIsOpen(true);
      },
      () => {},
    );
  }
  function close(): void {
    setIsOpen(false);
    button.current?.focus();
  }

  return (
    <>
      {isOpen && Panel !== undefined && <Panel onClose={close} />}
      {place !== null &&
        createPortal(
          <button
            ref={button}
            className={styles.button}
            type="button"
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            onClick={toggle}
          >
            <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
              <path d="M3 3.5h14v10H9l-4 3.5v-3.5H3z" />
            </svg>
            <span className={styles.label}>Ask</span>
          </button>,
          place,
        )}
    </>
  );
}
