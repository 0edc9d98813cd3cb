export { checkTelegramUpdates } from './check-updates.ts';
export { telegramFeature } from './feature.ts';
export { handleTelegramEvent } from './handle-event.ts';
export { keepTelegramSessions } from './sessions.ts';
export { telegramPost } from './show-answer.ts';
export { takePostedUpdate, takeTelegramUpdate, telegramRoute } from './take-update.ts';
