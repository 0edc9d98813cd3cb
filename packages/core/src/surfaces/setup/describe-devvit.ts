import type { getDevvitApp } from '../devvit/index.ts';
import type { SetupCheck } from './setup-check.ts';

type DevvitApp = Awaited<ReturnType<typeof getDevvitApp>>;

/** Changes wait for an app that does not call; they do not fail. */
export function describeDevvit({ lastCallTime, isExpired, isSilent }: DevvitApp, now: Date): SetupCheck {
  const check = { id: 'devvit', subject: 'account', title: 'Devvit app' } as const;
  const reason = 'The Latchkey app in the subreddit sets flair and approves users. It calls this server every minute.';
  if (lastCallTime === undefined)
    return {
      ...check,
      state: 'broken',
      reason: `${reason} ${isExpired === true ? 'The pairing code expired before the app used it.' : 'It has not called yet.'}`,
      remedy:
        isExpired === true
          ? 'Replace the code under Settings > Devvit app, and enter the new one in the settings of the app.'
          : 'Enter the pairing code in the settings of the app: on Reddit, open Mod Tools > Installed apps > Latchkey.',
    };
  const minutes = Math.floor((now.getTime() - Date.parse(lastCallTime)) / 60_000);
  const ago = minutes < 1 ? 'less than a minute ago' : minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`;
  if (isSilent !== true) return { ...check, state: 'ok', reason: `${reason} It last called ${ago}.` };
  return {
    ...check,
    state: 'broken',
    reason: `${reason} It last called ${ago}. Changes wait for it.`,
    remedy:
      'On Reddit, check under Mod Tools > Installed apps that Latchkey is installed and has the current pairing code, and that this server can be reached.',
  };
}
