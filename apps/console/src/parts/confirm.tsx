import { type ReactNode, useEffect, useId, useRef } from 'react';

interface Question {
  title: string;
  yes: string;
  children: ReactNode;
  onYes(): void;
  onNo(): void;
}

/** Asks before something is done that cannot simply be undone. The browser keeps the focus inside and Escape is no. */
export function Confirm({ title, yes, children, onYes, onNo }: Question) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => dialog.current?.showModal(), []);
  // By being closed, and not just taken away, it gives the focus back to where it was.
  const close = (answer: string) => dialog.current?.close(answer);
  const onClose = () => (dialog.current?.returnValue === 'yes' ? onYes() : onNo());
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
      <div className="actions">
        <button type="button" className="danger" onClick={() => close('yes')}>
          {yes}
        </button>
        <button type="button" className="quiet" onClick={() => close('')}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}
