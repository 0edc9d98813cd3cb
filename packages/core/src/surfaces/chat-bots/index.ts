import { defineModule } from '../../shared/module.ts';
import { chatBotErasure } from './forget.ts';
import { chatBotJobs } from './jobs.ts';

export { chatText } from './chat-text.ts';
export { selectPosition } from './queries.ts';
export { takeChatEvents } from './take-events.ts';

/** What people see of a chat platform whose bot has the port `ChatBot`. */
export const chatBotsModule = defineModule('chat-bots', {
  jobs: chatBotJobs,
  erasures: [chatBotErasure],
  tables: ['chat_bot_positions'],
});
