import { CloseButton } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { IconCircleCheck } from '../icons.tsx';
import styles from './toasts.module.css';

interface Toast {
  id: number;
  text: string;
}

const shownMs = 6_000;
const most = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says that something was done, for a few seconds, in a corner of the page. Failures are shown where they happened. */
export function toast(text: string): void {
  lastId += 1;
  // The same news twice replaces itself.
  set([...toasts.filter((shown) => shown.text !== text), { id: lastId, text }].slice(-most));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div role="status" aria-live="polite" className={styles.toasts}>
      {shown.map(({ id, text }) => (
        <ToastCard key={id} text={text} onClose={() => set(toasts.filter((other) => other.id !== id))} />
      ))}
    </div>
  );
}

function ToastCard({ text, onClose }: { text: string; onClose(): void }) {
  const [isHeld, setIsHeld] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the toast's own removal does not change while it is shown.
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(onClose, shownMs);
    return () => clearTimeout(timer);
  }, [isHeld]);
  return (
    <div className={styles.toast} onPointerEnter={() => setIsHeld(true)} onPointerLeave={() => setIsHeld(false)}>
      <IconCircleCheck size={18} className={styles.mark} />
      <span>{text}</span>
      <CloseButton size="sm" aria-label="Dismiss" onClick={onClose} />
    </div>
  );
}
