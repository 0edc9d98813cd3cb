import { answerInteraction } from './answer-later.ts';

export const discordInteractionJobs = [answerInteraction] as const;
