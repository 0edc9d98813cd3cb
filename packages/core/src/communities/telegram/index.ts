export { telegramFeature } from './feature.ts';
export { handleTelegramEvent } from './handle-event.ts';
export { keepTelegramSessions } from './sessions.ts';
export { telegramPost } from './show-answer.ts';
