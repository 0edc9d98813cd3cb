export { telegramErasure } from './forget.ts';
export { handleTelegramEvent } from './handle-event.ts';
export { telegramJobs } from './jobs.ts';
