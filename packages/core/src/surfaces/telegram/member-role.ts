/** Everybody in a chat of Telegram holds this one role, and nobody outside. */
export const memberRole = 'member';
