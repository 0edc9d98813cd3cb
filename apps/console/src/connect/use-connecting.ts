import { useRef, useState } from 'react';
import { t } from '../messages/index.ts';
import { shortAddress } from '../parts/names.ts';
import type { StatusMessage } from '../parts/status.tsx';
import { describeError } from '../say-error.ts';
import type { Outcome } from './connect-wallet.ts';

export type Question = Extract<Outcome, { kind: 'taken' | 'choose' }>;

export interface Connecting {
  status: StatusMessage | undefined;
  /** What the person must decide before it goes on. */
  question: Question | undefined;
  /** Runs an attempt. It may say how far it is; the latest attempt alone is heard, so that a stuck wallet blocks nothing. */
  run(attempt: (onStep: (text: string) => void) => Promise<Outcome>): Promise<void>;
  /** Forgets the question. */
  leave(): void;
  /** Forgets what was said, once it is no longer so. */
  quiet(): void;
}

/** One attempt to link a wallet at a time, and what came of it. */
export function useConnecting(onLinked: () => void, onStart: () => void): Connecting {
  const [reply, say] = useState<StatusMessage>();
  const [question, setQuestion] = useState<Question>();
  const latest = useRef(0);

  async function run(attempt: (onStep: (text: string) => void) => Promise<Outcome>): Promise<void> {
    latest.current += 1;
    const own = latest.current;
    const show = (next: StatusMessage) => {
      if (own === latest.current) say(next);
    };
    setQuestion(undefined);
    onStart();
    try {
      const outcome = await attempt((text) => show({ tone: 'busy', text }));
      if (outcome.kind === 'linked') onLinked();
      if (own !== latest.current) return;
      if (outcome.kind === 'taken' || outcome.kind === 'choose') setQuestion(outcome);
      say(sayOutcome(outcome));
    } catch (error) {
      show({ tone: 'bad', text: describeError(error) });
    }
  }

  return { status: reply, question, run, leave: () => setQuestion(undefined), quiet: () => say(undefined) };
}

function sayOutcome(outcome: Outcome): StatusMessage | undefined {
  switch (outcome.kind) {
    case 'linked':
      return {
        tone: 'good',
        text: outcome.isNew
          ? t('link.done', { address: shortAddress(outcome.address) })
          : t('link.already', { address: shortAddress(outcome.address) }),
      };
    case 'refused':
      return { tone: 'bad', text: outcome.text };
    default:
      return undefined;
  }
}
