/** The one role of a Telegram chat: every member holds it, and no one outside. */
export const memberRole = 'member';
