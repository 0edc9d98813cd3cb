import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { useConsent } from '../../shared/use-consent.ts';

const read = 'GET /latchkey/account/reddit-consent';
export type RedditConsent = NonNullable<Answer<typeof read>['consent']>;

/** What the person allowed on Reddit, the way there and back, and linking a subreddit with it. */
export function useRedditConsent() {
  const navigate = useNavigate();
  const state = useOperation(read, {});
  const [note, setNote] = useState('');
  const begin = useAction('POST /latchkey/account/reddit-consent/attempts');
  const finish = useAction('POST /latchkey/account/reddit-consent', { changes: [read] });
  const link = useAction('POST /latchkey/account/reddit-consent/subreddits', {
    changes: [read, 'GET /latchkey/account/communities'],
    onDone: ({ communityId }) => void navigate({ to: '/communities/$communityId/setup', params: { communityId } }),
  });
  const goToReddit = useConsent({
    begin: () => {
      setNote('');
      finish.reset();
      return begin.runAsync({});
    },
    // It may have been kept although Reddit could not be asked for the subreddits.
    finish: (body) => void finish.runAsync({ body }).catch(() => state.refetch()),
    onDenied: () => setNote('You did not allow it on Reddit. Nothing was linked.'),
  });
  return {
    state,
    note,
    goToReddit,
    isGoing: begin.isRunning || finish.isRunning,
    error: begin.error ?? finish.error,
    link,
  };
}
