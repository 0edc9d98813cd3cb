import { resource } from '@latchkey/kernel';
import { guestPassOperations } from './guest-pass-operations.ts';
import { botOperations, guildOperations, messageOperation } from './guild-operations.ts';
import { channelOperation, memberOperations } from './member-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

export const discord = resource(
  'discord',
  'Discord servers with the bot: their roles, channels and members, guest passes, and answers to interactions.',
  [
    ...botOperations,
    ...guildOperations,
    ...webhookOperations,
    messageOperation,
    channelOperation,
    ...guestPassOperations,
    ...memberOperations,
  ],
);
