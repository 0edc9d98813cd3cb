import { reddit } from '@devvit/reddit';
import { context } from '@devvit/server';
import { type RedditAccess, RedditFault } from '../../src/index.ts';

const pageSize = 500;

/** Reddit in the subreddit where the app is installed, through Devvit's API and as the app's own account. */
export function openReddit(): RedditAccess {
  const { subredditName } = context;
  const read = async () => reddit.getSubredditByName(subredditName);
  return {
    subreddit: async () => ({ id: context.subredditId, name: subredditName }),
    flairs: async () => (await reddit.getUserFlairTemplates(subredditName)).map(({ id, text }) => ({ id, text })),
    flairOf: async (userName) => {
      const { users } = await (await read()).getUserFlair({ usernames: [userName] });
      return users[0]?.flairText || undefined;
    },
    isApproved: async (userName) => {
      const found = await reddit.getApprovedUsers({ subredditName, username: userName }).all();
      return found.some(({ username }) => username.toLowerCase() === userName.toLowerCase());
    },
    list: async (part, after) => {
      if (part === 'approved') {
        // Devvit's list says nothing about where a page ends, so all of them are one page.
        const users = await reddit.getApprovedUsers({ subredditName, pageSize: 100 }).all();
        return { users: users.map(({ username }) => ({ name: username })) };
      }
      const { users, next } = await (await read()).getUserFlair({ limit: pageSize, ...(after && { after }) });
      return {
        users: users.flatMap(({ user, flairText }) =>
          user ? [{ name: user, ...(flairText && { text: flairText }) }] : [],
        ),
        ...(next && next !== after && { next }),
      };
    },
    setFlair: (username, flairTemplateId) =>
      change(() => reddit.setUserFlair({ subredditName, username, flairTemplateId })),
    removeFlair: (username) => change(() => reddit.removeUserFlair(subredditName, username)),
    approve: (username) => change(() => reddit.approveUser(username, subredditName)),
    unapprove: (username) => change(() => reddit.removeUser(username, subredditName)),
  };
}

/** Devvit passes on Reddit's errors as text. What is not clearly lasting may pass. */
async function change(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    if (/USER_DOESNT_EXIST/.test(text)) throw new RedditFault('gone', 'There is no such user.');
    if (/\b403\b|forbidden|permission/i.test(text)) throw new RedditFault('refused', 'Reddit refuses it.');
    throw new RedditFault('failed', 'Reddit did not do it.');
  }
}
