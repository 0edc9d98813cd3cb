import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { chatAccountOperations } from './operations.ts';

export const chatAccountsModule = defineModule('chat-accounts', { resources: [ownOperations(chatAccountOperations)] });
