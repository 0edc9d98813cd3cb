import { defineModule } from '../../shared/module.ts';
import { telegramErasure } from './forget.ts';
import { telegramJobs, telegramSchedules } from './jobs.ts';
import { telegramSealed } from './sessions.ts';

export { telegramPost } from './answer-command.ts';
export {
  checkTelegramUpdates,
  handleTelegramEvent,
  takePostedUpdate,
  takeTelegramUpdate,
  telegramRoute,
} from './check-updates.ts';
export { setTelegramCommands } from './commands.ts';
export { joinPost } from './connect-link.ts';
export { answerJoinRequest, leaveOpen } from './decide-join.ts';
export { followUpgrade } from './follow-upgrade.ts';
export { joinJob } from './jobs.ts';
export { memberRole } from './member-role.ts';
export { keepTelegramSessions } from './sessions.ts';

export const telegramModule = defineModule('telegram', {
  jobs: telegramJobs,
  schedules: telegramSchedules,
  sealed: telegramSealed,
  erasures: [telegramErasure],
  tables: ['telegram_sessions', 'telegram_updates'],
});
