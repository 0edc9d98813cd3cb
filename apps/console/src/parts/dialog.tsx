import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { t } from '../messages/index.ts';

interface DialogProps extends Omit<ComponentProps<'dialog'>, 'children' | 'onClose' | 'title'> {
  title: string;
  /** Runs when the person closes it. Without it, the dialog stays until it is unmounted. */
  onClose?: (() => void) | undefined;
  /** Arranges the heading and the rest; the heading names the dialog. */
  children(heading: ReactNode): ReactNode;
}

/** A modal dialog: the browser keeps the focus inside, closes it with Escape, and returns the focus afterwards. */
export function ModalDialog({ title, onClose, children, ...others }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    opened?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    // Removing an open dialog would leave the focus nowhere.
    return () => opened?.close();
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
        // Browsers close a dialog at the second Escape whatever the page says.
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

/** Asks before something that cannot simply be undone. */
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
