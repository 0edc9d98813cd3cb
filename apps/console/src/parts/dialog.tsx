import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { t } from '../messages/index.ts';

let openDialogs: readonly HTMLDialogElement[] = [];
const listeners = new Set<() => void>();

function setOpen(next: readonly HTMLDialogElement[]): void {
  openDialogs = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The modal dialog above all others. Everything outside of it is inert and covered, whatever its z-index. */
export function useTopDialog(): HTMLDialogElement | undefined {
  return useSyncExternalStore(subscribe, () => openDialogs.at(-1));
}

interface DialogProps extends Omit<ComponentProps<'dialog'>, 'children' | 'onClose' | 'title'> {
  title: string;
  /** Called when the user closes it. Without it, the dialog stays until it is unmounted. */
  onClose?: (() => void) | undefined;
  /** Lays out the heading and the content; the heading labels the dialog. */
  children(heading: ReactNode): ReactNode;
}

/**
 * What gets the focus when a dialog opens: what is marked, else the first field, else the button that changes nothing. Browsers would take
 * the first button, which closes it.
 */
const firstStops = [
  '[data-autofocus]',
  ':is(input:not([hidden], [type=hidden], [type=radio]), input:checked, textarea, select):enabled',
  '[data-cancel]',
];

/** A modal dialog: the browser keeps the focus inside, closes it with Escape, and returns the focus afterwards. */
export function ModalDialog({ title, onClose, children, ...others }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (opened === null) return;
    opened.showModal();
    firstStops
      .map((stop) => opened.querySelector<HTMLElement>(stop))
      .find((found) => found !== null)
      ?.focus();
    setOpen([...openDialogs, opened]);
    return () => {
      setOpen(openDialogs.filter((other) => other !== opened));
      // Removing an open dialog would lose the focus.
      opened.close();
    };
  }, []);
  return (
    <dialog
      {...others}
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (onClose === undefined && event.target === event.currentTarget) event.preventDefault();
      }}
      onClose={({ target, currentTarget }) => {
        if (target !== currentTarget || currentTarget.open) return;
        if (onClose !== undefined) onClose();
        // Browsers close a dialog at the second Escape whatever the page does.
        else currentTarget.showModal();
      }}
    >
      {children(<h2 id={titleId}>{title}</h2>)}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  yes: string;
  children: ReactNode;
  onYes(): void;
  onNo(): void;
}

/** Asks for confirmation before something that cannot easily be undone. */
export function Confirm({ title, yes, children, onYes, onNo }: ConfirmProps) {
  const answer = useRef(onNo);
  return (
    <ModalDialog title={title} onClose={() => answer.current()}>
      {(heading) => (
        <>
          {heading}
          {children}
          <div className="actions">
            <button
              type="button"
              className="danger"
              onClick={({ currentTarget }) => {
                answer.current = onYes;
                currentTarget.closest('dialog')?.close();
              }}
            >
              {yes}
            </button>
            <button
              type="button"
              className="quiet"
              data-cancel
              onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}
            >
              {t('action.cancel')}
            </button>
          </div>
        </>
      )}
    </ModalDialog>
  );
}
