import { useCallback, useEffect, useState } from 'react';
import type { Said } from '../parts/status.tsx';
import { sayError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';

export interface List<Item> {
  /** Undefined until they are read. */
  items: readonly Item[] | undefined;
  said: Said | undefined;
  /** Does something with an item, says how it went, and reads the list again. */
  run(good: string, work: () => Promise<unknown>): Promise<void>;
  /** Does something after which there is no list any more, and says only how it failed. */
  leave(work: () => Promise<unknown>): Promise<void>;
}

/** A list of the account that is read at once and after each change. */
export function useList<Item>(read: () => Promise<readonly Item[]>): List<Item> {
  const [items, setItems] = useState<readonly Item[]>();
  const [said, say] = useState<Said>();
  const ask = useLatest();

  const refresh = useCallback(async () => {
    const isLatest = ask();
    const found = await read();
    if (isLatest()) setItems(found);
  }, [read, ask]);

  useEffect(() => {
    refresh().catch((error: unknown) => say({ tone: 'bad', text: sayError(error) }));
  }, [refresh]);

  const run = (good: string, work: () => Promise<unknown>) =>
    leave(async () => {
      await work();
      await refresh();
      say({ tone: 'good', text: good });
    });

  async function leave(work: () => Promise<unknown>): Promise<void> {
    say({ tone: 'busy', text: 'One moment …' });
    try {
      await work();
    } catch (error) {
      say({ tone: 'bad', text: sayError(error) });
    }
  }

  return { items, said, run, leave };
}
