import { ApiError, type CallResult } from '@latchkey/client';
import { useCallback, useEffect, useState } from 'react';
import type { Call } from '../api.ts';
import type { Said } from '../parts/status.tsx';
import { describeError } from '../say-error.ts';

export type Begun = CallResult<'POST /latchkey/handoffs'>;
export type Progress = CallResult<'POST /latchkey/handoffs/state'>;
export type Finished = CallResult<'POST /latchkey/handoffs/accept'>;

interface Wishes {
  purpose: 'link' | 'sign-in';
  communityId?: string | undefined;
  onFinished(result: Finished): void;
}

export interface Handoff {
  begun: Begun | undefined;
  progress: Progress | undefined;
  said: Said | undefined;
  begin(): Promise<void>;
  accept(code: string): Promise<void>;
  leave(): void;
}

const pauseMs = 3_000;

/** A step that goes on in another browser, seen from the one that began. */
export function useHandoff(call: Call, { purpose, communityId, onFinished }: Wishes): Handoff {
  const [begun, setBegun] = useState<Begun>();
  const [progress, setProgress] = useState<Progress>();
  const [said, say] = useState<Said>();

  const leave = useCallback(() => {
    setBegun(undefined);
    setProgress(undefined);
    say(undefined);
  }, []);

  const end = useCallback((error: unknown) => {
    // The link has gone: there is nothing left to wait for.
    if (error instanceof ApiError && error.code === 'ENTITY_NOT_FOUND') {
      setBegun(undefined);
      setProgress(undefined);
    }
    say({ tone: 'bad', text: describeError(error) });
  }, []);

  const key = begun?.key;
  const isProven = progress?.state === 'proven';
  useEffect(() => {
    if (key === undefined || isProven) return undefined;
    return watch(
      () => call('POST /latchkey/handoffs/state', { body: { key } }),
      setProgress,
      (error) => {
        if (error instanceof ApiError && error.code === 'ENTITY_NOT_FOUND') end(error);
      },
    );
  }, [call, key, isProven, end]);

  return {
    begun,
    progress,
    said,
    leave,
    begin: async () => {
      leave();
      try {
        const body = { purpose, ...(communityId !== undefined && { communityId }) };
        setBegun(await call('POST /latchkey/handoffs', { body }));
      } catch (error) {
        end(error);
      }
    },
    accept: async (code) => {
      say({ tone: 'busy', text: 'Checking the code …' });
      try {
        const result = await call('POST /latchkey/handoffs/accept', { body: { key: key ?? '', code } });
        leave();
        onFinished(result);
      } catch (error) {
        end(error);
      }
    },
  };
}

/** Asks again and again, and at once when the person comes back to this tab, until the answer is called. */
function watch<Answer>(
  ask: () => Promise<Answer>,
  onAnswer: (answer: Answer) => void,
  onError: (error: unknown) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const next = async () => {
    clearTimeout(timer);
    try {
      const answer = await ask();
      if (!isOver) onAnswer(answer);
    } catch (error) {
      if (!isOver) onError(error);
    }
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(next, pauseMs);
  };
  const onVisible = () => {
    if (document.visibilityState === 'visible') void next();
  };
  document.addEventListener('visibilitychange', onVisible);
  timer = setTimeout(next, pauseMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
