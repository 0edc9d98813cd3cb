import { Button, CloseButton, Portal } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTopDialog } from '../../parts/dialog.tsx';
import { IconCircleCheck } from '../icons.ts';
import { t } from '../messages/index.ts';
import styles from './toasts.module.css';

interface Toast {
  id: number;
  text: string;
  link?: ToastLink | undefined;
}

/** A link to the result. Toasts are outside of the router, so it is a button. */
interface ToastLink {
  label: string;
  open(): void;
}

const shownMs = 6_000;
const shownWithLinkMs = 20_000;
const most = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Confirms for a few seconds, in a corner of the page, that something was done. Failures are shown where they happened. */
export function toast(text: string, link?: ToastLink): void {
  lastId += 1;
  // The same text replaces the earlier toast.
  set([...toasts.filter((shown) => shown.text !== text), { id: lastId, text, link }].slice(-most));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const dialog = useTopDialog();
  return (
    // A portal stays where it was first put, so each place has one of its own.
    <Portal key={dialog?.getAttribute('aria-labelledby') ?? 'page'} target={dialog ?? document.body}>
      <div role="status" aria-live="polite" className={styles.toasts}>
        {shown.map(({ id, ...toast }) => (
          <ToastCard key={id} {...toast} onClose={() => set(toasts.filter((other) => other.id !== id))} />
        ))}
      </div>
    </Portal>
  );
}

function ToastCard({ text, link, onClose }: Omit<Toast, 'id'> & { onClose(): void }) {
  const [isHeld, setIsHeld] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the toast's own removal does not change while it is shown.
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(onClose, link === undefined ? shownMs : shownWithLinkMs);
    return () => clearTimeout(timer);
  }, [isHeld]);
  return (
    <div className={styles.toast} onPointerEnter={() => setIsHeld(true)} onPointerLeave={() => setIsHeld(false)}>
      <IconCircleCheck size={18} className={styles.mark} />
      <span>{text}</span>
      {link !== undefined && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            link.open();
            onClose();
          }}
        >
          {link.label}
        </Button>
      )}
      <CloseButton size="sm" aria-label={t('toast.dismiss')} onClick={onClose} />
    </div>
  );
}
