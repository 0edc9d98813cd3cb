import type { Picture } from './picture.ts';

/** What the bot says in Discord. */
export const messagePictures: readonly Picture[] = [
  { name: 'bot-button', on: { message: 'join' }, part: ['main'], width: 640 },
  { name: 'bot-link', on: { message: 'connect' }, part: ['main'], width: 640 },
  { name: 'bot-roles', isCalm: true, on: { message: 'roles' }, part: ['main'], width: 640 },
  { name: 'bot-held', on: { message: 'held' }, part: ['main'], width: 640 },
];
