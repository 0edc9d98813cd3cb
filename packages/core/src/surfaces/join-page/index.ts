import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { joinPageOperations } from './operations.ts';

export { findJoinPage } from './open-page.ts';

/** The page that Telegram opens for people who request to join a chat, before they are in. */
export const joinPageModule = defineModule('join-page', { resources: [ownOperations(joinPageOperations)] });
