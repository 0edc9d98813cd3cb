import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { chatAccountOperations } from './operations.ts';

export const chatAccountsFeature = feature('chat-accounts', { resources: [ownOperations(chatAccountOperations)] });
